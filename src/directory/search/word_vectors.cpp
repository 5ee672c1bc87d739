#include "directory/search/word_vectors.h"

#include <array>
#include <cstring>
#include <string>

#include "directory/search/embedded.h"
#include "foundation/base/check.h"

namespace iii::search {

namespace {

constexpr uint16_t kFree = 65'535;

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

}  // namespace

const WordVectors& WordVectors::standard() {
  static const WordVectors table(embedded_word_vectors());
  return table;
}

WordVectors::WordVectors(std::string_view bytes) {
  Header header;
  III_CHECK(bytes.size() > sizeof header);
  std::memcpy(&header, bytes.data(), sizeof header);
  III_CHECK(std::memcmp(header.magic, "IIIWORDS", 8) == 0 && header.version == 1);
  III_CHECK(header.dims == kDims && header.total == bytes.size());
  count_ = header.count;
  slot_mask_ = header.slots - 1;
  slots_ = reinterpret_cast<const uint16_t*>(bytes.data() + header.slot_offset);
  offsets_ = reinterpret_cast<const uint32_t*>(bytes.data() + header.word_offsets_offset);
  scales_ = reinterpret_cast<const float*>(bytes.data() + header.scales_offset);
  values_ = reinterpret_cast<const int8_t*>(bytes.data() + header.values_offset);
  words_ = bytes.data() + header.words_offset;
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
