#include "directory/content/frontmatter_description.h"

#include <algorithm>

#include "directory/content/space.h"
#include "foundation/base/text.h"

namespace iii::content {

namespace {

// Fewer words than this after the indicator (`| Use when`) describe nothing.
constexpr size_t kMinWords = 3;

bool is_blank_or_break(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool has_words(std::string_view text, size_t wanted) {
  size_t words = 0;
  bool inside = false;
  for (const char c : text) {
    const bool blank = is_blank_or_break(c);
    if (!blank && !inside && ++words == wanted) return true;
    inside = !blank;
  }
  return false;
}

}  // namespace

std::optional<Stub> stub_of(std::string_view value) {
  if (value.empty() || (value.front() != '|' && value.front() != '>')) return std::nullopt;
  size_t at = 1;
  if (at < value.size() && (value[at] == '-' || value[at] == '+')) ++at;
  if (at < value.size() && !is_blank_or_break(value[at])) return std::nullopt;
  const std::string_view text = trim_space(value.substr(at));
  // `> 90 % of cases` is a comparison, and `| a | b |` a row of a table.
  if (!text.empty() && value.front() == '>' && is_digit(text.front())) return std::nullopt;
  if (value.front() == '|' && text.ends_with('|')) return std::nullopt;
  const bool ellipsis = text.ends_with("...") || text.ends_with("…");
  return Stub{text, ellipsis || !has_words(text, kMinWords)};
}

std::optional<Stub> stub_of(std::string_view source, const YamlEntry& entry) {
  if (entry.kind != YamlEntry::Kind::kText) return std::nullopt;
  const std::string_view value = trim_space(entry.text);
  if (!value.empty()) return stub_of(value);
  const std::string_view written = source.substr(std::min(entry.value_begin, source.size()));
  const bool block = written.starts_with('|') || written.starts_with('>');
  return block ? std::optional(Stub{.cut_off = true}) : std::nullopt;
}

std::string_view comment_after(std::string_view source, const YamlEntry& entry) {
  if (!entry.bare || entry.value_end >= source.size()) return {};
  size_t at = entry.value_end;
  const std::string_view rest = next_line(source, at);
  const std::string_view comment = trim(rest);
  if (!comment.starts_with('#')) return {};
  return rest.substr(0, static_cast<size_t>(comment.data() - rest.data()) + comment.size());
}

std::string stub_message(const Stub& stub) {
  if (stub.cut_off) {
    return "The description consists of a YAML block indicator (`|` or `>`) with no or hardly any "
           "text. The first paragraph of the document is shown instead, if there is one; write a "
           "description.";
  }
  return "The description begins with a YAML block indicator (`|` or `>`), which belongs on a line "
         "of its own above the text. It was left out; remove it.";
}

std::string cut_message() {
  return "` #` begins a comment in YAML, so other programs read the description only up to there. "
         "Put it in quotes.";
}

}  // namespace iii::content
