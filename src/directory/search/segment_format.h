// The layout of a segment: this header, then the sections in the order of `Section`, each aligned
// to 64. Little-endian; offsets are from the beginning of the buffer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "directory/search/profile.h"
#include "directory/search/segment.h"

namespace iii::search {

enum class Section : uint8_t {
  kVectors,         // i8 × 128 per document
  kScales,          // f32 per document
  kQuality,         // u8 per document: 255 is 1
  kCopies,          // u64 per document: Document::copy_of
  kKeyOffsets,      // u32 per document, and the end
  kKeyOrder,        // u32 per document: documents by key
  kCopyOrder,       // u32 per document: documents by copy_of, then key
  kTermOffsets,     // u32 per term, and the end
  kListOffsets,     // u32 per term, and the end
  kSurfaceOffsets,  // u32 per surface word, and the end
  kSurfaceTerms,    // u32 per surface word: the term that its stem is
  kTrigrams,        // u32 per trigram, sorted: three bytes, the first one highest
  kTrigramOffsets,  // u32 per trigram, and the end
  kKeys,            // bytes
  kTerms,           // bytes, sorted
  kLists,           // bytes: postings.h
  kSurface,         // bytes, sorted
  kTrigramWords,    // bytes: numbers of surface words, as deltas
  kCount,
};
inline constexpr size_t kSections = static_cast<size_t>(Section::kCount);
inline constexpr size_t kSectionAlignment = 64;

inline constexpr std::string_view kSegmentMagic = "IIISRCH1";
inline constexpr uint32_t kSegmentVersion = 1;

struct SegmentHeader {
  std::array<char, 8> magic;
  uint32_t version;
  uint32_t profile;   // profile_fingerprint
  uint64_t total;     // bytes
  uint64_t checksum;  // of what follows the header
  uint32_t documents;
  uint32_t terms;
  uint32_t surface_words;
  uint32_t trigrams;
  uint32_t measured;  // documents that the means were taken from
  uint32_t zero;
  std::array<float, kMaxFields> means;
  std::array<uint64_t, kSections> offsets;
};
static_assert(sizeof(SegmentHeader) % 8 == 0);

// Fields and weights: impacts of another profile mean something else.
uint32_t profile_fingerprint(const Profile& profile);

uint64_t segment_checksum(std::string_view bytes);

}  // namespace iii::search
