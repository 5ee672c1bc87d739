#include "directory/risks/excerpt.h"

#include <fmt/format.h>

#include <algorithm>

#include "directory/risks/risk.h"
#include "foundation/base/invisible.h"
#include "foundation/base/text.h"
#include "foundation/base/utf8.h"
#include "foundation/base/utf8_character.h"

namespace iii::risks {

namespace {

constexpr size_t kBefore = 40;  // bytes shown in front of the place

}  // namespace

Character character_at(std::string_view text, size_t at) {
  if (at >= text.size()) return {};
  const auto [point, length] = first_character(text.substr(at));
  if (length == 0) return {.point = point | kNotUtf8, .length = 1};
  return {.point = point, .length = length};
}

std::string excerpt(std::string_view line, size_t at) {
  size_t from = at > kBefore ? at - kBefore : 0;
  while (from > 0 && from < line.size() && is_continuation(line[from])) --from;
  std::string out = from > 0 ? "…" : "";
  constexpr size_t kRoom = kMaxExcerpt - 3;  // for the mark that something is left out
  uint32_t before = 0;                       // 0: nothing that is shown as it is
  for (size_t i = from; i < line.size();) {
    const Character c = character_at(line, i);
    const std::string_view bytes = line.substr(i, c.length);
    const bool hidden = is_invisible(c.point) && !belongs_to(before, c.point);
    const bool kept = is_invisible(c.point) && !hidden && is_utf8(bytes);
    const std::string shown = hidden ? fmt::format("<U+{:04X}>", c.point)
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
  for (size_t i = 0; i < end; ++i) column += is_continuation(line[i]) ? 0 : 1;
  return column;
}

}  // namespace iii::risks
