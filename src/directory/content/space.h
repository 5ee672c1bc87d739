// White space, letters and lines as the documents' rules mean them.
#pragma once

#include <string_view>

#include "foundation/base/white_space.h"  // IWYU pragma: export

namespace iii::content {

// ASCII only.
inline bool is_blank_char(char c) { return c == ' ' || c == '\t' || c == '\r'; }
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

inline constexpr std::string_view kBom = "\xef\xbb\xbf";

// The next line of `text` from `at` on, without its LF or CRLF; `at` moves behind it. A lone CR
// ends no line.
inline std::string_view next_line(std::string_view text, size_t& at) {
  const size_t end = text.find('\n', at);
  std::string_view line = text.substr(at, end == std::string_view::npos ? end : end - at);
  at = end == std::string_view::npos ? text.size() : end + 1;
  if (end != std::string_view::npos && line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace iii::content
