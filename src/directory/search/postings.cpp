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

bool check_list(const uint8_t*& at, const uint8_t* end, uint32_t count, bool masks,
                uint32_t documents) {
  const PostingList list{.data = at, .count = count};
  const uint64_t skip_bytes = count == 0 ? 0 : uint64_t{list.blocks() - 1} * 8;
  if (skip_bytes > static_cast<uint64_t>(end - at)) return false;
  const uint8_t* skip = at;
  at += skip_bytes;
  const uint8_t* const blocks = at;
  uint64_t next = 0;
  for (uint32_t left = count; left > 0;) {
    if (left < count) {
      if (read_u32(skip) + uint64_t{1} != next ||
          read_u32(skip + 4) != static_cast<uint64_t>(at - blocks))
        return false;
      skip += 8;
    }
    const uint32_t size = std::min(left, kBlockPostings);
    for (uint32_t i = 0; i < size; ++i) {
      const std::optional<uint32_t> delta = read_varint_checked(at, end);
      if (!delta || next + *delta >= documents) return false;
      next += *delta + uint64_t{1};
    }
    const uint32_t bytes = masks ? 2 * size : size;
    if (bytes > static_cast<uint64_t>(end - at)) return false;
    at += bytes;
    left -= size;
  }
  return true;
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

std::optional<uint32_t> read_varint_checked(const uint8_t*& at, const uint8_t* end) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 35 && at < end; shift += 7) {
    const uint8_t byte = *at++;
    value |= uint64_t{byte & 0x7FU} << shift;
    if (byte >= 0x80) continue;
    if (value > UINT32_MAX) return std::nullopt;
    return static_cast<uint32_t>(value);
  }
  return std::nullopt;
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

bool check_lists(std::string_view bytes, uint32_t documents) {
  const auto* at = reinterpret_cast<const uint8_t*>(bytes.data());
  const uint8_t* const end = at + bytes.size();
  const auto main = read_varint_checked(at, end);
  const auto bulk = read_varint_checked(at, end);
  const auto main_bytes = read_varint_checked(at, end);
  if (!main || !bulk || !main_bytes || *main_bytes > static_cast<uint64_t>(end - at)) return false;
  const uint8_t* const bulk_begin = at + *main_bytes;
  return check_list(at, bulk_begin, *main, true, documents) && at == bulk_begin &&
         check_list(at, end, *bulk, false, documents) && at == end;
}

std::optional<Posting> find_posting(const PostingLists& lists, DocumentNumber document) {
  const std::optional<Posting> found = find_in(lists.main, document);
  return found ? found : find_in(lists.bulk, document);
}

}  // namespace iii::search
