// Skills out of a folder of this machine, by the same rules as out of a repository. For the command
// line only: nobody on the bus may name a folder of the host.
#pragma once

#include <filesystem>
#include <memory>

#include "directory/sources/progress.h"
#include "directory/sources/repo_skills.h"
#include "foundation/base/result.h"

namespace iii::sources {

// How `directory.lock` names a folder: relative to the skills folder, where the lock is, when they
// have a folder in common, so that both can be moved or checked out elsewhere together.
RepoSource recorded_folder(RepoSource source, const std::filesystem::path& skills_folder);
// The other way: `file:///…`. D310 when there is no such folder on this machine.
Result<RepoSource> locate_folder(RepoSource source, const std::filesystem::path& skills_folder);

// The files of `source.repo`, which is `file:///…`. Links that leave the folder are not followed.
// Source and job outlive the tree.
std::unique_ptr<TreeSource> folder_tree(const RepoSource& source, const Job& job);
// Where such a folder is.
std::filesystem::path folder_path(const RepoSource& source);
// Whether a folder is a git repository without files of its own (`git init --bare`).
bool is_bare_repository(const std::filesystem::path& folder);

}  // namespace iii::sources
