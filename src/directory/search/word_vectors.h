// The table of word vectors: 128 numbers for each of 23 748 English and software words, compiled
// in and used in place. How it was made: NOTICE.
//
// Format, little-endian: `IIIWORDS`, then u32: version (1), dims, count, slots, offsets of slots,
// word offsets, words, scales, values, and the size of all; 16 bytes of zero. `slots` is an open
// hash table (FNV-1a) of u16 row numbers, 65 535 where free. Rows are sorted by their word.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace iii::search {

inline constexpr size_t kDims = 128;

class WordVectors {
 public:
  using Row = uint16_t;

  // The table of this program.
  static const WordVectors& standard();

  uint32_t rows() const { return count_; }
  std::string_view word(Row row) const;
  std::span<const int8_t, kDims> values(Row row) const;
  // The vector of a row is its values times this. Frequent words are short.
  float scale(Row row) const { return scales_[row]; }

  std::optional<Row> find(std::string_view word) const;
  // The word itself, else the first of its simpler forms (`boxes`: `box`) that is in the table.
  std::optional<Row> find_form(std::string_view word) const;

 private:
  explicit WordVectors(std::string_view bytes);

  uint32_t count_ = 0;
  uint32_t slot_mask_ = 0;
  const uint16_t* slots_ = nullptr;
  const uint32_t* offsets_ = nullptr;
  const float* scales_ = nullptr;
  const int8_t* values_ = nullptr;
  const char* words_ = nullptr;
};

}  // namespace iii::search
