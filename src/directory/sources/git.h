// Skills out of a git repository, read from its objects; nothing is ever checked out.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "directory/sources/bundle.h"
#include "directory/sources/progress.h"
#include "directory/sources/repo_skills.h"
#include "foundation/base/result.h"

namespace iii::sources {

struct GitOptions {
  std::string program = "git";
  std::filesystem::path scratch;  // where temporary object stores go; empty: the system's place
  std::string ca_file;            // empty: the system's
  BundleLimits limits;
  // Hosts that git may reach although their addresses are not public: names, `*.suffix`, `*`.
  std::vector<std::string> private_hosts;
  // A credential helper as git's `credential.helper` names one; empty: servers that ask for a
  // password get none.
  std::string credential_helper;
  std::string resolver = "getent";  // looks up names
  // For tests only: also take `file://` and plain paths.
  bool allow_local = false;

  bool operator==(const GitOptions&) const = default;
};

// Blocking. A commit of the repository: its tree is listed at once, content is fetched when it is
// read. All of them outlive the tree. Where a skill is looked for in it: repo_skills.h. A link
// inside the repository is followed, one that leaves it and a submodule are refused in the place of
// a skill. All 40 or 64 digits of a commit are always that commit; else a branch comes before a
// tag.
// Errors: D310 no such branch, commit or repository; D312 more than the limits allow; D313 a server
// that may not be connected to; D321 git failed or took too long.
Result<std::unique_ptr<TreeSource>> git_tree(const RepoSource& source, const GitOptions& options,
                                             const Job& job);
// The commit that a source means now, without fetching, for `outdated`.
Result<std::string> resolve_repo(const RepoSource& source, const GitOptions& options,
                                 const Job& job);

}  // namespace iii::sources
