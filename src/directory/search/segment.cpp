#include "directory/search/segment.h"

#include <algorithm>
#include <ranges>

#include "directory/search/postings.h"
#include "foundation/base/check.h"

namespace iii::search {

namespace {

template <typename T>
size_t size_of(const std::vector<T>& values) {
  return values.size() * sizeof(T);
}

}  // namespace

void Texts::add(std::string_view text) {
  bytes_ += text;
  III_CHECK(bytes_.size() <= UINT32_MAX);
  ends_.push_back(static_cast<uint32_t>(bytes_.size()));
}

uint32_t Texts::lower_bound(std::string_view text) const {
  const auto numbers = std::views::iota(0U, size());
  const auto found =
      std::ranges::lower_bound(numbers, text, {}, [&](uint32_t number) { return (*this)[number]; });
  return static_cast<uint32_t>(found - numbers.begin());
}

std::optional<uint32_t> Texts::find(std::string_view text) const {
  const uint32_t at = lower_bound(text);
  if (at == size() || (*this)[at] != text) return std::nullopt;
  return at;
}

float FieldLengths::mean(size_t field) const {
  if (words.at(field) == 0) return 1;
  return static_cast<float>(static_cast<double>(words.at(field)) / documents);
}

FieldLengths FieldLengths::operator+(const FieldLengths& other) const {
  FieldLengths sum = *this;
  for (size_t field = 0; field < kMaxFields; ++field) sum.words.at(field) += other.words.at(field);
  sum.documents += other.documents;
  return sum;
}

size_t Segment::bytes() const {
  return keys.bytes() + size_of(copy_of) + size_of(qualities) + size_of(vectors) + size_of(scales) +
         size_of(by_key) + size_of(by_copy) + terms.bytes() + lists.bytes() + surface.bytes() +
         size_of(surface_terms) + size_of(trigrams) + trigram_words.bytes();
}

std::optional<DocumentNumber> Segment::find_key(std::string_view key) const {
  const auto key_of = [&](DocumentNumber document) { return keys[document]; };
  const auto found = std::ranges::lower_bound(by_key, key, {}, key_of);
  if (found == by_key.end() || keys[*found] != key) return std::nullopt;
  return *found;
}

std::span<const DocumentNumber> Segment::copies(uint64_t copy) const {
  const auto range = std::ranges::equal_range(
      by_copy, copy, {}, [&](DocumentNumber document) { return copy_of[document]; });
  return {range.begin(), range.end()};
}

PostingLists Segment::postings(TermNumber term) const {
  return read_lists(reinterpret_cast<const uint8_t*>(lists[term].data()), bulk);
}

std::string_view Segment::words_with_trigram(uint32_t trigram) const {
  const auto found = std::ranges::lower_bound(trigrams, trigram);
  if (found == trigrams.end() || *found != trigram) return {};
  return trigram_words[static_cast<uint32_t>(found - trigrams.begin())];
}

void trigrams_of(std::string_view word, std::vector<uint32_t>& out) {
  out.clear();
  const auto at = [&](size_t i) -> uint32_t {
    if (i == 0) return '^';
    return i <= word.size() ? static_cast<unsigned char>(word[i - 1]) : '$';
  };
  for (size_t i = 0; i < word.size(); ++i) {
    out.push_back(at(i) << 16 | at(i + 1) << 8 | at(i + 2));
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
}

}  // namespace iii::search
