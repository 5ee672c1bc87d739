#include "foundation/base/white_space.h"

#include "foundation/base/utf8_character.h"

namespace iii {

namespace {

bool is_white_space(char32_t point) {
  return point == ' ' || (point >= '\t' && point <= '\r') || point == 0x85 || point == 0xa0 ||
         point == 0x1680 || (point >= 0x2000 && point <= 0x200a) || point == 0x2028 ||
         point == 0x2029 || point == 0x202f || point == 0x205f || point == 0x3000;
}

}  // namespace

std::string_view trim_start(std::string_view text) {
  while (!text.empty()) {
    const Utf8Character first = first_character(text);
    if (first.length == 0 || !is_white_space(first.point)) break;
    text.remove_prefix(first.length);
  }
  return text;
}

std::string_view trim_space(std::string_view text) {
  text = trim_start(text);
  while (!text.empty()) {
    size_t at = text.size() - 1;
    while (at > 0 && is_continuation(text[at])) --at;
    const Utf8Character last = first_character(text.substr(at));
    if (last.length != text.size() - at || !is_white_space(last.point)) break;
    text.remove_suffix(last.length);
  }
  return text;
}

}  // namespace iii
