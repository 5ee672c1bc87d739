// Where frontmatter begins and ends: by the rules R20–R22, and as messy files mean it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace iii::content {

// Byte offsets into the file.
struct Fences {
  size_t yaml_begin = 0;
  size_t yaml_end = 0;  // before the line end that precedes the closing fence
  size_t body = 0;
};

// R20–R22, nothing else.
std::optional<Fences> strict_fences(std::string_view bytes);

struct Range {
  size_t begin = 0;
  size_t end = 0;
  bool empty() const { return begin == end; }
};

// A block found by looking kindly. What had to be overlooked is in the ranges.
struct LenientFences {
  enum class Closing {
    kDashes,
    kDots,      // `...`, the end of a YAML document
    kUnclosed,  // the block ends where no `key: value` line follows
  };
  Fences fences;
  Closing closing = Closing::kDashes;
  bool bom = false;
  Range blank_lines;     // before the opening fence
  Range comments;        // HTML comments before it, with the blank lines around them
  Range opening_blanks;  // after its dashes
  Range closing_line;    // the closing fence without its line end
  bool empty = false;    // the closing fence follows the opening one directly
};

std::optional<LenientFences> lenient_fences(std::string_view bytes);

// The same block taken to be without a closing fence: it ends at an empty line or a heading that
// follows its keys. Nothing when the lines after it still speak of frontmatter, or when nothing
// follows before `found` ends.
std::optional<LenientFences> unclosed_fences(std::string_view bytes, const LenientFences& found);

// The key of a line that is meant as `key: value`.
struct KeyOfLine {
  std::string_view key;  // without quotes
  size_t colon = 0;
  bool glued = false;  // no space after the colon: it may be anything (`http://…`, `a::b`)
};
std::optional<KeyOfLine> key_of(std::string_view line);
// A line that can only be meant as `key: value`, a comment line excluded.
bool looks_like_key(std::string_view line);

}  // namespace iii::content
