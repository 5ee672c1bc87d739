#include "directory/legacy/skill_text.h"

#include "foundation/base/text.h"

namespace iii::directory {

namespace {

// Bytes of the white space character that `text` begins with; 0: none.
size_t space_at(std::string_view text) {
  if (text.empty()) return 0;
  const char c = text.front();
  if (c == ' ' || (c >= '\t' && c <= '\r')) return 1;
  for (const std::string_view space :
       {"\u0085", "\u00a0", "\u1680", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"}) {
    if (text.starts_with(space)) return space.size();
  }
  const bool general = text.size() >= 3 && text.starts_with("\xe2\x80") &&
                       static_cast<unsigned char>(text[2]) >= 0x80 &&
                       static_cast<unsigned char>(text[2]) <= 0x8a;  // U+2000 to U+200A
  return general ? 3 : 0;
}

std::string_view trim_start(std::string_view text) {
  while (const size_t bytes = space_at(text)) text.remove_prefix(bytes);
  return text;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines = split(text, '\n');
  for (std::string_view& line : lines) {
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
  return lines;
}

}  // namespace

std::string_view trim_unicode(std::string_view text) {
  text = trim_start(text);
  while (!text.empty()) {
    size_t start = text.size() - 1;
    while (start > 0 && (static_cast<unsigned char>(text[start]) & 0xc0) == 0x80) --start;
    if (space_at(text.substr(start)) == 0) break;
    text.remove_suffix(text.size() - start);
  }
  return text;
}

std::optional<std::string> heading_of(std::string_view skill) {
  for (const std::string_view line : lines_of(skill)) {
    const std::string_view text = trim_start(line);
    if (text.starts_with("# ")) return std::string(trim_unicode(text.substr(2)));
  }
  return std::nullopt;
}

std::string paragraph_of(std::string_view skill) {
  std::string out;
  for (const std::string_view line : lines_of(skill)) {
    const std::string_view text = trim_unicode(line);
    if (text.empty() || text.starts_with('#')) {
      if (!out.empty()) break;
      continue;
    }
    if (!out.empty()) out += ' ';
    out += text;
  }
  return cut_text(out, kMaxDescription);
}

std::string cut_text(std::string_view text, size_t count) {
  if (utf8_length(text) <= count) return std::string(text);
  return std::string(utf8_prefix(text, count)) + "...";
}

std::string index_line(const LegacyDocument& document) {
  std::string out = "- [`" + document.id + "`](iii://" + document.id + ") — " +
                    (document.title.empty() ? document.id : document.title);
  if (!document.description.empty()) out += " — " + document.description;
  return out + '\n';
}

std::string index_page(const std::vector<LegacyDocument>& documents, std::string_view problem) {
  const std::string trouble =
      problem.empty()
          ? ""
          : "_What workers registered could not be read: " + std::string(problem) + "_\n";
  if (documents.empty() && !trouble.empty()) return "# Skills\n\n" + trouble;
  std::string out =
      "# Skills\n\nEach entry says when a worker's functions are of use: read it before you call "
      "them.\n\n";
  if (documents.empty()) out += "_There are no skills yet._\n";
  for (const LegacyDocument& each : documents) out += index_line(each);
  if (!trouble.empty()) out += '\n' + trouble;
  return out;
}

}  // namespace iii::directory
