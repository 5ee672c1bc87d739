// White space as the documents' rules mean it: Unicode's, not only ASCII's.
#pragma once

#include <string_view>

namespace iii::content {

// How many bytes of white space stand at the very start or end of `text` as one character; 0: none.
size_t leading_space(std::string_view text);
size_t trailing_space(std::string_view text);

std::string_view trim_start(std::string_view text);
std::string_view trim_space(std::string_view text);

// ASCII only.
inline bool is_blank_char(char c) { return c == ' ' || c == '\t' || c == '\r'; }
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

inline constexpr std::string_view kBom = "\xef\xbb\xbf";

// The next line of `text` from `at` on, without its LF or CRLF; `at` moves behind it. A lone CR
// ends no line.
std::string_view next_line(std::string_view text, size_t& at);

}  // namespace iii::content
