// The difference of two texts, line by line, in the unified format.
#pragma once

#include <string>
#include <string_view>

namespace iii::sources {

struct TextDiff {
  std::string text;      // hunks, each with its `@@` line; empty: the texts are equal
  bool complete = true;  // false: cut off, or the texts differ too much to be compared line by line
};

struct TextDiffLimits {
  size_t max_lines = 20'000;  // of each text
  size_t max_edits = 1'000;   // beyond this everything is said to be replaced
  size_t max_bytes = 64 * 1024;
  size_t context = 3;
};

// Pure. Time and memory are bounded by the limits (Myers' greedy algorithm).
TextDiff diff_text(std::string_view before, std::string_view after,
                   const TextDiffLimits& limits = {});

}  // namespace iii::sources
