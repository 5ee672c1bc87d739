// A document's text as a caller gets it, with errors that name the document.
#pragma once

#include <string_view>

#include "directory/library/library.h"
#include "foundation/base/result.h"

namespace iii::directory {

// `shown` is the id or name that the caller sees; errors never have a path outside the root. The
// code kStale goes through unchanged: see Library::answer_from.
Result<Body> read_skill(Library& library, const View& view, const content::Skill& skill,
                        std::string_view shown);
// The same, but a large one is read on another thread, and the code `too_large` goes through as
// well. `skill` belongs to `view`.
task::Task<Result<Body>> read_whole_skill(Library& library, const View& view,
                                          const content::Skill& skill, std::string shown);
task::Task<Result<BodyPart>> read_skill_part(Library& library, const View& view,
                                             const content::Skill& skill, std::string shown,
                                             PartRange range);
Result<Body> read_prompt(Library& library, const View& view, const content::Prompt& prompt);

}  // namespace iii::directory
