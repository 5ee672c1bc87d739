// The part of a text that shows best why it was found.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "directory/search/find.h"

namespace iii::search {

inline constexpr size_t kSnippetCharacters = 200;

struct Snippet {
  struct Range {
    size_t begin = 0;  // bytes of `text`
    size_t end = 0;

    bool operator==(const Range&) const = default;
  };
  std::string text;  // one line: white space is one space; `…` where something was left out
  std::vector<Range> highlights;
};

// The window of at most `characters` characters with the most of the stems (`Match::found`), the
// first of several; the beginning of the text when it has none. Only the first 64 KiB are read.
Snippet snippet(std::string_view text, std::span<const Match> matches,
                size_t characters = kSnippetCharacters);

}  // namespace iii::search
