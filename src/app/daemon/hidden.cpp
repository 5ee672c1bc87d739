#include "app/daemon/hidden.h"

namespace iii::daemon {

directory::NameSet hidden_workers(const directory::View& view) {
  directory::NameSet out;
  for (const content::SkillPtr& skill : view.generation().skills) {
    if (!view.shows(skill->id)) out.insert(skill->id.substr(0, skill->id.find('/')));
  }
  return out;
}

std::string some_of(const directory::NameSet& names) {
  constexpr size_t kMost = 5;
  std::string out;
  size_t count = 0;
  for (const std::string& name : names) {
    if (++count > kMost) return out + ", and " + std::to_string(names.size() - kMost) + " more";
    out += (out.empty() ? "" : ", ") + name;
  }
  return out;
}

}  // namespace iii::daemon
