// A part of a line that can be shown: nothing in it acts on a terminal or stays invisible.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace iii::risks {

// The character at `at`: its code point and length; a byte that is not UTF-8 is one character of
// its own value plus kNotUtf8.
struct Character {
  uint32_t point = 0;
  uint32_t length = 1;
};
inline constexpr uint32_t kNotUtf8 = 0x80000000U;
Character character_at(std::string_view text, size_t at);

// What stands around `at`, at most kMaxExcerpt bytes; hidden characters appear as `<U+200B>`.
std::string excerpt(std::string_view line, size_t at);

// Number of the character that begins at or contains `at`, from 1.
uint32_t column_of(std::string_view line, size_t at);

}  // namespace iii::risks
