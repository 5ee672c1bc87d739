#include "base/utf8.h"

#include <cstdint>
#include <cstring>

namespace iii {

namespace {

// Length of the character at the front, 0 when it is malformed. `bytes` is not empty.
size_t character_length(std::string_view bytes) {
  const auto at = [&](size_t i) -> unsigned {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U;
  };
  const auto continues = [&](size_t i) { return (at(i) & 0xc0U) == 0x80U; };
  const unsigned lead = at(0);
  if (lead < 0x80U) return 1;
  if (lead < 0xc2U) return 0;
  if (lead < 0xe0U) return continues(1) ? 2 : 0;
  if (lead < 0xf0U) {
    // RFC 3629 section 4: the second byte's range keeps overlong forms and surrogates out.
    if (lead == 0xe0U && at(1) < 0xa0U) return 0;
    if (lead == 0xedU && at(1) > 0x9fU) return 0;
    return continues(1) && continues(2) ? 3 : 0;
  }
  if (lead > 0xf4U) return 0;
  if (lead == 0xf0U && at(1) < 0x90U) return 0;
  if (lead == 0xf4U && at(1) > 0x8fU) return 0;
  return continues(1) && continues(2) && continues(3) ? 4 : 0;
}

}  // namespace

bool is_utf8(std::string_view bytes) {
  constexpr uint64_t kHighBits = 0x8080808080808080;
  while (!bytes.empty()) {
    // Most text is ASCII: eight bytes at a step.
    while (bytes.size() >= 8) {
      uint64_t word = 0;
      std::memcpy(&word, bytes.data(), 8);
      if ((word & kHighBits) != 0) break;
      bytes.remove_prefix(8);
    }
    if (bytes.empty()) break;
    const size_t length = character_length(bytes);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

std::string printable(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const size_t length = character_length(bytes);
    const auto first = static_cast<unsigned char>(bytes[0]);
    if (length == 0 || first < 0x20 || first == 0x7f) {
      out += "\\x";
      out += kDigits[first >> 4U];
      out += kDigits[first & 15U];
      bytes.remove_prefix(1);
    } else {
      out += bytes.substr(0, length);
      bytes.remove_prefix(length);
    }
  }
  return out;
}

}  // namespace iii
