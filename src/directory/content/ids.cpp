#include "directory/content/ids.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "foundation/base/text.h"

namespace iii::content {

namespace {

// U+00C0 to U+017F without their accents, one word per letter.
constexpr std::string_view kLatin =
    "a a a a a a ae c e e e e i i i i d n o o o o o - o u u u u y th ss "
    "a a a a a a ae c e e e e i i i i d n o o o o o - o u u u u y th y "
    "a a a a a a c c c c c c c c d d d d e e e e e e e e e e g g g g "
    "g g g g h h h h i i i i i i i i i i ij ij j j k k k l l l l l l l "
    "l l l n n n n n n n n n o o o o o o oe oe r r r r r r s s s s s s "
    "s s t t t t t t u u u u u u u u u u u u w w y y y z z z z z z s";
constexpr uint32_t kFirstLatin = 0xc0;
constexpr uint32_t kLastLatin = 0x17f;

constexpr auto kLatinWords = [] {
  std::array<std::string_view, kLastLatin - kFirstLatin + 1> words;
  size_t at = 0;
  for (std::string_view& word : words) {
    const size_t end = kLatin.find(' ', at);
    word = kLatin.substr(at, end == std::string_view::npos ? end : end - at);
    at = end + 1;
  }
  return words;
}();

bool is_legal(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

bool all_legal(std::string_view text) { return std::ranges::all_of(text, is_legal); }

bool is_legal_segment(std::string_view segment) {
  return !segment.empty() && segment.size() <= kMaxSegment && all_legal(segment);
}

std::string segment_problem(std::string_view segment) {
  if (segment.empty()) return "a segment must be non-empty";
  if (segment.size() > kMaxSegment) {
    return fmt::format("the segment is too long ({} bytes; max {})", segment.size(), kMaxSegment);
  }
  return fmt::format("only lowercase ASCII letters, digits, '-' and '_' are allowed, not {}",
                     quoted(segment));
}

// Six characters that stand for a text. FNV-1a: the same on every machine and in every version,
// which a suffix seen by callers has to be.
std::string stable_hash(std::string_view text) {
  constexpr std::string_view kDigits = "abcdefghijklmnopqrstuvwxyz234567";
  constexpr size_t kLength = 6;
  uint64_t hash = 14'695'981'039'346'656'037U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211U;
  hash ^= hash >> 32U;
  std::string out;
  for (; out.size() < kLength; hash >>= 5U) out += kDigits[hash & 31U];
  return out;
}

// A code point of two bytes at the start of `text`, else 0.
uint32_t two_byte_point(std::string_view text) {
  if (text.size() < 2) return 0;
  const auto lead = static_cast<unsigned char>(text[0]);
  const auto next = static_cast<unsigned char>(text[1]);
  if (lead < 0xc2 || lead > 0xdf || (next & 0xc0) != 0x80) return 0;
  return static_cast<uint32_t>((lead & 0x1f) << 6 | (next & 0x3f));
}

// What one character of a file name becomes, how many bytes it took, and whether anything of it is
// lost.
struct Letter {
  std::string_view text;
  size_t length = 1;
  bool lost = false;
};

Letter legal_letter(std::string_view text) {
  static constexpr std::string_view kLower = "abcdefghijklmnopqrstuvwxyz";
  const char c = text.front();
  if (c >= 'A' && c <= 'Z') return {.text = kLower.substr(static_cast<size_t>(c - 'A'), 1)};
  if (is_legal(c)) return {.text = text.substr(0, 1)};
  // `/` occurs in names of prompts only.
  if (c == ' ' || c == '\t' || c == '.' || c == '/') return {.text = "-"};
  const uint32_t point = two_byte_point(text);
  if (point >= kFirstLatin && point <= kLastLatin) {
    const std::string_view word = kLatinWords[point - kFirstLatin];
    return {.text = word, .length = 2, .lost = word == "-"};
  }
  // Accents written as characters of their own, as macOS stores them.
  if (point >= 0x300 && point <= 0x36f) return {.text = "", .length = 2};
  return {.text = "-", .lost = true};
}

std::string with_hash(std::string_view stem, std::string_view original) {
  const std::string suffix = "-" + stable_hash(original);
  std::string out(stem.substr(0, kMaxSegment - suffix.size()));
  while (out.ends_with('-')) out.pop_back();
  return (out.empty() ? "doc" : out) + suffix;
}

// `always`: with the hash even if nothing is lost.
std::string normalise_segment(std::string_view segment, bool always) {
  if (is_legal_segment(segment)) return std::string(segment);
  std::string out;
  bool lost = always;
  for (std::string_view rest = segment; !rest.empty();) {
    const Letter letter = legal_letter(rest);
    lost = lost || letter.lost;
    if (letter.text != "-") {
      out += letter.text;
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
    rest.remove_prefix(letter.length);
  }
  while (out.ends_with('-')) out.pop_back();
  lost = lost || out.empty() || out.size() > kMaxSegment;
  return lost ? with_hash(out, segment) : out;
}

// An id beyond the limit keeps its beginning and its last segment; a hash stands for the middle.
std::string shorten(const std::vector<std::string>& segments, std::string_view whole) {
  const std::string tail = "/" + stable_hash(whole) + "/" + segments.back();
  std::string out = segments.front();
  for (size_t i = 1; i + 1 < segments.size(); ++i) {
    if (out.size() + 1 + segments[i].size() + tail.size() > kMaxId) break;
    out += "/" + segments[i];
  }
  return out + tail;
}

std::string normalise(std::string_view id, bool always) {
  std::vector<std::string> segments;
  size_t total = 0;
  for (const std::string_view segment : split(id, '/')) {
    segments.push_back(normalise_segment(segment, always));
    total += segments.back().size() + 1;
  }
  if (total - 1 > kMaxId) return shorten(segments, id);
  return join(segments, "/");
}

std::string_view folder_with_slash(std::string_view relative) {
  return relative.substr(0, relative.size() - file_name(relative).size());
}

// Names that are one letter away from `skill.md` and mean something else.
bool is_ordinary_word(std::string_view name) {
  constexpr std::array<std::string_view, 8> kWords = {"skills.md", "skills.markdown", "kill.md",
                                                      "still.md",  "spill.md",        "skull.md",
                                                      "shill.md",  "swill.md"};
  return std::ranges::find(kWords, name) != kWords.end();
}

// Suffixes of a text that its author took for Markdown: `mdx`, `md.txt`, `md~`, `txt`.
bool is_like_markdown(std::string_view suffix) {
  return suffix.starts_with("md") || suffix.starts_with("markdown") || suffix == "txt" ||
         suffix == "text" || suffix == "mkd";
}

// Equal but for one letter that is missing, added or another one.
bool one_edit_apart(std::string_view a, std::string_view b) {
  const auto [left, right] = std::ranges::mismatch(a, b);
  const std::string_view rest_a(left, a.end()), rest_b(right, b.end());
  if (rest_a.empty() || rest_b.empty()) return rest_a.size() + rest_b.size() == 1;
  return rest_a.substr(1) == rest_b || rest_a == rest_b.substr(1) ||
         rest_a.substr(1) == rest_b.substr(1);
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : echoed(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\u{:04x}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

bool is_prompt_path(std::string_view relative) {
  return std::ranges::any_of(split(relative, '/'), [](auto part) { return part == "prompts"; });
}

OverviewName overview_name(std::string_view name) {
  constexpr size_t kShortest = 5, kLongest = 24;  // of all that could be meant
  if (name == "SKILL.md" || name == "SKILLS.md") return OverviewName::kExact;
  if (name.size() < kShortest || name.size() > kLongest) return OverviewName::kNone;
  if (is_ordinary_word(name)) return OverviewName::kNone;
  const std::string lower = ascii_lower(name);
  const std::string_view whole = lower;
  const size_t dot = whole.find('.');
  if (dot == std::string_view::npos) {
    return name == "SKILL" || whole == "skillmd" ? OverviewName::kNear : OverviewName::kNone;
  }
  const std::string_view stem = whole.substr(0, dot), suffix = whole.substr(dot + 1);
  if ((stem == "skill" || stem == "skills") && (suffix == "md" || suffix == "markdown")) {
    return OverviewName::kSpelling;
  }
  const bool near = (trim(stem) == "skill" && is_like_markdown(trim(suffix))) ||
                    one_edit_apart(whole, "skill.md");
  return near ? OverviewName::kNear : OverviewName::kNone;
}

std::string derive_id(std::string_view relative) {
  const std::string_view name = file_name(relative);
  std::string id(folder_with_slash(relative));
  if (overview_name(name) == OverviewName::kExact) {
    id += "index";
  } else {
    id += name.ends_with(".md") ? name.substr(0, name.size() - 3) : name;
  }
  for (char& c : id) {
    if (c == '\\') c = '/';
  }
  return id;
}

std::string path_id(std::string_view relative) {
  if (overview_name(file_name(relative)) != OverviewName::kSpelling) return derive_id(relative);
  return derive_id(std::string(folder_with_slash(relative)) + "SKILL.md");
}

Result<void> check_id(std::string_view id) {
  if (id.empty()) return fail("invalid_input", "the id must be non-empty");
  if (id.front() == '/' || id.back() == '/') {
    return fail("invalid_input",
                fmt::format("an id neither begins nor ends with '/': {}", quoted(id)));
  }
  if (id.size() > kMaxId) {
    return fail("invalid_input",
                fmt::format("the id is too long ({} bytes; max {})", id.size(), kMaxId));
  }
  size_t number = 0;
  for (const std::string_view segment : split(id, '/')) {
    ++number;
    if (is_legal_segment(segment)) continue;
    return fail("invalid_input", fmt::format("invalid id (segment {} of {}): {}", number,
                                             quoted(id), segment_problem(segment)));
  }
  return {};
}

std::string id_problem(std::string_view id) {
  for (const std::string_view segment : split(id, '/')) {
    if (!is_legal_segment(segment)) return segment_problem(segment);
  }
  return id.size() > kMaxId ? fmt::format("it is too long ({} bytes; max {})", id.size(), kMaxId)
                            : "";
}

Result<void> check_name(std::string_view name) {
  if (name.empty()) return fail("invalid_input", "the name must be non-empty");
  if (name.size() > kMaxSegment) {
    return fail("invalid_input",
                fmt::format("the name is too long ({} bytes; max {})", name.size(), kMaxSegment));
  }
  if (!all_legal(name)) {
    return fail("invalid_input",
                fmt::format("a name has only lowercase ASCII letters, digits, '-' and '_', not {}",
                            quoted(name)));
  }
  return {};
}

std::string normalise_id(std::string_view id) { return normalise(id, false); }
std::string normalise_name(std::string_view name) { return normalise_segment(name, false); }

std::string alternate_id(std::string_view relative) { return normalise(path_id(relative), true); }

std::string second_overview_id(std::string_view relative) {
  return normalise(relative.substr(0, relative.rfind('.')), true);
}

std::string alternate_name(std::string_view name, std::string_view relative) {
  return with_hash(name, relative);
}

}  // namespace iii::content
