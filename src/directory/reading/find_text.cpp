#include "directory/reading/find_text.h"

#include <algorithm>

#include "foundation/base/text.h"

#if defined(__SSE2__)
#include <emmintrin.h>

#include <bit>
#endif

namespace iii::directory {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<signed char>(c) >= 0; });
}

// Whether the needle stands at `at`, where there are enough bytes.
bool stands_at(const char* at, std::string_view needle) {
  return std::equal(needle.begin(), needle.end(), at,
                    [](char wanted, char c) { return wanted == lower(c); });
}

// The needle in the text from `from` on, a place at a time.
bool contains_slowly(std::string_view text, std::string_view needle, size_t from) {
  for (; from + needle.size() <= text.size(); ++from) {
    if (lower(text[from]) == needle.front() && stands_at(text.data() + from, needle)) return true;
  }
  return false;
}

#if defined(__SSE2__)

constexpr size_t kStep = 16;

__m128i lowered(const char* at) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  const __m128i capital = _mm_and_si128(_mm_cmpgt_epi8(bytes, _mm_set1_epi8('A' - 1)),
                                        _mm_cmplt_epi8(bytes, _mm_set1_epi8('Z' + 1)));
  return _mm_or_si128(bytes, _mm_and_si128(capital, _mm_set1_epi8(0x20)));
}

// First and last byte of the needle must stand where they belong.
bool contains_ascii(std::string_view text, std::string_view needle) {
  const __m128i first = _mm_set1_epi8(needle.front());
  const __m128i last = _mm_set1_epi8(needle.back());
  size_t from = 0;
  for (; from + kStep + needle.size() - 1 <= text.size(); from += kStep) {
    const char* const at = text.data() + from;
    const __m128i marked = _mm_and_si128(_mm_cmpeq_epi8(lowered(at), first),
                                         _mm_cmpeq_epi8(lowered(at + needle.size() - 1), last));
    auto bits = static_cast<unsigned>(_mm_movemask_epi8(marked));
    for (; bits != 0; bits &= bits - 1) {
      if (stands_at(at + std::countr_zero(bits), needle)) return true;
    }
  }
  return contains_slowly(text, needle, from);
}

// Moves `from` to the needle (true), or to where the last steps have to be made one by one.
bool skip_to(std::string_view text, std::string_view needle, size_t& from) {
  const __m128i first = _mm_set1_epi8(needle.front());
  const __m128i last = _mm_set1_epi8(needle.back());
  const auto load = [](const char* at) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  };
  for (; from + kStep + needle.size() - 1 <= text.size(); from += kStep) {
    const char* const at = text.data() + from;
    const __m128i marked = _mm_and_si128(_mm_cmpeq_epi8(load(at), first),
                                         _mm_cmpeq_epi8(load(at + needle.size() - 1), last));
    auto bits = static_cast<unsigned>(_mm_movemask_epi8(marked));
    for (; bits != 0; bits &= bits - 1) {
      const auto offset = static_cast<size_t>(std::countr_zero(bits));
      if (std::string_view(at + offset, needle.size()) != needle) continue;
      from += offset;
      return true;
    }
  }
  return false;
}

#else

bool skip_to(std::string_view, std::string_view, size_t&) { return false; }

bool contains_ascii(std::string_view text, std::string_view needle) {
  return contains_slowly(text, needle, 0);
}

#endif

}  // namespace

bool contains_folded(std::string_view text, std::string_view needle) {
  if (needle.empty()) return true;
  // Folding leaves ASCII where it is and makes none of other letters.
  if (is_ascii(needle)) return contains_ascii(text, needle);
  return fold_case(text).find(needle) != std::string::npos;
}

size_t find_folded(std::string_view text, std::string_view needle, size_t from) {
  if (needle.empty()) return from <= text.size() ? from : std::string_view::npos;
  if (skip_to(text, needle, from)) return from;
  return text.find(needle, from);
}

}  // namespace iii::directory
