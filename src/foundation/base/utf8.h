// Telling UTF-8 text from other bytes.
#pragma once

#include <string>
#include <string_view>

namespace iii {

// Well-formed by RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view bytes);

// Text from outside (names of files, answers of a registry, values of a peer) as one line that a
// terminal or a log can show: bytes that are not UTF-8 and control characters come out as `\xNN`,
// DEL, C1 controls and invisible characters (base/invisible.h) as `\uNNNN`. A single joiner or
// selector behind the character that it changes stays. Other text is unchanged.
std::string printable(std::string_view bytes);
// The same, but newlines and tabs stay. JSON keeps its meaning.
std::string printable_lines(std::string_view bytes);

}  // namespace iii
