// The vector of a text: the sum of the vectors of its words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "directory/search/word_vectors.h"
#include "directory/search/words.h"

namespace iii::search {

class TextVector {
 public:
  void add(const WordVectors& table, WordVectors::Row row, float weight);
  void clear() { sum_.fill(0); }
  // The direction in 8 or 16 bits per number: sum / |sum| is about values · scale. False, and all
  // zero, when there is none.
  template <typename T>
  bool quantise(std::array<T, kDims>& values, float& scale) const;
  double length() const;

 private:
  std::array<float, kDims> sum_{};
};

// A split token in lower case whose whole is in the table (`mp3`) is that one word, otherwise its
// parts. `row_of(word)` gives the row of a word as it is, `form_of(word)` also of its simpler
// forms; `use` gets the rows.
template <typename RowOf, typename FormOf, typename Use>
void for_each_row(const Token& token, RowOf&& row_of, FormOf&& form_of, Use&& use) {
  if (token.parts.empty()) {
    if (const auto row = form_of(token.whole)) use(*row);
    return;
  }
  if (token.parts.size() > 1) {
    if (const auto row = row_of(token.whole)) {
      use(*row);
      return;
    }
  }
  for (const std::string_view part : token.parts) {
    if (const auto row = form_of(part)) use(*row);
  }
}

// The vector of one text in which each row counts once.
TextVector text_vector(std::string_view text);

}  // namespace iii::search
