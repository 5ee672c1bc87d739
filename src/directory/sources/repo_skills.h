// Skills out of a tree of files, wherever the tree comes from: a commit of a repository or a
// folder.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "directory/sources/bundle.h"
#include "directory/sources/git_discover.h"
#include "directory/sources/git_tree.h"
#include "foundation/base/result.h"

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
  std::string path;          // `.`: the repository itself
  std::string name;          // in its frontmatter; empty: none
  std::string description;   // its beginning
  std::string name_space;    // that all skills together would give it; empty: part of another, or a
                             // copy of one before it
  std::string copy_of = {};  // path of the one before it that has the same files
};

struct RepoListing {
  std::string commit;
  std::string branch;
  std::vector<ListedSkill> skills;
};

// What `update` will ask for, for a skill of a listing that has a namespace.
RepoSource source_of(const RepoSource& repository, const ListedSkill& skill);

// How the error begins of a source whose skill is not found any more.
inline constexpr std::string_view kGone = "D310 gone_upstream: ";

// What is done when `path` of a source is no longer there: an update looks for the skill by the
// name of its folder, then by the name in its frontmatter.
enum class IfMoved { kRefuse, kFind };

class RepoSkills {
 public:
  RepoSkills(const RepoSource& source, const BundleLimits& limits, TreeSource& files)
      : source_(&source), limits_(limits), files_(files) {}

  // How the skill that a source names is found. `skill` means, in this order: the folder
  // `skills/<skill>`; a folder `<skill>` at the top that has a SKILL.md; the repository itself when
  // its SKILL.md names that skill (or names none and the repository is called so); any folder of
  // that name with a SKILL.md; any SKILL.md with that `name`.
  Result<RepoListing> list();
  // The skills that these sources name, which are of this repository and this ref; one end for
  // each.
  using TakeOne = std::function<void(size_t index, Result<Bundle>)>;
  Result<void> several(const std::vector<RepoSource>& sources, IfMoved if_moved,
                       const TakeOne& take);
  // Ids of the trees at `path` of these sources now, also of those that moved; empty: gone.
  Result<std::vector<std::string>> trees_of(const std::vector<RepoSource>& sources);

 private:
  using Place = std::optional<std::string>;  // a folder of the tree

  Result<void> open();
  Result<void> read_links();
  Result<Place> follow_to_folder(const std::string& path);
  Result<Place> published_place();
  Result<bool> is_whole_repository();
  Result<std::string> place_by_name();
  Result<std::string> find_place(IfMoved if_moved);
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
  std::vector<std::string> names_;  // in the frontmatter of skills_, once they were read
};

}  // namespace iii::sources
