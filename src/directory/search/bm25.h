// BM25F. The impact of a term in a document is everything but its idf, and is kept in 8 bits.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace iii::search {

inline constexpr float kK1 = 1.2F;
inline constexpr float kB = 0.75F;
inline constexpr float kLargestImpact = kK1 + 1;

// What one occurrence counts in a field of this length.
inline float length_factor(uint32_t length, float mean_length) {
  return 1 / (1 - kB + kB * static_cast<float>(length) / mean_length);
}

inline float impact(float frequency) { return frequency * (kK1 + 1) / (kK1 + frequency); }

inline uint8_t quantise_impact(float impact) {
  return static_cast<uint8_t>(std::clamp(std::lround(impact / kLargestImpact * 255), 1L, 255L));
}
inline constexpr float kImpactStep = kLargestImpact / 255;

inline double idf(uint64_t documents, uint64_t with_term) {
  const auto n = static_cast<double>(documents);
  const auto df = static_cast<double>(std::min(with_term, documents));
  return std::log((n - df + 0.5) / (df + 0.5) + 1);
}

}  // namespace iii::search
