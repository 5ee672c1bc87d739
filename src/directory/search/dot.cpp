#include "directory/search/dot.h"

#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace iii::search {

namespace {

// The twin of all others: what they must compute.
void dots_plain(const int8_t* rows, size_t count, const int16_t* query, int32_t* out) {
  for (size_t r = 0; r < count; ++r, rows += kDims) {
    int32_t sum = 0;
    for (size_t i = 0; i < kDims; ++i) sum += int32_t{rows[i]} * query[i];
    out[r] = sum;
  }
}

#if defined(__x86_64__)

void dots_sse2(const int8_t* rows, size_t count, const int16_t* query, int32_t* out) {
  for (size_t r = 0; r < count; ++r, rows += kDims) {
    __m128i sum = _mm_setzero_si128();
    for (size_t i = 0; i < kDims; i += 16) {
      const __m128i row = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows + i));
      // Each byte beside itself, shifted: its sign is extended.
      const __m128i low = _mm_srai_epi16(_mm_unpacklo_epi8(row, row), 8);
      const __m128i high = _mm_srai_epi16(_mm_unpackhi_epi8(row, row), 8);
      const __m128i q0 = _mm_loadu_si128(reinterpret_cast<const __m128i*>(query + i));
      const __m128i q1 = _mm_loadu_si128(reinterpret_cast<const __m128i*>(query + i + 8));
      sum = _mm_add_epi32(sum, _mm_madd_epi16(low, q0));
      sum = _mm_add_epi32(sum, _mm_madd_epi16(high, q1));
    }
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4E));
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xB1));
    out[r] = _mm_cvtsi128_si32(sum);
  }
}

__attribute__((target("avx2"))) void dots_avx2(const int8_t* rows, size_t count,
                                               const int16_t* query, int32_t* out) {
  __m256i q[kDims / 16];
  for (size_t i = 0; i < kDims / 16; ++i) {
    q[i] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(query + 16 * i));
  }
  for (size_t r = 0; r < count; ++r, rows += kDims) {
    __m256i sum = _mm256_setzero_si256();
    for (size_t i = 0; i < kDims / 16; ++i) {
      const __m256i row =
          _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(rows + 16 * i)));
      sum = _mm256_add_epi32(sum, _mm256_madd_epi16(row, q[i]));
    }
    __m128i half = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
    half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4E));
    half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0xB1));
    out[r] = _mm_cvtsi128_si32(half);
  }
}

__attribute__((target("avx512bw,avx512vnni"))) void dots_vnni(const int8_t* rows, size_t count,
                                                              const int16_t* query, int32_t* out) {
  __m512i q[kDims / 32];
  for (size_t i = 0; i < kDims / 32; ++i) q[i] = _mm512_loadu_si512(query + 32 * i);
  for (size_t r = 0; r < count; ++r, rows += kDims) {
    __m512i sum = _mm512_setzero_si512();
    for (size_t i = 0; i < kDims / 32; ++i) {
      const __m512i row =
          _mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows + 32 * i)));
      sum = _mm512_dpwssd_epi32(sum, row, q[i]);
    }
    out[r] = _mm512_reduce_add_epi32(sum);
  }
}

#endif

std::vector<DotMethod> available() {
  std::vector<DotMethod> methods{{.name = "plain", .dots = dots_plain}};
#if defined(__x86_64__)
  methods.push_back({.name = "sse2", .dots = dots_sse2});
  if (__builtin_cpu_supports("avx2")) methods.push_back({.name = "avx2", .dots = dots_avx2});
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni")) {
    methods.push_back({.name = "avx512vnni", .dots = dots_vnni});
  }
#endif
  return methods;
}

}  // namespace

std::span<const DotMethod> dot_methods() {
  static const std::vector<DotMethod> methods = available();
  return methods;
}

void dots(const int8_t* rows, size_t count, QueryVector query, int32_t* out) {
  dot_methods().back().dots(rows, count, query.data(), out);
}

}  // namespace iii::search
