// The first sentence of a description says what a thing is; it weighs more than the rest.
#pragma once

#include <string_view>

namespace iii::search {

inline constexpr size_t kSentenceCharacters = 160;

struct Sentences {
  std::string_view first;  // at most kSentenceCharacters, cut at a space
  std::string_view rest;
};

// A sentence ends at `.`, `?` or `!` followed by white space and a capital, digit, quote or
// bracket, or by nothing; at `。！？`; at an empty line.
Sentences split_sentences(std::string_view text);

}  // namespace iii::search
