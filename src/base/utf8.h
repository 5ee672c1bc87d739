// Telling UTF-8 text from other bytes.
#pragma once

#include <string>
#include <string_view>

namespace iii {

// Well-formed by RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view bytes);

// For names of files that may be anything: bytes that are not UTF-8, and control characters, come
// out as
// `\xNN`. Text without them is unchanged.
std::string printable(std::string_view bytes);

}  // namespace iii
