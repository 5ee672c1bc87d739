#include "app/daemon/folders.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "foundation/base/counted.h"

namespace iii::daemon {

namespace {

void look_at(Folder& folder) {
  struct stat info{};
  if (::stat(folder.path.c_str(), &info) != 0) {
    const bool missing = errno == ENOENT;
    folder.state = missing ? FolderState::kMissing : FolderState::kUnusable;
    folder.problem =
        missing ? "does not exist" : std::string("cannot be read: ") + std::strerror(errno);
    return;
  }
  if (!S_ISDIR(info.st_mode)) {
    folder.state = FolderState::kUnusable;
    folder.problem = "is not a folder";
    return;
  }
  if (DIR* open = ::opendir(folder.path.c_str())) {
    ::closedir(open);
    return;
  }
  folder.state = FolderState::kUnusable;
  folder.problem = std::string("cannot be read: ") + std::strerror(errno);
}

void count(std::vector<Folder>& folders, const directory::View& files) {
  const std::vector<directory::Counts> counts = files.counts();
  for (size_t i = 0; i < counts.size(); ++i) {
    const std::string& label = files.generation().roots[i].label;
    const auto folder = std::ranges::find(folders, label, &Folder::label);
    if (folder != folders.end()) folder->counts = counts[i];
  }
}

}  // namespace

std::vector<Folder> folders_of(const DirectoryConfig& config, const std::string& home) {
  const DirectoryConfig defaults;
  std::vector<Folder> out;
  const auto add = [&](std::string label, const std::string& path, bool configured) {
    Folder folder{.label = std::move(label),
                  .path = expand_path(path, home).lexically_normal(),
                  .configured = configured,
                  .problem = {}};
    look_at(folder);
    out.push_back(std::move(folder));
  };
  if (!config.local_skills_folder.empty()) {
    add("local", config.local_skills_folder,
        config.local_skills_folder != defaults.local_skills_folder);
  }
  add("global", config.skills_folder, config.skills_folder != defaults.skills_folder);
  for (size_t i = 0; i < config.extra_skills_folders.size(); ++i) {
    add("extra-" + std::to_string(i + 1), config.extra_skills_folders[i], true);
  }
  return out;
}

std::vector<Folder> folders_of(const DirectoryConfig& config, const std::string& home,
                               const directory::View& files) {
  std::vector<Folder> out = folders_of(config, home);
  count(out, files);
  return out;
}

bool is_wrong(const Folder& folder) {
  return folder.state == FolderState::kUnusable ||
         (folder.state == FolderState::kMissing && folder.configured);
}

std::optional<std::string> SeenFolders::look(const std::vector<Folder>& folders) {
  std::string gone;
  for (const Folder& folder : folders) {
    if (folder.state == FolderState::kReadable) {
      seen_.insert(folder.path);
    } else if (is_wrong(folder) && seen_.contains(folder.path)) {
      gone += (gone.empty() ? "the " : ", the ") + folder.label + " folder " +
              (folder.state == FolderState::kMissing ? "does not exist any more"
                                                     : "cannot be read any more");
    }
  }
  return gone.empty() ? std::nullopt : std::optional(gone);
}

std::string folder_line(const Folder& folder) {
  std::string out = folder.label + " folder " + folder.path.string();
  if (folder.state != FolderState::kReadable) return out + " " + folder.problem;
  return out + ": " + counted(folder.counts.documents(), "skill") + ", " +
         counted(folder.counts.prompts, "prompt");
}

std::string documents_line(const directory::View& files) {
  const directory::Counts counts = files.total_on_disk();
  std::string out = counted(counts.files(), "file") + ": " + counted(counts.documents(), "skill") +
                    ", " + counted(counts.prompts, "prompt") + ", " +
                    counted(counts.supporting, "supporting file") + ", " +
                    std::to_string(counts.unserved) + " skipped";
  const uint64_t compiled_in = files.total().documents() - counts.documents();
  if (compiled_in > 0) out += "; " + counted(compiled_in, "compiled-in skill");
  return out;
}

void log_folders(const std::vector<Folder>& folders, const directory::View& files, LogLevel usual) {
  for (const Folder& folder : folders) {
    const LogLevel level = !is_wrong(folder)                        ? usual
                           : folder.state == FolderState::kUnusable ? LogLevel::kError
                                                                    : LogLevel::kWarn;
    log_at(level, "{}", folder_line(folder));
  }
  log_info("{}{}", documents_line(files),
           files.total_on_disk().unserved > 0 ? " (`iii-directory doctor` says why)" : "");
}

}  // namespace iii::daemon
