// directory::repo::skills: what a repository has, before anything is downloaded.
// directory::repo::download: several of them at once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "foundation/json/describe.h"

namespace iii::directory {

class Downloader;
class FunctionTable;

struct RepoSkillRow {
  std::string path;
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::optional<std::string> name_space;
  std::optional<std::string> copy_of;
};
struct RepoSkillsOutput {
  std::string branch;
  std::string commit;
  std::vector<RepoSkillRow> skills;
};

inline auto describe(json::Type<RepoSkillRow>) {
  using T = RepoSkillRow;
  return json::object<T>(
      "RepoSkill", "",
      json::field(
          "path", &T::path,
          "Folder of the skill in the repository, `.` for the repository itself. Pass it as "
          "`path` to directory::skills::download."),
      json::field("name", &T::name, "`name` in its frontmatter; absent if it has none."),
      json::field("description", &T::description,
                  "The beginning of its description; absent if it has none."),
      json::field(
          "namespace", &T::name_space,
          "Namespace that directory::repo::download writes it to. Absent for a skill inside "
          "another one, which comes with that one, and for a copy of one listed before."),
      json::field("copy_of", &T::copy_of,
                  "`path` of the one listed before that has the same files; absent if none."));
}
inline auto describe(json::Type<RepoSkillsOutput>) {
  using T = RepoSkillsOutput;
  return json::object<T>(
      "RepoSkillsOutput", "",
      json::field("branch", &T::branch, "Branch, tag or commit that was looked at."),
      json::field("commit", &T::commit, "Its commit."),
      json::field("skills", &T::skills, "One row per SKILL.md, visible folders first, by path."));
}

void add_repo_functions(FunctionTable& table, Downloader& downloader);

}  // namespace iii::directory
