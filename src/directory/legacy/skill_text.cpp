#include "directory/legacy/skill_text.h"

#include "foundation/base/text.h"
#include "foundation/base/white_space.h"

namespace iii::directory {

namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines = split(text, '\n');
  for (std::string_view& line : lines) {
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
  return lines;
}

}  // namespace

std::optional<std::string> heading_of(std::string_view skill) {
  for (const std::string_view line : lines_of(skill)) {
    const std::string_view text = trim_start(line);
    if (text.starts_with("# ")) return std::string(trim_space(text.substr(2)));
  }
  return std::nullopt;
}

std::string paragraph_of(std::string_view skill) {
  std::string out;
  for (const std::string_view line : lines_of(skill)) {
    const std::string_view text = trim_space(line);
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
