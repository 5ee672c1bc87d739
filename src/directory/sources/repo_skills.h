// Skills out of a tree of files, wherever the tree comes from: a commit of a repository or a
// folder.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "directory/sources/bundle.h"
#include "directory/sources/git_discover.h"
#include "directory/sources/git_tree.h"
#include "foundation/base/result.h"
#include "foundation/json/describe.h"

namespace iii::sources {

// A tree and the content of its files.
class TreeSource {
 public:
  virtual ~TreeSource() = default;
  TreeSource(const TreeSource&) = delete;
  TreeSource& operator=(const TreeSource&) = delete;

  // To be called first. What the tree is called comes with it.
  struct Opened {
    RepoTree tree;
    std::string commit;  // empty: not known
    std::string branch;
    std::string top;   // id of the whole tree; empty: not known
    std::string path;  // the folder that was asked for, once it is known where the ref ends
  };
  virtual Result<Opened> open() = 0;
  // All that will be read, so that it can be fetched in one go.
  virtual Result<void> prepare(const std::vector<WantedFile>& files) = 0;
  virtual Result<Blobs> read(const std::vector<WantedFile>& files, const BundleLimits& limits,
                             TooLarge too_large) = 0;

 protected:
  TreeSource() = default;
};

struct ListedSkill {
  std::string path;                             // `.`: the repository itself
  std::optional<std::string> name = {};         // in its frontmatter
  std::optional<std::string> description = {};  // its beginning
  // That all skills together would give it; none for a part of another one, and for a copy.
  std::optional<std::string> name_space = {};
  std::optional<std::string> copy_of = {};  // path of the one before it that has the same files
};

struct RepoListing {
  std::string branch;
  std::string commit;
  std::vector<ListedSkill> skills;
};

inline auto describe(json::Type<ListedSkill>) {
  using T = ListedSkill;
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
inline auto describe(json::Type<RepoListing>) {
  using T = RepoListing;
  return json::object<T>(
      "RepoSkillsOutput", "",
      json::field("branch", &T::branch, "Branch, tag or commit that was looked at."),
      json::field("commit", &T::commit, "Its commit."),
      json::field("skills", &T::skills, "One row per SKILL.md, visible folders first, by path."));
}

// What `update` will ask for, for a skill of a listing that has a namespace.
RepoSource source_of(const RepoSource& repository, const ListedSkill& skill);

// How the error begins of a source whose skill is not found any more.
inline constexpr std::string_view kGone = "D310 gone_upstream: ";

inline constexpr uint64_t kMaxMainFileBytes = 1ULL << 20U;  // of which name and text are read

struct WantedSkill {
  RepoSource source;
  // When `path` of the source is no longer there, the skill is looked for by its name, then by
  // `declared_name`.
  bool may_have_moved = false;
  std::string declared_name = {};  // `name` in the frontmatter of what is installed; may be empty
};

class RepoSkills {
 public:
  RepoSkills(const RepoSource& source, const BundleLimits& limits, TreeSource& files)
      : source_(&source), limits_(limits), files_(files) {}

  // How the skill that a source names is found. `skill` means, in this order: the folder
  // `skills/<skill>`; a folder `<skill>` at the top that has a SKILL.md; the repository itself when
  // its SKILL.md names that skill (or names none and the repository is called so); any folder of
  // that name with a SKILL.md; any SKILL.md with that `name`.
  Result<RepoListing> list();
  // These skills, which are of this repository and this ref; one end for each.
  using TakeOne = std::function<void(size_t index, Result<Bundle>)>;
  Result<void> several(const std::vector<WantedSkill>& skills, const TakeOne& take);
  // Ids of the trees at `path` of these skills now; empty: gone.
  Result<std::vector<std::string>> trees_of(const std::vector<WantedSkill>& skills);

 private:
  using Place = std::optional<std::string>;  // a folder of the tree

  Result<void> open();
  Result<void> read_links();
  Result<Place> follow_to_folder(const std::string& path);
  Result<Place> published_place();
  Result<bool> is_whole_repository();
  Result<std::string> place_by_name(const std::string& name);
  Result<std::string> place_after_move(const WantedSkill& wanted);
  Result<std::string> find_place(const WantedSkill& wanted);
  Result<Selection> select(const std::string& folder);
  Result<Bundle> bundle_of(const std::string& folder, Selection selection);
  void use(const RepoSource& source, const std::string& branch_rest);
  Result<Blobs> read_main_files();
  Result<void> read_names();
  ListedSkill described(const FoundSkill& skill, const Blobs& blobs) const;

  const RepoSource* source_;
  const BundleLimits& limits_;
  TreeSource& files_;
  TreeSource::Opened opened_;
  std::vector<FoundSkill> skills_;
  LinkTargets targets_;
  bool links_read_ = false;
  std::vector<std::optional<std::string>>
      names_;  // in the frontmatter of skills_, once they were read
};

}  // namespace iii::sources
