#include "directory/content/frontmatter_split.h"

#include <algorithm>

#include "directory/content/frontmatter_recover.h"
#include "directory/content/frontmatter_yaml.h"
#include "directory/content/space.h"
#include "foundation/base/text.h"

namespace iii::content {

namespace {

constexpr size_t kNone = std::string_view::npos;

bool is_key_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

// `line` is `mark` and blanks after it.
bool is_fence(std::string_view line, std::string_view mark) {
  return line.starts_with(mark) && std::ranges::all_of(line.substr(mark.size()), is_blank_char);
}

// Skips lines of nothing but blanks.
size_t skip_blank_lines(std::string_view bytes, size_t from) {
  size_t at = from;
  for (size_t i = from; i < bytes.size(); ++i) {
    if (bytes[i] == '\n') {
      at = i + 1;
    } else if (!is_blank_char(bytes[i])) {
      break;
    }
  }
  return at;
}

// Skips blank lines and HTML comments that have their lines for themselves.
size_t skip_comments(std::string_view bytes, size_t from) {
  size_t at = skip_blank_lines(bytes, from);
  while (bytes.substr(at).starts_with("<!--")) {
    const size_t length = bytes.substr(at, kMaxFrontmatter).find("-->", 4);
    if (length == kNone) break;
    size_t next = at + length + 3;
    if (!trim_space(next_line(bytes, next)).empty()) break;
    at = skip_blank_lines(bytes, next);
  }
  return at;
}

bool is_indented(std::string_view line) { return line.starts_with(' ') || line.starts_with('\t'); }

// Finds the end of a block without a closing fence: it goes as far as lines look like it.
class UnclosedBlock {
 public:
  // Goes no further than `limit`.
  UnclosedBlock(std::string_view bytes, size_t limit) : bytes_(bytes), limit_(limit) {}

  size_t end(size_t begin) {
    size_t at = begin;
    while (at < bytes_.size()) {
      const size_t line_begin = at;
      const std::string_view line = next_line(bytes_, at);
      if (at > limit_) return line_begin;
      if (trim_space(line).empty()) {
        if (!goes_on_after(at)) return line_begin;
        continue;
      }
      const bool continues = line_begin > begin && (is_indented(line) || line.starts_with("- "));
      if (continues) continue;
      const auto key = key_of(line);
      if (!key || key->glued) return line_begin;
      const std::string_view value = trim(line.substr(key->colon + 1));
      open_value_ = value.empty() || value.front() == '|' || value.front() == '>';
    }
    return at;
  }

 private:
  // Whether the block continues behind blank lines: with the text of a key that has none on its own
  // line (a YAML block has blank lines between paragraphs), or with lines that lead to another key
  // this program reads.
  bool goes_on_after(size_t at) {
    if (at <= key_ahead_) return true;
    const size_t next = skip_blank_lines(bytes_, at);
    size_t end = next;
    if (is_indented(next_line(bytes_, end)) && open_value_) return true;
    for (end = next; end < bytes_.size();) {
      const size_t begin = end;
      const std::string_view line = next_line(bytes_, end);
      if (end > limit_) return false;
      if (trim_space(line).empty() || (is_indented(line) && begin > next)) continue;
      const auto key = key_of(line);
      if (!key || key->glued) return false;
      if (interest_in(key->key) == YamlInterest::kValue) {
        key_ahead_ = begin;
        return true;
      }
    }
    return false;
  }

  std::string_view bytes_;
  size_t limit_;
  bool open_value_ = false;  // the last key has its text on the lines that follow
  size_t key_ahead_ = 0;     // the lines up to this one are known to belong to the block
};

void end_at(LenientFences& out, size_t end) {
  out.closing = LenientFences::Closing::kUnclosed;
  out.empty = false;
  out.fences.yaml_end = out.fences.body = end;
  out.closing_line = {end, end};
}

}  // namespace

std::optional<Fences> strict_fences(std::string_view bytes) {
  const size_t begin = bytes.starts_with("---\n") ? 4 : bytes.starts_with("---\r\n") ? 5 : 0;
  if (begin == 0) return std::nullopt;
  for (const std::string_view fence : {"\n---\n", "\n---\r\n"}) {
    const size_t at = bytes.find(fence, begin);
    if (at != kNone) return Fences{begin, at, at + fence.size()};
  }
  for (const std::string_view fence : {"\n---", "\n---\r"}) {
    if (bytes.substr(begin).ends_with(fence)) {
      return Fences{begin, bytes.size() - fence.size(), bytes.size()};
    }
  }
  return std::nullopt;
}

std::optional<KeyOfLine> key_of(std::string_view line) {
  const bool quoted = line.starts_with('"') || line.starts_with('\'');
  const size_t begin = quoted ? 1 : 0;
  size_t at = begin;
  while (at < line.size() && is_key_char(line[at])) ++at;
  const std::string_view key = line.substr(begin, at - begin);
  if (key.empty() || (quoted && !line.substr(at++).starts_with(line.front()))) return std::nullopt;
  at = line.find_first_not_of(" \t", std::min(at, line.size()));
  if (at == kNone || line[at] != ':') return std::nullopt;
  return KeyOfLine{key, at, at + 1 < line.size() && !is_blank_char(line[at + 1])};
}

bool looks_like_key(std::string_view line) {
  const auto key = key_of(line);
  return key && !key->glued;
}

std::optional<LenientFences> lenient_fences(std::string_view bytes) {
  LenientFences out;
  size_t at = 0;
  if (bytes.starts_with(kBom)) {
    out.bom = true;
    at = kBom.size();
  }
  const size_t opening = skip_comments(bytes, at);
  const bool comments = opening > skip_blank_lines(bytes, at);
  (comments ? out.comments : out.blank_lines) = {at, opening};
  at = opening;
  std::string_view line = next_line(bytes, at);
  if (!is_fence(line, "---") || at == opening + line.size()) return std::nullopt;
  out.opening_blanks = {opening + 3, opening + line.size()};
  out.fences.yaml_begin = at;

  const size_t limit = std::min(bytes.size(), at + kMaxFrontmatter);
  while (at < limit) {
    const size_t begin = at;
    line = next_line(bytes, at);
    const bool dashes = is_fence(line, "---");
    if (!dashes && !is_fence(line, "...")) continue;
    out.closing = dashes ? LenientFences::Closing::kDashes : LenientFences::Closing::kDots;
    out.empty = begin == out.fences.yaml_begin;
    out.fences.yaml_end = out.empty ? begin : begin - 1;
    out.fences.body = at;
    out.closing_line = {begin, begin + line.size()};
    return out;
  }
  end_at(out, UnclosedBlock(bytes, limit).end(out.fences.yaml_begin));
  return out;
}

std::optional<LenientFences> unclosed_fences(std::string_view bytes, const LenientFences& found) {
  const std::string_view text = bytes.substr(0, found.fences.yaml_end);
  const size_t end = UnclosedBlock(text, text.size()).end(found.fences.yaml_begin);
  size_t at = end;
  const std::string_view first = next_line(text, at);
  if (!trim_space(first).empty() && !first.starts_with('#')) return std::nullopt;
  bool prose = false;
  for (at = end; at < text.size();) {
    const std::string_view line = next_line(text, at);
    if (looks_like_key(line)) return std::nullopt;
    prose = prose || !(trim_space(line).empty() || line.starts_with('#'));
  }
  if (!prose) return std::nullopt;
  LenientFences out = found;
  end_at(out, end);
  return out;
}

}  // namespace iii::content
