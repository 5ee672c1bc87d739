// Takes what was installed away again.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "directory/sources/progress.h"
#include "foundation/base/files_writer.h"
#include "foundation/base/result.h"

namespace iii::sources {

struct RemoveReport {
  std::string name_space;
  std::vector<std::string> removed;  // paths below the namespace
  std::vector<std::string> kept;     // edited or added here
};

// What remove_namespace() would do.
Result<RemoveReport> plan_removal(const std::filesystem::path& skills_folder,
                                  const std::string& name_space, bool force);
// Removes the files that the lock names and that are as they were installed, then folders that are
// empty, and the entry in `directory.lock`, all as one swap. `force`: all files of the namespace.
// Blocking, from any thread; `fault` is for tests. Codes as those of Installer; D310 when the lock
// has no such namespace.
Result<RemoveReport> remove_namespace(const std::filesystem::path& skills_folder,
                                      const std::string& name_space, bool force, const Job& job,
                                      FolderWriter::Fault fault = {});

}  // namespace iii::sources
