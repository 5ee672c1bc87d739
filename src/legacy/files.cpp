#include "legacy/files.h"

#include <utility>

namespace iii::directory {

sdk::Task<View> visible_files(content::Content& content, Installed& installed) {
  content::GenerationPtr generation = content.fresh();
  NamesPtr names;
  if (!generation->skills.empty()) {
    names = co_await installed.for_filter(false);
  }
  co_return View(std::move(generation), std::move(names));
}

std::vector<FileSkill> file_skills(const View& view) {
  std::vector<FileSkill> out;
  for (const content::SkillPtr& skill : view.generation().skills) {
    if (view.shows(skill->id)) out.push_back({view.display(skill->id), skill.get()});
  }
  std::ranges::sort(out, {}, &FileSkill::id);
  return out;
}

}  // namespace iii::directory
