// The beginning of a text, cut between two characters.
#pragma once

#include <cstddef>
#include <string_view>

namespace iii {

// At most `bytes` bytes of UTF-8. (utf8_prefix in text.h counts characters.)
constexpr std::string_view utf8_head(std::string_view text, size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0U) == 0x80U) --bytes;
  return text.substr(0, bytes);
}

}  // namespace iii
