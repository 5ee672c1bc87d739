// How a skill is split into the fields of `skill_profile()`.
#pragma once

#include <string>
#include <string_view>

#include "directory/search/profile.h"

namespace iii::search {

// Of the body no more than these characters are indexed; a caller need not read more (times four
// in bytes).
inline constexpr size_t kBodyCharacters = 2'000;

struct SkillText {
  std::string_view id;
  std::string_view title;  // frontmatter `title`, else `name`, else the first heading; may be empty
  std::string_view description;
  std::string_view body;  // markdown without frontmatter; the beginning is enough
};

Document skill_document(const SkillText& skill);

// The description as it is indexed and shown: without a stray block mark (`>-`) and registry
// boilerplate; when too little is left, the first paragraph of the body that is text.
std::string skill_description(std::string_view description, std::string_view body);

}  // namespace iii::search
