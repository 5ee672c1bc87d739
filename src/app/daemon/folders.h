// The folders of skills as they are on disk, for the log and for `doctor`.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/daemon/config.h"
#include "directory/library/view.h"
#include "foundation/base/log.h"

namespace iii::daemon {

enum class FolderState {
  kReadable,
  kMissing,  // it is read as soon as it appears
  kUnusable  // not a folder, or not readable
};

struct Folder {
  std::string label;  // `local`, `global`, `extra-1`, as in the answers of functions
  std::filesystem::path path;
  bool configured = false;  // not the default
  FolderState state = FolderState::kReadable;
  std::string problem;  // empty when it is readable
  directory::Counts counts = {};
};

// In order of precedence.
std::vector<Folder> folders_of(const DirectoryConfig& config, const std::string& home);
// With their counts; the view shows files only.
std::vector<Folder> folders_of(const DirectoryConfig& config, const std::string& home,
                               const directory::View& files);
// A folder that somebody named is worth a warning when it is missing.
bool is_wrong(const Folder& folder);
// Remembers which folders were there: one that somebody named and that has vanished is more than a
// folder that nobody has made yet.
class SeenFolders {
 public:
  // What is wrong with those that were there before; nothing: they still are. Without paths.
  std::optional<std::string> look(const std::vector<Folder>& folders);

 private:
  std::set<std::filesystem::path> seen_;
};

// `global folder /home/me/.iii/skills: 3 skills, 1 prompt`
std::string folder_line(const Folder& folder);
// `4 files: 2 skills, 1 prompt, 1 supporting file, 0 skipped; 2 compiled-in skills`
std::string documents_line(const directory::View& files);

// Which folders are read and what they hold, at the level `usual`; what is wrong with them as a
// warning or an error.
void log_folders(const std::vector<Folder>& folders, const directory::View& files,
                 LogLevel usual = LogLevel::kInfo);

}  // namespace iii::daemon
