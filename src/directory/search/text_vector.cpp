#include "directory/search/text_vector.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace iii::search {

void TextVector::add(const WordVectors& table, WordVectors::Row row, float weight) {
  const float factor = weight * table.scale(row);
  const auto values = table.values(row);
  for (size_t i = 0; i < kDims; ++i) sum_[i] += factor * static_cast<float>(values[i]);
}

double TextVector::length() const {
  double sum = 0;
  for (const float value : sum_) sum += double{value} * value;
  return std::sqrt(sum);
}

template <typename T>
bool TextVector::quantise(std::array<T, kDims>& values, float& scale) const {
  values.fill(0);
  scale = 0;
  const double norm = length();
  float peak = 0;
  for (const float value : sum_) peak = std::max(peak, std::abs(value));
  if (!(norm > 0) || !std::isfinite(norm)) return false;
  const double factor = double{std::numeric_limits<T>::max()} / peak;
  for (size_t i = 0; i < kDims; ++i) values[i] = static_cast<T>(std::lround(sum_[i] * factor));
  scale = static_cast<float>(1 / (factor * norm));
  return true;
}

template bool TextVector::quantise(std::array<int8_t, kDims>& values, float& scale) const;
template bool TextVector::quantise(std::array<int16_t, kDims>& values, float& scale) const;

TextVector text_vector(std::string_view text) {
  const WordVectors& table = WordVectors::standard();
  TextVector vector;
  std::vector<WordVectors::Row> rows;
  Tokenizer tokenizer;
  tokenizer.start(text);
  const auto row_of = [&](std::string_view word) {
    return is_stop_word(word) ? std::nullopt : table.find(word);
  };
  const auto form_of = [&](std::string_view word) {
    return is_stop_word(word) ? std::nullopt : table.find_form(word);
  };
  for (Token token; tokenizer.next(token);) {
    for_each_row(token, row_of, form_of, [&](WordVectors::Row row) { rows.push_back(row); });
  }
  std::ranges::sort(rows);
  rows.erase(std::ranges::unique(rows).begin(), rows.end());
  for (const WordVectors::Row row : rows) vector.add(table, row, 1);
  return vector;
}

}  // namespace iii::search
