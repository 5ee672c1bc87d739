// What a repository's branches and tags point at, and which of them was meant.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "directory/sources/git_command.h"
#include "foundation/base/result.h"

namespace iii::sources {

struct RemoteRef {
  std::string name;  // `refs/heads/main`, `refs/tags/v1`, `HEAD`
  std::string id;    // of a tag that has an object of its own: what it points at in the end
};

struct RemoteRefs {
  std::vector<RemoteRef> refs;
  std::string head;  // the branch that HEAD names, with `refs/heads/`; empty when not told

  const RemoteRef* find(std::string_view name) const;
  std::vector<std::string> branches() const;  // without `refs/heads/`
};

// The answer of `ls-remote --symref`.
RemoteRefs parse_refs(std::string_view listing);

struct Resolved {
  std::string id;
  std::string name;  // how callers know it: `main`, `v1`, a commit
};

// All digits of a commit's id. Such a name is always a commit, never a branch: a pin must not
// come to mean something else because somebody pushed a branch of that name.
bool is_commit_id(std::string_view ref);

// Asks the remote. Nothing asked for: `main`, and the default branch when there is no `main`.
// A branch comes before a tag of the same name. Sets git's URL to the one that answered: some
// servers know a repository only with `.git` at the end.
Result<Resolved> resolve_ref(const std::optional<std::string>& ref, Git& git);

}  // namespace iii::sources
