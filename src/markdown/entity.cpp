#include "markdown/entity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

namespace iii::markdown {

namespace {

// Names that people write, and those that could hide the scheme of an address.
constexpr auto kNames = std::to_array<std::pair<std::string_view, uint32_t>>({
    {"amp", '&'},      {"lt", '<'},       {"gt", '>'},       {"quot", '"'},      {"apos", '\''},
    {"nbsp", 0xa0},    {"copy", 0xa9},    {"reg", 0xae},     {"trade", 0x2122},  {"hellip", 0x2026},
    {"mdash", 0x2014}, {"ndash", 0x2013}, {"lsquo", 0x2018}, {"rsquo", 0x2019},  {"ldquo", 0x201c},
    {"rdquo", 0x201d}, {"laquo", 0xab},   {"raquo", 0xbb},   {"bull", 0x2022},   {"middot", 0xb7},
    {"deg", 0xb0},     {"plusmn", 0xb1},  {"times", 0xd7},   {"divide", 0xf7},   {"le", 0x2264},
    {"ge", 0x2265},    {"ne", 0x2260},    {"euro", 0x20ac},  {"pound", 0xa3},    {"sect", 0xa7},
    {"para", 0xb6},    {"larr", 0x2190},  {"uarr", 0x2191},  {"rarr", 0x2192},   {"darr", 0x2193},
    {"check", 0x2713}, {"shy", 0xad},     {"zwj", 0x200d},   {"zwnj", 0x200c},   {"lrm", 0x200e},
    {"rlm", 0x200f},   {"ensp", 0x2002},  {"emsp", 0x2003},  {"thinsp", 0x2009}, {"colon", ':'},
    {"Tab", '\t'},     {"NewLine", '\n'}, {"sol", '/'},      {"bsol", '\\'},     {"num", '#'},
    {"lpar", '('},     {"rpar", ')'},     {"lsqb", '['},     {"rsqb", ']'},      {"lbrack", '['},
    {"rbrack", ']'},   {"ast", '*'},      {"lowbar", '_'},   {"grave", '`'},     {"vert", '|'},
    {"excl", '!'},     {"quest", '?'},    {"comma", ','},    {"period", '.'},    {"semi", ';'},
    {"equals", '='},   {"percnt", '%'},   {"commat", '@'},   {"dollar", '$'},    {"plus", '+'},
    {"lcub", '{'},     {"rcub", '}'},
});
constexpr uint32_t kReplacement = 0xfffd;

std::string utf8_of(uint32_t point) {
  const bool surrogate = point >= 0xd800 && point <= 0xdfff;
  if (point == 0 || point > 0x10ffff || surrogate) point = kReplacement;
  const auto tail = [point](unsigned shift) {
    return static_cast<char>(0x80U | ((point >> shift) & 0x3fU));
  };
  if (point < 0x80) return {static_cast<char>(point)};
  if (point < 0x800) return {static_cast<char>(0xc0U | (point >> 6U)), tail(0)};
  if (point < 0x10000) return {static_cast<char>(0xe0U | (point >> 12U)), tail(6), tail(0)};
  return {static_cast<char>(0xf0U | (point >> 18U)), tail(12), tail(6), tail(0)};
}

std::string decode_number(std::string_view digits) {
  const bool hex = digits.starts_with('x') || digits.starts_with('X');
  if (hex) digits.remove_prefix(1);
  uint32_t point = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), point, hex ? 16 : 10);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  return utf8_of(whole ? point : kReplacement);
}

}  // namespace

std::string decode_entity(std::string_view entity) {
  if (entity.size() < 3 || !entity.starts_with('&') || !entity.ends_with(';')) {
    return std::string(entity);
  }
  const std::string_view name = entity.substr(1, entity.size() - 2);
  if (name.starts_with('#')) return decode_number(name.substr(1));
  const auto known = std::ranges::find(kNames, name, &decltype(kNames)::value_type::first);
  return known == kNames.end() ? std::string(entity) : utf8_of(known->second);
}

}  // namespace iii::markdown
