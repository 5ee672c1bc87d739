#include "functions/edit_distance.h"

#include <algorithm>

#include "base/text.h"

namespace iii::directory {

namespace {

constexpr size_t kBits = 64;
constexpr size_t kLetters = 256;

}  // namespace

EditDistance::EditDistance(std::string_view pattern)
    : length_(pattern.size()),
      words_((pattern.size() + kBits - 1) / kBits),
      equal_(kLetters * words_),
      state_(words_) {
  const std::string lower = ascii_lower(pattern);
  for (size_t i = 0; i < lower.size(); ++i) {
    const auto letter = static_cast<unsigned char>(lower[i]);
    const uint64_t bit = uint64_t{1} << (i % kBits);
    equal_[letter * words_ + i / kBits] |= bit;
    if (letter >= 'a' && letter <= 'z') equal_[(letter - 32U) * words_ + i / kBits] |= bit;
  }
}

// One letter of the text against 64 of the pattern. `carry` is the difference that comes in from
// the letters before them; returned is the one that goes out at `top`.
int EditDistance::step(Word& word, uint64_t equal, uint64_t top, int carry) {
  const uint64_t vertical = equal | word.down;
  equal |= carry < 0 ? 1U : 0U;
  const uint64_t horizontal = (((equal & word.up) + word.up) ^ word.up) | equal;
  uint64_t more = word.down | ~(horizontal | word.up);
  uint64_t less = word.up & horizontal;
  const int out = (more & top) != 0 ? 1 : (less & top) != 0 ? -1 : 0;
  more = (more << 1U) | (carry > 0 ? 1U : 0U);
  less = (less << 1U) | (carry < 0 ? 1U : 0U);
  word.up = less | ~(vertical | more);
  word.down = more & vertical;
  return out;
}

size_t EditDistance::to(std::string_view text) const {
  if (words_ == 0) return text.size();
  state_.assign(words_, {});
  const uint64_t last = uint64_t{1} << ((length_ - 1) % kBits);
  auto distance = static_cast<std::ptrdiff_t>(length_);
  for (const char c : text) {
    const uint64_t* const equal = &equal_[static_cast<unsigned char>(c) * words_];
    int carry = 1;
    for (size_t i = 0; i + 1 < words_; ++i) {
      carry = step(state_[i], equal[i], uint64_t{1} << (kBits - 1), carry);
    }
    distance += step(state_[words_ - 1], equal[words_ - 1], last, carry);
  }
  return static_cast<size_t>(distance);
}

std::array<size_t, EditDistance::kTogether> EditDistance::to(
    const std::array<std::string_view, kTogether>& texts) const {
  std::array<size_t, kTogether> out{};
  if (words_ != 1) {
    for (size_t i = 0; i < kTogether; ++i) out[i] = to(texts[i]);
    return out;
  }
  const uint64_t top = uint64_t{1} << (length_ - 1);
  std::array<Word, kTogether> words;
  std::array<int, kTogether> distances;
  distances.fill(static_cast<int>(length_));
  size_t longest = 0;
  for (const std::string_view text : texts) longest = std::max(longest, text.size());
  for (size_t at = 0; at < longest; ++at) {
    for (size_t i = 0; i < kTogether; ++i) {
      const bool inside = at < texts[i].size();
      const uint64_t equal = inside ? equal_[static_cast<unsigned char>(texts[i][at])] : 0;
      const int difference = step(words[i], equal, top, 1);
      distances[i] += inside ? difference : 0;
    }
  }
  for (size_t i = 0; i < kTogether; ++i) out[i] = static_cast<size_t>(distances[i]);
  return out;
}

}  // namespace iii::directory
