// The skills of a repository, whatever its layout: every folder with a SKILL.md. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "directory/sources/git_tree.h"
#include "foundation/base/result.h"

namespace iii::sources {

struct FoundSkill {
  std::string folder;  // empty: the repository itself
  std::string main;    // path of its SKILL.md
  std::string id;      // of that file
  std::string tree;    // id of the folder; empty for the repository itself

  // As callers give and get it.
  std::string path() const { return folder.empty() ? "." : folder; }
  std::string_view name() const;  // last segment of the folder
};

// Whose names and descriptions are read. Skills beyond that are found by path and folder name only.
inline constexpr size_t kMaxSkills = 20'000;
// In the order in which they are offered: visible folders first, then by path. Hidden folders such
// as `.claude/skills` count, `.git` does not.
std::vector<FoundSkill> find_skills(const RepoTree& tree);

// Those that a name can mean: of copies with equal content the first one, and hidden folders only
// when there is nothing else.
std::vector<FoundSkill> preferred(std::vector<FoundSkill> skills);

// For all skills at once: a namespace for each, in the same order, all different. A skill inside
// another one that is no repository itself belongs to that one and gets none (empty), and so does a
// copy of one that came before. `top_name` is that of the repository itself.
std::vector<std::string> namespaces_for(const std::vector<FoundSkill>& skills,
                                        std::string_view top_name);

// D310 with what was meant, or all paths where several fit.
Error no_such_skill(std::string_view skill, const std::vector<FoundSkill>& skills);
Error several_fit(std::string_view skill, const std::vector<FoundSkill>& skills);

}  // namespace iii::sources
