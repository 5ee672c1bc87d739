// Documents of every origin as the functions of the earlier versions show them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "directory/library/library.h"

namespace iii::directory {

struct LegacySkill {
  std::string id;  // as shown: of a file its display id, else the id it was registered under
  const content::Skill* row =
      nullptr;  // of a registration that a hidden file stands before: the file's
  const RegisteredDocument* registered = nullptr;  // null: a file
};
// Those that the view shows, by id.
std::vector<LegacySkill> skills_in(const View& view);

// The body of the file that `id` names exactly; nothing when there is none.
task::Task<Result<std::optional<std::string>>> file_text(Library& library, ViewOptions options,
                                                         std::string id);

}  // namespace iii::directory
