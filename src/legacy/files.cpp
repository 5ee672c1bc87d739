#include "legacy/files.h"

namespace iii::directory {

std::vector<FileSkill> file_skills(const View& view) {
  std::vector<FileSkill> out;
  for (const content::SkillPtr& skill : view.generation().skills) {
    if (view.shows(skill->id)) out.push_back({view.display(skill->id), skill.get()});
  }
  std::ranges::sort(out, {}, &FileSkill::id);
  return out;
}

}  // namespace iii::directory
