#include "directory/library/document_paths.h"

#include <algorithm>
#include <utility>

#include "directory/content/kinds.h"
#include "foundation/base/text.h"

namespace iii::directory {

namespace {

constexpr std::string_view kDocumentSuffixes[] = {".md", ".markdown"};

bool ends_with_ignoring_case(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && iequals(text.substr(text.size() - end.size()), end);
}

}  // namespace

std::string_view folder_of(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string_view without_suffix(std::string_view path) {
  for (const std::string_view suffix : kDocumentSuffixes) {
    if (ends_with_ignoring_case(path, suffix)) return path.substr(0, path.size() - suffix.size());
  }
  return path;
}

bool is_document_path(std::string_view path) { return without_suffix(path).size() != path.size(); }

bool is_overview_file(std::string_view name) {
  const std::string_view stem = without_suffix(name);
  return content::is_skill_file(name) || iequals(stem, "index");
}

std::string_view unusual_path(const content::Skill& skill) {
  if (skill.version.inode == 0) return {};  // not a file
  const std::string_view path = skill.file.path;
  const std::string_view stem = without_suffix(path);
  if (stem == skill.id || path == skill.id) return {};
  const std::string_view folder = folder_of(path);
  const bool overview = is_overview_file(file_name(path)) && skill.id.ends_with("index");
  if (overview && folder == folder_of(skill.id)) return {};
  return overview ? folder : stem;
}

std::optional<std::string> join_relative(std::string_view folder, std::string_view path) {
  std::vector<std::string_view> parts;
  if (!folder.empty()) parts = split(folder, '/');
  for (const std::string_view part : split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (parts.empty()) {
      return std::nullopt;
    } else {
      parts.pop_back();
    }
  }
  std::string out;
  for (const std::string_view part : parts) out.append(out.empty() ? "" : "/").append(part);
  return out;
}

std::vector<std::string> link_targets(std::string_view base, std::string_view link) {
  const std::string plain = percent_decode(link.substr(0, link.find('#')));
  std::vector<std::string> out;
  if (plain.empty()) out.emplace_back(base);
  const bool dotted = link.starts_with("./") || link.starts_with("../");
  std::string_view folder = link.starts_with('/') ? std::string_view() : folder_of(base);
  for (;;) {
    for (const std::string_view each : {link, std::string_view(plain)}) {
      std::optional<std::string> target = join_relative(folder, each);
      const bool known = !target || target->empty() || std::ranges::find(out, *target) != out.end();
      if (!known) out.push_back(std::move(*target));
    }
    if (dotted || folder.empty()) return out;
    folder = folder_of(folder);
  }
}

}  // namespace iii::directory
