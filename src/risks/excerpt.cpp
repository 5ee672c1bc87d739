#include "risks/excerpt.h"

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"
#include "risks/risk.h"

namespace iii::risks {

namespace {

constexpr size_t kBefore = 40;  // bytes shown in front of the place

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

std::string named(uint32_t point) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string hex;
  for (uint32_t rest = point; rest != 0 || hex.size() < 4; rest >>= 4U) {
    hex.insert(hex.begin(), kDigits[rest & 15U]);
  }
  return "<U+" + hex + ">";
}

bool is_hidden(uint32_t point) {
  return is_tag(point) || is_bidi(point) || is_zero_width(point) ||
         (is_selector(point) && point != 0xfe0f);
}

}  // namespace

Character character_at(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) -> uint32_t {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const uint32_t lead = byte(0);
  if (lead < 0x80U) return {lead, 1};
  const uint32_t length = lead >= 0xf0U ? 4 : lead >= 0xe0U ? 3 : 2;
  if (lead < 0xc2U || lead > 0xf4U) return {lead | kNotUtf8, 1};
  uint32_t point = lead & (0xffU >> (length + 1));
  for (uint32_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return {lead | kNotUtf8, 1};
    point = (point << 6U) | (byte(i) & 0x3fU);
  }
  return {point, length};
}

bool is_tag(uint32_t point) { return point >= 0xe0000 && point <= 0xe007f; }

bool is_bidi(uint32_t point) {
  return (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
}

bool is_zero_width(uint32_t point) {
  return (point >= 0x200b && point <= 0x200d) || (point >= 0x2060 && point <= 0x2064) ||
         point == 0xfeff || point == 0x180e || point == 0x034f || point == 0x115f ||
         point == 0x1160 || point == 0x3164 || point == 0xffa0;
}

bool is_selector(uint32_t point) {
  return (point >= 0xfe00 && point <= 0xfe0f) || (point >= 0xe0100 && point <= 0xe01ef);
}

std::string excerpt(std::string_view line, size_t at) {
  size_t from = at > kBefore ? at - kBefore : 0;
  while (from > 0 && from < line.size() && continues(line[from])) --from;
  std::string out = from > 0 ? "…" : "";
  constexpr size_t kRoom = kMaxExcerpt - 3;  // for the mark that something is left out
  for (size_t i = from; i < line.size();) {
    const Character c = character_at(line, i);
    const std::string shown =
        is_hidden(c.point) ? named(c.point) : printable(line.substr(i, c.length));
    if (out.size() + shown.size() > kRoom) {
      out += "…";
      break;
    }
    out += shown;
    i += c.length;
  }
  return std::string(trim(out));
}

uint32_t column_of(std::string_view line, size_t at) {
  uint32_t column = 1;
  const size_t end = std::min(at, line.size());
  for (size_t i = 0; i < end; ++i) column += continues(line[i]) ? 0 : 1;
  return column;
}

}  // namespace iii::risks
