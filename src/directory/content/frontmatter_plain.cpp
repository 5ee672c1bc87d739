// The shortcut of frontmatter_yaml.h. It accepts little and only what cannot mean anything else in
// YAML; the fuzzer compares it with libyaml.
#include <algorithm>
#include <utility>

#include "directory/content/frontmatter_yaml.h"
#include "directory/content/space.h"

namespace iii::content {

namespace {

using Kind = YamlEntry::Kind;

constexpr size_t kMaxPlainKey = 128;

bool is_key_digit(char c) { return c >= '0' && c <= '9'; }

// Characters that mean themselves anywhere in a line: no controls, no breaks, no byte order mark.
bool is_text(std::string_view line) {
  for (size_t i = 0; i < line.size(); ++i) {
    const auto byte = static_cast<unsigned char>(line[i]);
    if (byte < 0x20 || byte == 0x7f || byte == 0xef) return false;
    if (byte == 0xc2 && (i + 1 == line.size() || static_cast<unsigned char>(line[i + 1]) < 0xa0)) {
      return false;
    }
    const std::string_view rest = line.substr(i, 3);
    if (byte == 0xe2 && (rest == "\u2028" || rest == "\u2029")) return false;
  }
  return true;
}

// A bare value: it begins with a letter or digit and has nothing in it that ends one.
bool is_bare(std::string_view value) {
  return (is_letter(value.front()) || is_key_digit(value.front())) && !value.ends_with(':') &&
         value.find(": ") == std::string_view::npos && value.find(" #") == std::string_view::npos;
}

// The inside of `"…"` or `'…'` when no escape can be in it.
std::optional<std::string_view> unquoted(std::string_view value) {
  const char quote = value.front();
  if ((quote != '"' && quote != '\'') || value.size() < 2 || value.back() != quote)
    return std::nullopt;
  const std::string_view inside = value.substr(1, value.size() - 2);
  if (inside.find(quote) != std::string_view::npos || inside.find('\\') != std::string_view::npos) {
    return std::nullopt;
  }
  return inside;
}

bool read_value(std::string_view value, YamlEntry& entry) {
  while (value.starts_with(' ')) value.remove_prefix(1);
  while (value.ends_with(' ')) value.remove_suffix(1);
  if (value.empty()) return true;
  if (const auto inside = unquoted(value)) {
    entry.kind = Kind::kText;
    entry.text = *inside;
    return true;
  }
  if (!is_bare(value)) return false;
  if (value == "null" || value == "Null" || value == "NULL") return true;
  entry.kind = Kind::kText;
  entry.text = value;
  return true;
}

void set_place(std::string_view text, std::string_view line, size_t after_colon, YamlEntry& entry) {
  const auto line_begin = static_cast<size_t>(line.data() - text.data());
  const size_t begin = line.find_first_not_of(' ', after_colon);
  entry.value_begin = line_begin + begin;
  entry.value_end = line_begin + line.find_last_not_of(' ') + 1;
  entry.bare = line[begin] != '"' && line[begin] != '\'';
}

}  // namespace

std::optional<YamlMapping> read_plain_yaml(std::string_view text, YamlWanted wanted) {
  YamlMapping mapping;
  uint32_t number = 0;
  for (size_t at = 0; at < text.size(); ++number) {
    std::string_view line = next_line(text, at);
    // The block's last line keeps the CR of a CRLF file (R21).
    if (at == text.size() && line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    size_t colon = 0;
    while (colon < line.size() && colon < kMaxPlainKey &&
           (is_letter(line[colon]) || is_key_digit(line[colon]) || line[colon] == '_' ||
            line[colon] == '-')) {
      ++colon;
    }
    if (colon == 0 || !is_letter(line.front()) || colon == line.size() || line[colon] != ':') {
      return std::nullopt;
    }
    if (colon + 1 < line.size() && line[colon + 1] != ' ') return std::nullopt;
    if (!is_text(line)) return std::nullopt;
    YamlEntry entry;
    if (!read_value(line.substr(colon + 1), entry)) return std::nullopt;
    mapping.any_key = true;
    entry.line = number;
    entry.key = line.substr(0, colon);
    const YamlInterest interest = wanted(entry.key);
    if (interest == YamlInterest::kNone) continue;
    auto& list = interest == YamlInterest::kValue ? mapping.entries : mapping.present;
    const bool again = std::ranges::any_of(mapping.entries,
                                           [&](const YamlEntry& e) { return e.key == entry.key; });
    if (interest == YamlInterest::kPresence || again) {
      entry.kind = Kind::kNull;
      entry.text.clear();
    } else if (entry.kind == Kind::kText) {
      set_place(text, line, colon + 1, entry);
    }
    if (list.size() < kMaxYamlEntries) list.push_back(std::move(entry));
  }
  return mapping;
}

}  // namespace iii::content
