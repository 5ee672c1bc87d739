// From what a caller wrote to the document it means (directory-read §5). Pure: no I/O.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "functions/suggest.h"
#include "library/view.h"

namespace iii::directory {

// directory-read §5.1: trimmed, `iii://` and `.md` forms brought to an on-disk id, letter case
// forgiven.
Result<std::string> normalise_input(std::string_view input);

// The document, or null: exact id first, then its overview.
const content::Skill* look_up(const View& view, std::string_view id);

struct Resolution {
  const content::Skill* skill = nullptr;
  std::string note;  // put before the body when something else than asked for is shown
};

// directory-read §5.2, from step 3 on: for an id that look_up() missed. `workers` are the installed
// names.
Result<Resolution> resolve_miss(const View& view, const NameSet& workers, const std::string& id);

}  // namespace iii::directory
