#include "functions/find_text.h"

#if defined(__SSE2__)
#include <emmintrin.h>

#include <bit>
#include <cstring>
#endif

namespace iii::directory {

#if defined(__SSE2__)

namespace {

// Looks at 64 places at a time: first and last byte of the needle must stand where they belong.
class Finder {
 public:
  Finder(std::string_view text, std::string_view needle)
      : text_(text.data()),
        needle_(needle),
        first_(_mm_set1_epi8(needle.front())),
        last_(_mm_set1_epi8(needle.back())) {}

  static constexpr size_t kStep = 64;

  // Where a needle begins in the kStep places from `at` on, else npos. kStep bytes and a needle are
  // there.
  size_t look(size_t at) const {
    const __m128i marked[] = {marks(at), marks(at + 16), marks(at + 32), marks(at + 48)};
    const __m128i any =
        _mm_or_si128(_mm_or_si128(marked[0], marked[1]), _mm_or_si128(marked[2], marked[3]));
    if (_mm_movemask_epi8(any) == 0) return std::string_view::npos;
    for (const __m128i& each : marked) {
      auto bits = static_cast<unsigned>(_mm_movemask_epi8(each));
      for (; bits != 0; bits &= bits - 1) {
        const size_t place = at + static_cast<size_t>(std::countr_zero(bits));
        if (std::memcmp(text_ + place, needle_.data(), needle_.size()) == 0) return place;
      }
      at += 16;
    }
    return std::string_view::npos;
  }

 private:
  __m128i marks(size_t at) const {
    const auto load = [&](size_t place) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(text_ + place));
    };
    return _mm_and_si128(_mm_cmpeq_epi8(load(at), first_),
                         _mm_cmpeq_epi8(load(at + needle_.size() - 1), last_));
  }

  const char* text_;
  std::string_view needle_;
  __m128i first_;
  __m128i last_;
};

}  // namespace

size_t find_text(std::string_view text, std::string_view needle, size_t from) {
  const Finder finder(text, needle);
  for (; from + Finder::kStep + needle.size() <= text.size(); from += Finder::kStep) {
    const size_t found = finder.look(from);
    if (found != std::string_view::npos) return found;
  }
  return text.find(needle, from);
}

#else

size_t find_text(std::string_view text, std::string_view needle, size_t from) {
  return text.find(needle, from);
}

#endif

}  // namespace iii::directory
