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
std::string_view next_line(std::string_view text, size_t& at);

}  // namespace iii::content
