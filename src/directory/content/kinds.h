// What a document is for whoever lists it: see SkillKind in types.h.
#pragma once

#include <string_view>

#include "directory/content/parse.h"
#include "directory/content/types.h"

namespace iii::content {

// Whether this file makes its folder a skill: SKILL.md or SKILLS.md, in other spellings too. `path`
// may be a file name.
bool is_skill_file(std::string_view path);

// README, AGENTS, LICENSE and the like, in any case, a README also with a language
// (`README.zh-CN`).
bool is_readme_file(std::string_view path);

// What can be said without knowing the folders above: `by_folder` means that the document is a
// reference if a SKILL.md stands in its folder or in one above it, and a skill otherwise.
struct OwnKind {
  SkillKind kind = SkillKind::kSkill;
  bool by_folder = false;
};
OwnKind own_kind(std::string_view path, const ParsedDocument& parsed);

inline SkillKind kind_of(const OwnKind& own, bool below_a_skill) {
  if (!own.by_folder) return own.kind;
  return below_a_skill ? SkillKind::kReference : SkillKind::kSkill;
}

}  // namespace iii::content
