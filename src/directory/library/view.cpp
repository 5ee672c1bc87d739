#include "directory/library/view.h"

#include "directory/content/ids.h"
#include "directory/library/merger.h"

namespace iii::directory {

bool View::shows(std::string_view id) const {
  if (installed_ == nullptr) return true;
  const size_t slash = id.find('/');
  if (slash == std::string_view::npos) return true;
  const std::string_view top = id.substr(0, slash);
  if (top == "directory" || top == "iii" || is_installed(top)) return true;
  return has_registered_ && is_registered(id);
}

// Its worker is or was on this bus, installed or not.
bool View::is_registered(std::string_view id) const {
  const content::Skill* skill = generation_->skill(id);
  return skill != nullptr && content::is_registered(*generation_, skill->file);
}

bool View::is_installed(std::string_view name) const {
  if (installed_->contains(name)) return true;
  if (!renamed_) {
    renamed_.emplace();
    for (const std::string& each : *installed_) {
      if (!content::check_name(each)) renamed_->insert(content::normalise_name(each));
    }
  }
  return renamed_->contains(name);
}

const content::Skill* View::find(std::string_view id) const {
  const content::Skill* skill = generation_->skill(id);
  return skill != nullptr && shows(id) ? skill : nullptr;
}

DocumentState View::state(const DocumentRow& row) const {
  const bool hidden = row.skill != nullptr && row.state != DocumentState::kMissing &&
                      installed_ != nullptr && !shows(row.skill->id);
  return hidden ? DocumentState::kFiltered : row.state;
}

Counts View::total() const {
  Counts out;
  for (const Counts& root : counts()) out += root;
  return out;
}

Counts View::total_on_disk() const {
  const std::vector<Counts> roots = counts();
  Counts out;
  for (size_t i = 0; i < roots.size(); ++i) {
    if (is_on_disk(generation_->roots[i].kind)) out += roots[i];
  }
  return out;
}

View View::unfiltered() const {
  View out = *this;
  out.installed_.reset();
  return out;
}

const RegisteredDocument* View::registration(const content::FileRef& file) const {
  if (!content::is_registered(*generation_, file)) return nullptr;
  return find_registered(*snapshot_->registrations, file);
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

}  // namespace iii::directory
