// A line as the commands that feed one another.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "directory/risks/tokens.h"

namespace iii::risks {

inline constexpr size_t kNoToken = SIZE_MAX;

// The tokens between two operators.
struct Segment {
  size_t begin = 0;
  size_t end = 0;
  bool starts = true;          // begins a statement: nothing before it feeds it
  bool piped = false;          // reads what the segment before it writes
  bool run = false;            // what it writes is run: bash <(…), sh -c "$(…)", eval `…`
  size_t command = kNoToken;   // its first word that is not sudo, an assignment or the like
  size_t argument = kNoToken;  // the word after that
};

// Linear in the tokens.
std::vector<Segment> segments_of(const std::vector<Token>& tokens);

// `bash` of `/usr/bin/bash` and `bash.exe`.
std::string_view program(std::string_view word);
bool is_shell(std::string_view program);
bool is_downloader(std::string_view program);
// Whether a segment runs what it reads from its standard input.
bool runs_input(const std::vector<Token>& tokens, const Segment& segment);
// Whether a segment sends data: curl with a body, nc, an HTTP client of a language.
bool sends(const std::vector<Token>& tokens, const Segment& segment);

}  // namespace iii::risks
