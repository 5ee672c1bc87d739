// All files of a commit as one list, links among them, and which files of a folder to take.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "directory/sources/bundle.h"
#include "foundation/base/result.h"

namespace iii::sources {

enum class TreeKind { kFile, kFolder, kLink, kSubmodule, kOther };

struct TreeEntry {
  TreeKind kind = TreeKind::kOther;
  std::string id;
  std::string path;  // raw bytes
  bool executable = false;
};

// The answer of `ls-tree -z -r -t`.
std::vector<TreeEntry> parse_tree(std::string_view listing);

class RepoTree {
 public:
  RepoTree() = default;
  explicit RepoTree(std::vector<TreeEntry> entries);  // in any order

  const std::vector<TreeEntry>& entries() const { return entries_; }  // sorted by path
  // What lies at one place, or null. The top has no entry.
  const TreeEntry* find(std::string_view path) const;
  // Everything below a folder, however deep; empty: everything.
  std::span<const TreeEntry> below(std::string_view folder) const;
  std::vector<const TreeEntry*> links() const;

 private:
  std::vector<TreeEntry> entries_;
};

// What links point at, by their path.
using LinkTargets = std::map<std::string, std::string, std::less<>>;

// Where a path leads when links that stay inside the tree are followed. The error is the reason in
// words, which has no code.
Result<std::string> follow(const RepoTree& tree, const LinkTargets& targets, std::string_view path);

struct WantedFile {
  std::string path;  // clean, below the skill's folder
  std::string id;
  bool executable = false;
};

// Content by id. A file beyond the limits is an error, or is left out.
using Blobs = std::map<std::string, std::string>;
enum class TooLarge { kRefuse, kLeaveOut };

struct Selection {
  std::vector<WantedFile> files;  // sorted by path
  std::vector<SkippedFile> skipped;
  // Files came from outside of the folder by a link, so the folder's own id does not cover them.
  bool reaches_out = false;
};

// The regular files of a folder. Links that stay inside the tree are resolved; other links,
// submodules, hidden names and names that are not UTF-8 are skipped with a reason; paths that no
// honest repository has (`..`, control bytes) refuse the whole. `without`: folders that are left
// out and said. D312 when the limits are exceeded, or when the folder has a SKILL.md that cannot be
// taken.
Result<Selection> select_files(const RepoTree& tree, const LinkTargets& targets,
                               std::string_view folder, const std::set<std::string>& without,
                               const BundleLimits& limits);

}  // namespace iii::sources
