#include "directory/content/kinds.h"

#include <algorithm>
#include <array>

#include "directory/content/ids.h"
#include "directory/content/space.h"
#include "foundation/base/text.h"

namespace iii::content {

namespace {

constexpr std::array<std::string_view, 10> kReadmes = {
    "readme", "agents",    "claude",       "gemini",   "license",
    "notice", "changelog", "contributing", "security", "code_of_conduct"};

std::string_view stem_of(std::string_view path) {
  const std::string_view name = file_name(path);
  return name.substr(0, name.rfind('.'));
}

// `.zh-CN`, `_ja`: what follows the stem of a translated README.
bool is_language(std::string_view text) {
  const size_t separator = text.find_first_of("._-");
  if (separator != 0) return false;
  text.remove_prefix(1);
  const size_t region = text.find_first_of("_-");
  const auto letters = [](std::string_view part, size_t most) {
    return part.size() >= 2 && part.size() <= most && std::ranges::all_of(part, is_letter);
  };
  if (region == std::string_view::npos) return letters(text, 2);
  return letters(text.substr(0, region), 2) && letters(text.substr(region + 1), 4);
}

bool is_overview(std::string_view path) {
  return is_skill_file(path) || iequals(stem_of(path), "index");
}

}  // namespace

bool is_skill_file(std::string_view path) {
  const OverviewName name = overview_name(file_name(path));
  return name == OverviewName::kExact || name == OverviewName::kSpelling;
}

bool is_readme_file(std::string_view path) {
  const std::string_view stem = stem_of(path);
  if (std::ranges::any_of(kReadmes, [stem](auto each) { return iequals(each, stem); })) return true;
  constexpr std::string_view kReadme = kReadmes.front();
  return iequals(stem.substr(0, kReadme.size()), kReadme) &&
         is_language(stem.substr(kReadme.size()));
}

OwnKind own_kind(std::string_view path, const ParsedDocument& parsed) {
  if (parsed.type || parsed.function_id) return {};
  if (is_readme_file(path)) return {.kind = SkillKind::kReadme};
  if (is_overview(path) || parsed.description || parsed.name) return {};
  return {.by_folder = true};
}

}  // namespace iii::content
