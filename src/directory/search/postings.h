// The documents that have a term.
//
// Two lists: documents that have it in some field (`main`), and those that have it in the bulk
// field of the profile only (`bulk`: for skills the body, five postings of six), which need no
// field masks.
//
//   varint main count, varint bulk count, varint bytes of the main list; main list; bulk list
//   list: for each block but the first: u32 last document before it, u32 offset of the block;
//         blocks of 128 postings: deltas − 1 of the documents as varints, impacts, masks (main)
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "directory/search/profile.h"
#include "directory/search/segment.h"

namespace iii::search {

struct Posting {
  DocumentNumber document = 0;
  uint8_t impact = 0;
  FieldMask fields = 0;

  bool operator==(const Posting&) const = default;
};

inline constexpr uint32_t kBlockPostings = 128;

void append_varint(std::string& to, uint32_t value);
inline uint32_t read_varint(const uint8_t*& at) {
  uint32_t value = *at++;
  if (value < 0x80) return value;
  value &= 0x7FU;
  for (unsigned shift = 7;; shift += 7) {
    const uint32_t byte = *at++;
    value |= (byte & 0x7FU) << shift;
    if (byte < 0x80) return value;
  }
}

struct PostingList {
  const uint8_t* data = nullptr;
  uint32_t count = 0;
  FieldMask fields = 0;  // of all postings; 0: each has its own

  uint32_t blocks() const { return (count + kBlockPostings - 1) / kBlockPostings; }
  const uint8_t* first_block() const {
    return data + (blocks() > 1 ? size_t{blocks() - 1} * 8 : 0);
  }
};

struct PostingLists {
  PostingList main;
  PostingList bulk;

  uint32_t count() const { return main.count + bulk.count; }
};

// Postings in the order of their documents.
void append_lists(std::string& to, std::span<const Posting> postings, FieldMask bulk);
PostingLists read_lists(const uint8_t* data, FieldMask bulk);

std::optional<Posting> find_posting(const PostingLists& lists, DocumentNumber document);

// use(documents, impacts, masks or nullptr) for each block; documents and impacts have one size.
template <typename F>
void for_each_block(const PostingList& list, F&& use) {
  std::array<DocumentNumber, kBlockPostings> documents;
  const uint8_t* at = list.count == 0 ? nullptr : list.first_block();
  DocumentNumber next = 0;
  for (uint32_t left = list.count; left > 0;) {
    const uint32_t size = left < kBlockPostings ? left : kBlockPostings;
    for (uint32_t i = 0; i < size; ++i) {
      next += read_varint(at);
      documents[i] = next++;
    }
    const std::span impacts(at, size);
    at += size;
    const uint8_t* masks = nullptr;
    if (list.fields == 0) {
      masks = at;
      at += size;
    }
    use(std::span<const DocumentNumber>(documents.data(), size), impacts, masks);
    left -= size;
  }
}

}  // namespace iii::search
