#include "functions/view.h"

#include <algorithm>

#include "content/ids.h"

namespace iii::functions {

bool View::shows(std::string_view id) const {
  if (installed_ == nullptr) return true;
  const size_t slash = id.find('/');
  if (slash == std::string_view::npos) return true;
  const std::string_view top = id.substr(0, slash);
  if (top == "directory" || top == "iii" || installed_->contains(top)) return true;
  return has_odd_names() && is_in_folder_of_installed(id);
}

bool View::has_odd_names() const {
  if (!odd_names_) {
    odd_names_ = std::ranges::any_of(
        *installed_, [](const std::string& name) { return !content::check_name(name); });
  }
  return *odd_names_;
}

bool View::is_in_folder_of_installed(std::string_view id) const {
  const content::Skill* skill = generation_->skill(id);
  if (skill == nullptr) return false;
  const std::string_view path = skill->file.path;
  return installed_->contains(path.substr(0, path.find('/')));
}

const content::Skill* View::find(std::string_view id) const {
  const content::Skill* skill = generation_->skill(id);
  return skill != nullptr && shows(id) ? skill : nullptr;
}

std::string View::title(const content::Skill& skill) const {
  return skill.title.empty() ? display(skill.id) : skill.title;
}

size_t View::documents_of(std::string_view name) const {
  size_t count = find(name) != nullptr ? 1 : 0;
  const auto [first, last] = generation_->prefix_range(std::string(name) + "/");
  for (size_t i = first; i < last; ++i) count += shows(generation_->skills[i]->id) ? 1 : 0;
  return count;
}

}  // namespace iii::functions
