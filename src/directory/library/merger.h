// Merges files and registrations into one generation, so that whoever reads a generation reads
// both.
//
// A registered skill `mail` is the overview of `mail`: its on-disk id is `mail/index`, as that of
// `mail/SKILL.md` would be. Where there is a file (or a compiled-in page), that is served, and a
// finding says so. Without registrations the generations of the files go through as they are.
#pragma once

#include <map>

#include "directory/content/types.h"
#include "directory/library/registrations.h"

namespace iii::directory {

// A row stays the same object as long as its document is the same: that is how changes are found.
class GenerationMerger {
 public:
  content::GenerationPtr merge(const content::Generation& files, const Registrations& registrations,
                               uint64_t number, bool lenient);

 private:
  template <typename Row>
  struct Known {
    RegisteredPtr document;
    Row row;
  };
  template <typename Row>
  using Rows = std::map<std::string, Known<Row>, std::less<>>;  // by key
  class Run;

  Rows<content::SkillPtr> skills_;
  Rows<content::PromptPtr> prompts_;
  int64_t revision_ = 0;  // a new one for every new row
};

// The text of a registered document; null when `file` names none.
const RegisteredDocument* find_registered(const Registrations& registrations,
                                          const content::FileRef& file);

}  // namespace iii::directory
