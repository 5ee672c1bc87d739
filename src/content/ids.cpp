#include "content/ids.h"

#include <array>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"

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

bool all_legal(std::string_view text) {
  for (const char c : text) {
    if (!is_legal(c)) return false;
  }
  return true;
}

bool is_legal_segment(std::string_view segment) {
  return !segment.empty() && segment.size() <= kMaxSegment && all_legal(segment);
}

// FNV-1a: the same on every machine and in every version, which a suffix seen by callers has to be.
std::string stable_hash(std::string_view text) {
  uint32_t hash = 2'166'136'261u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619u;
  return fmt::format("{:08x}", hash);
}

// A code point of two bytes at the start of `text`, else 0.
uint32_t two_byte_point(std::string_view text) {
  if (text.size() < 2) return 0;
  const auto lead = static_cast<unsigned char>(text[0]);
  const auto next = static_cast<unsigned char>(text[1]);
  if (lead < 0xc2 || lead > 0xdf || (next & 0xc0) != 0x80) return 0;
  return static_cast<uint32_t>((lead & 0x1f) << 6 | (next & 0x3f));
}

// What one character of a file name becomes, and how many bytes it took. `-` stands for "nothing
// like it".
std::pair<std::string, size_t> legal_letter(std::string_view text) {
  const char c = text.front();
  if (c >= 'A' && c <= 'Z') return {std::string(1, static_cast<char>(c + 32)), 1};
  if (is_legal(c)) return {std::string(1, c), 1};
  const uint32_t point = two_byte_point(text);
  if (point >= kFirstLatin && point <= kLastLatin) {
    return {std::string(kLatinWords[point - kFirstLatin]), 2};
  }
  // Accents written as characters of their own, as macOS stores them.
  if (point >= 0x300 && point <= 0x36f) return {"", 2};
  return {"-", 1};
}

std::string normalise_segment(std::string_view segment) {
  if (is_legal_segment(segment)) return std::string(segment);
  std::string out;
  for (std::string_view rest = segment; !rest.empty();) {
    const auto [letter, length] = legal_letter(rest);
    if (letter != "-") {
      out += letter;
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
    rest.remove_prefix(length);
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  if (out.empty()) return "doc-" + stable_hash(segment);
  if (out.size() <= kMaxSegment) return out;
  const std::string suffix = "-" + stable_hash(segment);
  return out.substr(0, kMaxSegment - suffix.size()) + suffix;
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

std::string_view file_name(std::string_view relative) {
  const size_t slash = relative.rfind('/');
  return slash == std::string_view::npos ? relative : relative.substr(slash + 1);
}

std::string_view folder_with_slash(std::string_view relative) {
  return relative.substr(0, relative.size() - file_name(relative).size());
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
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
  for (const std::string_view part : split(relative, '/')) {
    if (part == "prompts") return true;
  }
  return false;
}

std::string derive_id(std::string_view relative) {
  const std::string_view name = file_name(relative);
  std::string id(folder_with_slash(relative));
  if (name == "SKILL.md" || name == "SKILLS.md") {
    id += "index";
  } else {
    id += name.ends_with(".md") ? name.substr(0, name.size() - 3) : name;
  }
  for (char& c : id) {
    if (c == '\\') c = '/';
  }
  return id;
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
    std::string reason;
    if (segment.empty()) {
      reason = "a segment must be non-empty";
    } else if (segment.size() > kMaxSegment) {
      reason =
          fmt::format("the segment is too long ({} bytes; max {})", segment.size(), kMaxSegment);
    } else {
      reason = fmt::format("only lowercase ASCII letters, digits, '-' and '_' are allowed, not {}",
                           quoted(segment));
    }
    return fail("invalid_input",
                fmt::format("invalid id (segment {} of {}): {}", number, quoted(id), reason));
  }
  return {};
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

std::string normalise_id(std::string_view id) {
  std::vector<std::string> segments;
  size_t total = 0;
  for (const std::string_view segment : split(id, '/')) {
    segments.push_back(normalise_segment(segment));
    total += segments.back().size() + 1;
  }
  if (total - 1 > kMaxId) return shorten(segments, id);
  return join(segments, "/");
}

std::string normalise_name(std::string_view name) { return normalise_segment(name); }

std::optional<std::string> meant_overview(std::string_view relative) {
  const std::string_view name = file_name(relative);
  if (name == "SKILL.md" || name == "SKILLS.md" || name == "skill.md" || name == "skills.md") {
    return std::nullopt;
  }
  if (!name.ends_with(".md")) return std::nullopt;
  if (!iequals(name, "SKILL.md") && !iequals(name, "SKILLS.md")) return std::nullopt;
  return normalise_id(std::string(folder_with_slash(relative)) + "index");
}

}  // namespace iii::content
