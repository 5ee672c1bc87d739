// Skills out of a folder of this machine, by the same rules as out of a repository. For the command
// line only: nobody on the bus may name a folder of the host.
#pragma once

#include <filesystem>

#include "directory/sources/progress.h"
#include "directory/sources/repo_skills.h"
#include "foundation/base/result.h"

namespace iii::sources {

// How `directory.lock` names a folder: relative to the skills folder, where the lock is, when they
// have a folder in common, so that both can be moved or checked out elsewhere together.
RepoSource recorded_folder(RepoSource source, const std::filesystem::path& skills_folder);
// The other way: `file:///…`. D310 when there is no such folder on this machine.
Result<RepoSource> locate_folder(RepoSource source, const std::filesystem::path& skills_folder);

// `source.repo` is `file:///…`. Links that leave the folder are not followed. Errors as in git.h.
Result<RepoListing> list_folder(const RepoSource& source, const BundleLimits& limits,
                                const Job& job);
// Sources of the same folder.
Result<void> fetch_several_of_folder(const std::vector<RepoSource>& sources,
                                     const BundleLimits& limits, const Job& job, IfMoved if_moved,
                                     const RepoSkills::TakeOne& take);
// Whether a folder is a git repository without files of its own (`git init --bare`).
bool is_bare_repository(const std::filesystem::path& folder);

}  // namespace iii::sources
