// How many letters have to be inserted, removed or replaced to make one text of another.
// Bit-parallel (Myers, Hyyrö): 64 letters of the pattern at a step.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "foundation/base/text.h"

namespace iii {

// One text that is compared with many. Letter case does not matter.
class EditDistance {
 public:
  // Only so much of a pattern is compared, so the time for a letter of a text is bounded.
  static constexpr size_t kMaxPattern = kMaxSuggestedFor;
  // Whether two neighbours in the wrong order are one difference, or two.
  enum class Swap : uint8_t { kTwo, kOne };

  explicit EditDistance(std::string_view pattern, Swap swap = Swap::kTwo);
  size_t to(std::string_view text) const;

  // The same for several texts, which takes much less than one after the other: the processor
  // works on all of them at a time. Swaps count two.
  static constexpr size_t kTogether = 4;
  std::array<size_t, kTogether> to(const std::array<std::string_view, kTogether>& texts) const;

 private:
  static constexpr size_t kBits = 64;
  // The state of 64 letters: where the next is one more, and where one less, than the one before;
  // where the letter was equal or nothing was lost (of the letter of the text before this one).
  struct Word {
    uint64_t up = ~uint64_t{0};
    uint64_t down = 0;
    uint64_t kept = 0;
  };
  using Words = std::array<Word, kMaxPattern / kBits>;

  static int step(Word& word, uint64_t equal, uint64_t swapped, uint64_t top, int carry);
  // Where the letter `now` of the text and the one before it, `past`, stand in the pattern in the
  // other order: a bit for each letter of each word.
  std::array<uint64_t, kMaxPattern / kBits> swaps(const Words& words, const uint64_t* past,
                                                  const uint64_t* now) const;

  size_t length_;
  size_t words_;
  Swap swap_;
  std::vector<uint64_t> equal_;  // by letter and word: where the pattern has this letter
};

}  // namespace iii
