// Characters of UTF-8 text, one by one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace iii {

struct Utf8Character {
  char32_t point = 0;  // of a malformed one: its first byte
  uint8_t length = 1;  // bytes; 0: no well-formed character begins here
};

// Not the first byte of a character.
inline bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
}

// The character at the front of `text`, which is not empty. Well-formed as is_utf8() says.
Utf8Character first_character(std::string_view text);

void append_utf8(std::string& text, char32_t point);

}  // namespace iii
