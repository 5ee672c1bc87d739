// What a caller may see of a generation: everything, or only the documents of installed workers
// (R50–R53).
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "content/types.h"

namespace iii::directory {

using NameSet = std::set<std::string, std::less<>>;
using NamesPtr = std::shared_ptr<const NameSet>;

class View {
 public:
  // `installed` null: no filter.
  View(content::GenerationPtr generation, NamesPtr installed)
      : generation_(std::move(generation)),
        installed_(std::move(installed)),
        has_registered_(!generation_->roots.empty() &&
                        generation_->roots.back().kind == content::RootKind::kRegistered) {}

  const content::Generation& generation() const { return *generation_; }

  // R52: root-level documents, `directory`, `iii`, and namespaces of installed
  // workers (also of one whose name breaks the rule for ids, so that its folder was renamed).
  // What was registered is always shown.
  bool shows(std::string_view id) const;
  // By exact on-disk id; null when absent or hidden.
  const content::Skill* find(std::string_view id) const;
  std::string display(std::string_view id) const { return content::display_id(*generation_, id); }
  // The title to show: the document's own, else its display id (R29).
  std::string title(const content::Skill& skill) const;
  // Whether any visible document is `name` or stands below `name/`; and how many stand there.
  size_t documents_of(std::string_view name) const;

 private:
  bool is_installed(std::string_view name) const;
  bool is_registered(std::string_view id) const;

  content::GenerationPtr generation_;
  NamesPtr installed_;
  bool has_registered_;
  mutable std::optional<NameSet> renamed_;  // normalised forms of names that are no ids
};

}  // namespace iii::directory
