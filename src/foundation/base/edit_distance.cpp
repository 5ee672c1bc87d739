#include "foundation/base/edit_distance.h"

#include <algorithm>

#include "foundation/base/text.h"

namespace iii {

namespace {

constexpr size_t kLetters = 256;

}  // namespace

EditDistance::EditDistance(std::string_view pattern, Swap swap)
    : length_(std::min(pattern.size(), kMaxPattern)),
      words_((length_ + kBits - 1) / kBits),
      swap_(swap),
      equal_(kLetters * words_) {
  const std::string lower = ascii_lower(pattern.substr(0, length_));
  for (size_t i = 0; i < lower.size(); ++i) {
    const auto letter = static_cast<unsigned char>(lower[i]);
    const uint64_t bit = uint64_t{1} << (i % kBits);
    equal_[letter * words_ + i / kBits] |= bit;
    if (letter >= 'a' && letter <= 'z') equal_[(letter - 32U) * words_ + i / kBits] |= bit;
  }
}

// One letter of the text against 64 of the pattern. `carry` is the difference that comes in from
// the letters before them; returned is the one that goes out at `top`.
int EditDistance::step(Word& word, uint64_t equal, uint64_t swapped, uint64_t top, int carry) {
  equal |= carry < 0 ? 1U : 0U;
  const uint64_t kept = (((equal & word.up) + word.up) ^ word.up) | equal | word.down | swapped;
  uint64_t more = word.down | ~(kept | word.up);
  uint64_t less = word.up & kept;
  const int out = (more & top) != 0 ? 1 : (less & top) != 0 ? -1 : 0;
  more = (more << 1U) | (carry > 0 ? 1U : 0U);
  less = (less << 1U) | (carry < 0 ? 1U : 0U);
  word.up = less | ~(kept | more);
  word.down = more & kept;
  word.kept = kept;
  return out;
}

std::array<uint64_t, EditDistance::kMaxPattern / EditDistance::kBits> EditDistance::swaps(
    const Words& words, const uint64_t* past, const uint64_t* now) const {
  std::array<uint64_t, kMaxPattern / kBits> out{};
  uint64_t carry = 0;
  for (size_t i = 0; i < words_; ++i) {
    const uint64_t lost = ~words[i].kept & now[i];
    out[i] = ((lost << 1U) | carry) & past[i];
    carry = lost >> (kBits - 1);
  }
  return out;
}

size_t EditDistance::to(std::string_view text) const {
  if (words_ == 0) return text.size();
  Words words{};
  const uint64_t last = uint64_t{1} << ((length_ - 1) % kBits);
  auto distance = static_cast<std::ptrdiff_t>(length_);
  const uint64_t* past = nullptr;
  for (const char c : text) {
    const uint64_t* const equal = &equal_[static_cast<unsigned char>(c) * words_];
    std::array<uint64_t, kMaxPattern / kBits> swapped{};
    if (swap_ == Swap::kOne && past != nullptr) swapped = swaps(words, past, equal);
    int carry = 1;
    for (size_t i = 0; i + 1 < words_; ++i) {
      carry = step(words[i], equal[i], swapped[i], uint64_t{1} << (kBits - 1), carry);
    }
    distance += step(words[words_ - 1], equal[words_ - 1], swapped[words_ - 1], last, carry);
    past = equal;
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
      const int difference = step(words[i], equal, 0, top, 1);
      distances[i] += inside ? difference : 0;
    }
  }
  for (size_t i = 0; i < kTogether; ++i) out[i] = static_cast<size_t>(distances[i]);
  return out;
}

}  // namespace iii
