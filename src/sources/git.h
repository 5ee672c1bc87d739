// One skill folder out of a git repository, read from its objects; nothing is ever checked out.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "sources/bundle.h"
#include "sources/progress.h"

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

// Blocking. The skill is looked for in `skills/<skill>`, then in a folder `<skill>` that has a
// SKILL.md, then the whole repository is taken when its own SKILL.md names that skill (or names
// none and the repository is called so). A link or a submodule in one of these places is refused.
// All 40 or 64 digits of a commit are always that commit; else a branch comes before a tag.
// Errors: D310 no such skill, branch or repository; D312 a bundle that is refused; D313 a server
// that may not be connected to; D321 git failed or took too long. `ref` may be a commit.
Result<Bundle> fetch_repo(const RepoSource& source, const GitOptions& options, const Job& job);
// The commit that a source means now, without fetching, for `outdated`.
Result<std::string> resolve_repo(const RepoSource& source, const GitOptions& options,
                                 const Job& job);

}  // namespace iii::sources
