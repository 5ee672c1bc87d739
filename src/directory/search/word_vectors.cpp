#include "directory/search/word_vectors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>

#include "directory/search/embedded.h"
#include "foundation/base/check.h"

namespace iii::search {

namespace {

constexpr uint16_t kFree = 65'535;
constexpr size_t kHeaderBytes = 64;

struct Header {
  char magic[8];
  uint32_t version;
  uint32_t dims;
  uint32_t count;
  uint32_t slots;
  uint32_t slot_offset;
  uint32_t word_offsets_offset;
  uint32_t words_offset;
  uint32_t scales_offset;
  uint32_t values_offset;
  uint32_t total;
};

uint32_t fnv1a(std::string_view word) {
  uint32_t hash = 2'166'136'261U;
  for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619U;
  return hash;
}

// The arrays lie inside the bytes, where the types may lie.
bool fits(const Header& h) {
  const auto inside = [&](uint32_t offset, uint64_t bytes) {
    return offset % 64 == 0 && offset >= kHeaderBytes && offset + bytes <= h.total;
  };
  return h.count > 0 && h.count < kFree && std::has_single_bit(h.slots) && h.slots > h.count &&
         inside(h.slot_offset, uint64_t{h.slots} * 2) &&
         inside(h.word_offsets_offset, (uint64_t{h.count} + 1) * 4) &&
         inside(h.scales_offset, uint64_t{h.count} * 4) &&
         inside(h.values_offset, uint64_t{h.count} * kDims) && h.words_offset <= h.total;
}

}  // namespace

const WordVectors& WordVectors::standard() {
  static const WordVectors table = [] {
    Result<WordVectors> opened = open(embedded_word_vectors());
    III_CHECK(opened.has_value());
    return *opened;
  }();
  return table;
}

Result<WordVectors> WordVectors::open(std::string_view bytes) {
  const auto refuse = [](std::string_view why) {
    return fail("word_vectors_damaged", "the table of word vectors " + std::string(why));
  };
  Header header;
  if (bytes.size() < kHeaderBytes) return refuse("is too short");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.magic, "IIIWORDS", 8) != 0) return refuse("has another format");
  if (header.version != 1 || header.dims != kDims) return refuse("has another version");
  if (header.total != bytes.size() || !fits(header)) return refuse("has another size");

  WordVectors table;
  table.count_ = header.count;
  table.slot_mask_ = header.slots - 1;
  table.slots_ = reinterpret_cast<const uint16_t*>(bytes.data() + header.slot_offset);
  table.offsets_ = reinterpret_cast<const uint32_t*>(bytes.data() + header.word_offsets_offset);
  table.scales_ = reinterpret_cast<const float*>(bytes.data() + header.scales_offset);
  table.values_ = reinterpret_cast<const int8_t*>(bytes.data() + header.values_offset);
  table.words_ = bytes.data() + header.words_offset;

  const std::span offsets(table.offsets_, header.count + 1);
  if (!std::ranges::is_sorted(offsets) || offsets.back() > header.total - header.words_offset) {
    return refuse("has words outside of it");
  }
  const std::span slots(table.slots_, header.slots);
  if (!std::ranges::all_of(slots, [&](uint16_t s) { return s == kFree || s < header.count; }) ||
      std::ranges::find(slots, kFree) == slots.end()) {
    return refuse("has slots without a row");
  }
  if (!std::ranges::all_of(std::span(table.scales_, header.count),
                           [](float scale) { return std::isfinite(scale); })) {
    return refuse("has scales that are not numbers");
  }
  return table;
}

std::string_view WordVectors::word(Row row) const {
  return {words_ + offsets_[row], offsets_[row + 1] - offsets_[row]};
}

std::span<const int8_t, kDims> WordVectors::values(Row row) const {
  return std::span<const int8_t, kDims>(values_ + size_t{row} * kDims, kDims);
}

std::optional<WordVectors::Row> WordVectors::find(std::string_view text) const {
  for (uint32_t slot = fnv1a(text) & slot_mask_;; slot = (slot + 1) & slot_mask_) {
    const uint16_t row = slots_[slot];
    if (row == kFree) return std::nullopt;
    if (word(row) == text) return row;
  }
}

std::optional<WordVectors::Row> WordVectors::find_form(std::string_view word) const {
  if (const auto row = find(word)) return row;
  struct Form {
    std::string_view ending;
    std::string_view instead;
    bool halve;  // `planning` is `plan` with its last letter doubled
  };
  static constexpr std::array<Form, 15> kForms{{{"ies", "y", false},
                                                {"es", "", false},
                                                {"es", "e", false},
                                                {"s", "", false},
                                                {"ied", "y", false},
                                                {"ed", "", true},
                                                {"ed", "e", false},
                                                {"ing", "", true},
                                                {"ing", "e", false},
                                                {"er", "", true},
                                                {"er", "e", false},
                                                {"ers", "", false},
                                                {"able", "", false},
                                                {"able", "e", false},
                                                {"ly", "", false}}};
  constexpr size_t kLeast = 3;
  for (const Form& form : kForms) {
    if (!word.ends_with(form.ending)) continue;
    std::string shorter(word.substr(0, word.size() - form.ending.size()));
    shorter += form.instead;
    if (shorter.size() < kLeast) continue;
    if (const auto row = find(shorter)) return row;
    if (!form.halve || shorter.size() <= kLeast || shorter.back() != shorter[shorter.size() - 2]) {
      continue;
    }
    shorter.pop_back();
    if (const auto row = find(shorter)) return row;
  }
  return std::nullopt;
}

}  // namespace iii::search
