#include "directory/discovery/bus_skill_links.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "directory/library/library.h"
#include "foundation/base/utf8.h"

namespace iii::directory {

namespace {

constexpr std::string_view kCode = "unknown_function";

std::string worker_of(std::string_view function_id) {
  return std::string(function_id.substr(0, function_id.find("::")));
}

}  // namespace

task::Task<std::vector<SkillFunction>> BusSkillLinks::of(const content::Skill& skill) {
  std::vector<std::string> names;
  if (skill.function_id) names.push_back(*skill.function_id);
  for (const std::string& id : skill.required_functions) {
    if (std::ranges::find(names, id) == names.end()) names.push_back(id);
  }
  std::vector<SkillFunction> out;
  if (names.empty()) co_return out;
  const FunctionCatalog::Ids now = co_await catalog_.ids();
  const std::vector<std::string> published = downloads_()->registry().known_names();
  for (std::string& id : names) {
    const bool callable = now.all->contains(id);
    const bool offered = std::ranges::find(published, worker_of(id)) != published.end();
    const std::string_view state = callable    ? "callable"
                                   : !now.live ? "unknown"
                                   : offered   ? "installable"
                                               : "missing";
    out.push_back({.function_id = std::move(id), .state = std::string(state)});
  }
  co_return out;
}

task::Task<std::vector<DoctorFinding>> BusSkillLinks::broken(const View& view) {
  std::vector<DoctorFinding> out;
  const FunctionCatalog::Ids now = co_await catalog_.ids();
  if (!now.live) co_return out;
  auto select = [ids = now.all](const View& all) {
    std::vector<content::SkillPtr> absent;
    for (const content::SkillPtr& skill : all.generation().skills) {
      if (skill->function_id && !ids->contains(*skill->function_id)) absent.push_back(skill);
    }
    return absent;
  };
  const std::vector<content::SkillPtr> absent = co_await library_.answer(view, std::move(select));
  for (const content::SkillPtr& skill : absent) {
    const std::string shown = view.display(skill->id);
    out.push_back(
        {.root = view.generation().roots[skill->file.root].label,
         .path = printable(skill->file.path),
         .severity = "info",
         .code = std::string(kCode),
         .message = "`function_id` names the function `" + printable(*skill->function_id) +
                    "`, which nobody offers at the moment. Start or install its worker, or "
                    "correct the id.",
         .served_as = shown});
  }
  co_return out;
}

}  // namespace iii::directory
