#include "directory/search/postings.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace iii::search {

namespace {

void append_u32(std::string& to, uint32_t value) {
  char bytes[4];
  std::memcpy(bytes, &value, 4);
  to.append(bytes, 4);
}

uint32_t read_u32(const uint8_t* at) {
  uint32_t value;
  std::memcpy(&value, at, 4);
  return value;
}

// `next`: the smallest document number that may follow.
void append_block(std::string& to, std::span<const Posting> postings, bool masks, uint32_t next) {
  for (const Posting& posting : postings) {
    append_varint(to, posting.document - next);
    next = posting.document + 1;
  }
  for (const Posting& posting : postings) to += static_cast<char>(posting.impact);
  if (!masks) return;
  for (const Posting& posting : postings) to += static_cast<char>(posting.fields);
}

void append_list(std::string& to, std::span<const Posting> postings, bool masks) {
  std::string skips;
  std::string blocks;
  for (size_t i = 0; i < postings.size(); i += kBlockPostings) {
    if (i > 0) {
      append_u32(skips, postings[i - 1].document);
      append_u32(skips, static_cast<uint32_t>(blocks.size()));
    }
    append_block(blocks, postings.subspan(i, std::min<size_t>(kBlockPostings, postings.size() - i)),
                 masks, i > 0 ? postings[i - 1].document + 1 : 0);
  }
  to += skips;
  to += blocks;
}

std::optional<Posting> find_in(const PostingList& list, DocumentNumber document) {
  if (list.count == 0) return std::nullopt;
  // The last block whose predecessor ends before the document.
  uint32_t low = 0;
  for (uint32_t high = list.blocks() - 1; low < high;) {
    const uint32_t middle = (low + high + 1) / 2;
    if (read_u32(list.data + size_t{middle - 1} * 8) < document) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  const uint8_t* at = list.first_block();
  DocumentNumber next = 0;
  if (low > 0) {
    const uint8_t* skip = list.data + size_t{low - 1} * 8;
    next = read_u32(skip) + 1;
    at += read_u32(skip + 4);
  }
  const uint32_t size = std::min(kBlockPostings, list.count - low * kBlockPostings);
  std::optional<uint32_t> found;
  for (uint32_t i = 0; i < size; ++i) {
    next += read_varint(at);
    if (next == document) found = i;
    ++next;
  }
  if (!found) return std::nullopt;
  return Posting{.document = document,
                 .impact = at[*found],
                 .fields = list.fields == 0 ? at[size + *found] : list.fields};
}

}  // namespace

void append_varint(std::string& to, uint32_t value) {
  for (; value >= 0x80; value >>= 7) to += static_cast<char>(value | 0x80U);
  to += static_cast<char>(value);
}

void append_lists(std::string& to, std::span<const Posting> postings, FieldMask bulk) {
  std::vector<Posting> main;
  std::vector<Posting> rest;
  for (const Posting& posting : postings) {
    (bulk != 0 && posting.fields == bulk ? rest : main).push_back(posting);
  }
  std::string main_list;
  append_list(main_list, main, true);
  append_varint(to, static_cast<uint32_t>(main.size()));
  append_varint(to, static_cast<uint32_t>(rest.size()));
  append_varint(to, static_cast<uint32_t>(main_list.size()));
  to += main_list;
  append_list(to, rest, false);
}

PostingLists read_lists(const uint8_t* data, FieldMask bulk) {
  PostingLists lists;
  lists.main.count = read_varint(data);
  lists.bulk.count = read_varint(data);
  const uint32_t main_bytes = read_varint(data);
  lists.main.data = data;
  lists.bulk.data = data + main_bytes;
  lists.bulk.fields = bulk;
  return lists;
}

std::optional<Posting> find_posting(const PostingLists& lists, DocumentNumber document) {
  const std::optional<Posting> found = find_in(lists.main, document);
  return found ? found : find_in(lists.bulk, document);
}

}  // namespace iii::search
