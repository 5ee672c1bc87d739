// Rows of directory::skills::list and the text of directory::skills::index, made from a view. Pure.
#pragma once

#include <string>

#include "base/result.h"
#include "functions/search_text.h"
#include "functions/skill_types.h"
#include "library/view.h"

namespace iii::directory {

Result<ListSkillsOutput> list_skills(const View& view, const ListSkillsInput& in);
// The same as JSON, written row by row. `text` follows the view's generation, or is null: then
// every row is visited.
Result<std::string> list_skills_text(const View& view, const ListSkillsInput& in,
                                     const SearchText* text);

// Of headings, pointers and descriptions (directory-read §8.4).
inline constexpr size_t kIndexBytes = 3'000;
IndexSkillsOutput index_skills(const View& view);

}  // namespace iii::directory
