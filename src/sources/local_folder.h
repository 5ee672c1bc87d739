// Skills out of a folder of this machine, by the same rules as out of a repository. For the command
// line only: nobody on the bus may name a folder of the host.
#pragma once

#include "base/result.h"
#include "sources/progress.h"
#include "sources/repo_skills.h"

namespace iii::sources {

// `source.repo` is `file:///…`. Links that leave the folder are not followed. Errors as in git.h.
Result<Bundle> fetch_folder(const RepoSource& source, const BundleLimits& limits, const Job& job);
Result<RepoListing> list_folder(const RepoSource& source, const BundleLimits& limits,
                                const Job& job);
Result<RepoListing> fetch_all_of_folder(const RepoSource& source, const BundleLimits& limits,
                                        const Job& job, const RepoSkills::Take& take);

}  // namespace iii::sources
