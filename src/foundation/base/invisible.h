// Characters that a reader does not see, or that change the order of others. The one definition:
// risks report them, terminals and logs show them by number (printable() in utf8.h).
#pragma once

#include <cstdint>

namespace iii {

// ASCII that is not shown at all (U+E0000 to U+E007F).
constexpr bool is_tag(uint32_t point) { return point >= 0xe0000 && point <= 0xe007f; }

// Embeddings, overrides and isolates of the direction of text.
constexpr bool is_bidi(uint32_t point) {
  return (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
}

// A possible break, and what joins or separates letters and pictures.
constexpr bool is_joiner(uint32_t point) { return point >= 0x200b && point <= 0x200d; }

constexpr bool is_zero_width(uint32_t point) {
  return is_joiner(point) || (point >= 0x2060 && point <= 0x2064) || point == 0xfeff ||
         point == 0x180e || point == 0x034f || point == 0x115f || point == 0x1160 ||
         point == 0x3164 || point == 0xffa0;
}

constexpr bool is_selector(uint32_t point) {
  return (point >= 0xfe00 && point <= 0xfe0f) || (point >= 0xe0100 && point <= 0xe01ef);
}

// All of these, and the rarer ones: soft hyphen, marks of direction, line separators, format
// characters that are deprecated, annotations, and the rest of the plane of tags.
constexpr bool is_invisible(uint32_t point) {
  return is_bidi(point) || is_zero_width(point) || is_selector(point) || point == 0xad ||
         point == 0x61c || point == 0x200e || point == 0x200f || point == 0x2028 ||
         point == 0x2029 || (point >= 0x2065 && point <= 0x206f) ||
         (point >= 0xfff9 && point <= 0xfffb) || (point >= 0xe0000 && point <= 0xe0fff);
}

// Behind a character that they change, joiners and selectors are ordinary text: emoji, and scripts
// that join letters. Several of them in a row, or behind nothing, can hide a text.
constexpr bool belongs_to(uint32_t before, uint32_t point) {
  if (is_selector(point)) return before > ' ' && !is_invisible(before);
  return is_joiner(point) && (is_selector(before) || (before > 0xa0 && !is_invisible(before)));
}

}  // namespace iii
