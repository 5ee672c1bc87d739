#include "foundation/base/utf8.h"

#include <cstdint>
#include <cstring>
#include <utility>

#include "foundation/base/invisible.h"
#include "foundation/base/utf8_character.h"

namespace iii {

namespace {

// 0 when it is malformed. `bytes` is not empty.
uint8_t length_of_first(std::string_view bytes) {
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

// Characters above the C0 controls that a terminal acts upon, or that make text look like other
// text.
bool is_escaped(uint32_t before, uint32_t point) {
  return (point >= 0x7f && point <= 0x9f) || (is_invisible(point) && !belongs_to(before, point));
}

void append_hex(std::string& out, std::string_view prefix, uint32_t number, unsigned digits) {
  constexpr char kDigits[] = "0123456789abcdef";
  out += prefix;
  while (digits > 0) out += kDigits[(number >> (4 * --digits)) & 15U];
}

// As in JSON, where it keeps its meaning: above U+FFFF two of them.
void append_escape(std::string& out, uint32_t point) {
  if (point <= 0xffff) return append_hex(out, "\\u", point, 4);
  append_hex(out, "\\u", 0xd800 + ((point - 0x10000) >> 10U), 4);
  append_hex(out, "\\u", 0xdc00 + (point & 0x3ffU), 4);
}

// Most text is ASCII without control characters: its length at the front.
size_t plain_length(std::string_view bytes) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  constexpr uint64_t kHighBits = 0x80 * kOnes;
  size_t length = 0;
  for (; bytes.size() - length >= 8; length += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + length, 8);
    // A high bit for a byte above 0x7f, below 0x20, or equal to 0x7f.
    if (((word | (word - 0x20 * kOnes) | (word + kOnes)) & kHighBits) != 0) break;
  }
  while (length < bytes.size() && bytes[length] >= 0x20 && bytes[length] < 0x7f) ++length;
  return length;
}

std::string escaped(std::string_view bytes, bool keep_lines) {
  std::string out;
  out.reserve(bytes.size());
  uint32_t before = 0;  // the character that was kept last; 0: none, or one was escaped since
  while (!bytes.empty()) {
    if (const size_t plain = plain_length(bytes); plain > 0) {
      out += bytes.substr(0, plain);
      before = static_cast<unsigned char>(out.back());
      bytes.remove_prefix(plain);
      continue;
    }
    const auto first = static_cast<unsigned char>(bytes[0]);
    const auto [point, length] = first_character(bytes);
    const bool kept = keep_lines && (first == '\n' || first == '\t');
    if (length == 0 || (first < 0x20 && !kept)) {
      append_hex(out, "\\x", first, 2);
      bytes.remove_prefix(1);
      before = 0;
      continue;
    }
    if (is_escaped(std::exchange(before, point), point)) {
      append_escape(out, point);
      before = 0;
    } else {
      out += bytes.substr(0, length);
    }
    bytes.remove_prefix(length);
  }
  return out;
}

}  // namespace

Utf8Character first_character(std::string_view text) {
  const uint8_t length = length_of_first(text);
  const auto at = [&](size_t i) -> char32_t { return static_cast<unsigned char>(text[i]); };
  if (length <= 1) return {.point = at(0), .length = length};
  char32_t point = at(0) & (0xffU >> (length + 1));
  for (size_t i = 1; i < length; ++i) point = (point << 6U) | (at(i) & 0x3fU);
  return {.point = point, .length = length};
}

void append_utf8(std::string& text, char32_t point) {
  const auto following = [&](unsigned shift) {
    text += static_cast<char>(0x80U | ((point >> shift) & 0x3fU));
  };
  if (point < 0x80) {
    text += static_cast<char>(point);
  } else if (point < 0x800) {
    text += static_cast<char>(0xc0U | (point >> 6U));
  } else if (point < 0x10000) {
    text += static_cast<char>(0xe0U | (point >> 12U));
    following(6);
  } else {
    text += static_cast<char>(0xf0U | (point >> 18U));
    following(12);
    following(6);
  }
  if (point >= 0x80) following(0);
}

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
    const uint8_t length = length_of_first(bytes);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

std::string printable(std::string_view bytes) { return escaped(bytes, false); }

std::string printable_lines(std::string_view bytes) { return escaped(bytes, true); }

}  // namespace iii
