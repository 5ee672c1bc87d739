// How many letters have to be inserted, removed or replaced to make one text of another.
// Bit-parallel (Myers, Hyyrö): 64 letters of the pattern at a step.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace iii::directory {

// One text that is compared with many. Letter case does not matter.
class EditDistance {
 public:
  explicit EditDistance(std::string_view pattern);
  size_t to(std::string_view text) const;

  // The same for several texts, which takes much less than one after the other: the processor
  // works on all of them at a time.
  static constexpr size_t kTogether = 4;
  std::array<size_t, kTogether> to(const std::array<std::string_view, kTogether>& texts) const;

 private:
  // The state of 64 letters: where the next is one more, and where one less, than the one before.
  struct Word {
    uint64_t up = ~uint64_t{0};
    uint64_t down = 0;
  };
  static int step(Word& word, uint64_t equal, uint64_t top, int carry);

  size_t length_;
  size_t words_;
  std::vector<uint64_t> equal_;  // by letter and word: where the pattern has this letter
  mutable std::vector<Word> state_;
};

}  // namespace iii::directory
