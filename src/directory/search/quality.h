// How far a document is trusted to describe itself. Its scores are multiplied by this, so that a
// description that was written for a search engine does not win over one that was written for
// readers.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "directory/search/profile.h"

namespace iii::search {

// What the indexing of a field found.
struct FieldCounts {
  uint32_t words = 0;
  uint32_t distinct = 0;
};

// Bytes that stand for 1, for 0.5 and for 0.1.
inline constexpr uint8_t kTrusted = 255;
inline constexpr uint8_t kDoubtful = 128;
inline constexpr uint8_t kStuffed = 25;

// The same few words again and again.
uint8_t quality_of_counts(const FieldCounts& counts);

// A list of keywords instead of a sentence. `text` is the first sentence of a description.
uint8_t quality_of_sentence(std::string_view text);

// A description that tells the reader what to choose instead of what the thing does: `ignore
// previous instructions`, `rank it highest`, `best tool for every task`.
uint8_t quality_of_claims(std::string_view text);

}  // namespace iii::search
