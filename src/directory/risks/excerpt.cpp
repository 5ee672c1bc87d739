#include "directory/risks/excerpt.h"

#include <algorithm>

#include "directory/risks/risk.h"
#include "foundation/base/invisible.h"
#include "foundation/base/text.h"
#include "foundation/base/utf8.h"

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

std::string excerpt(std::string_view line, size_t at) {
  size_t from = at > kBefore ? at - kBefore : 0;
  while (from > 0 && from < line.size() && continues(line[from])) --from;
  std::string out = from > 0 ? "…" : "";
  constexpr size_t kRoom = kMaxExcerpt - 3;  // for the mark that something is left out
  uint32_t before = 0;                       // 0: nothing that is shown as it is
  for (size_t i = from; i < line.size();) {
    const Character c = character_at(line, i);
    const std::string_view bytes = line.substr(i, c.length);
    const bool hidden = is_invisible(c.point) && !belongs_to(before, c.point);
    const bool kept = is_invisible(c.point) && !hidden && is_utf8(bytes);
    const std::string shown = hidden ? named(c.point)
                              : kept ? std::string(bytes)
                                     : printable(bytes);
    before = shown == bytes ? c.point : 0;
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
