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

void count(std::vector<Folder>& folders, const content::Generation& generation) {
  const auto folder_of = [&](const content::FileRef& file) -> Folder* {
    const auto found =
        std::ranges::find(folders, generation.roots[file.root].label, &Folder::label);
    return found == folders.end() ? nullptr : &*found;
  };
  for (const content::SkillPtr& skill : generation.skills) {
    if (Folder* folder = folder_of(skill->file)) ++folder->skills;
  }
  for (const content::PromptPtr& prompt : generation.prompts) {
    if (Folder* folder = folder_of(prompt->file)) ++folder->prompts;
  }
}

}  // namespace

std::vector<Folder> folders_of(const DirectoryConfig& config, const std::string& home,
                               const content::Generation& generation) {
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
  add("local", config.local_skills_folder,
      config.local_skills_folder != defaults.local_skills_folder);
  add("global", config.skills_folder, config.skills_folder != defaults.skills_folder);
  for (size_t i = 0; i < config.extra_skills_folders.size(); ++i) {
    add("extra-" + std::to_string(i + 1), config.extra_skills_folders[i], true);
  }
  count(out, generation);
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
  return out + ": " + counted(folder.skills, "skill") + ", " + counted(folder.prompts, "prompt");
}

std::string documents_line(const content::Generation& generation) {
  const content::Accounting& files = generation.accounting;
  std::string out = counted(files.files, "file") + ": " + counted(files.skills, "skill") + ", " +
                    counted(files.prompts, "prompt") + ", " +
                    counted(files.supporting, "supporting file") + ", " +
                    std::to_string(files.skipped) + " skipped";
  size_t compiled_in = 0;
  for (const content::SkillPtr& skill : generation.skills) {
    compiled_in += generation.roots[skill->file.root].kind == content::RootKind::kBuiltin;
  }
  if (compiled_in > 0) out += "; " + counted(compiled_in, "compiled-in skill");
  return out;
}

void log_folders(const std::vector<Folder>& folders, const content::Generation& generation,
                 LogLevel usual) {
  for (const Folder& folder : folders) {
    const LogLevel level = !is_wrong(folder)                        ? usual
                           : folder.state == FolderState::kUnusable ? LogLevel::kError
                                                                    : LogLevel::kWarn;
    log_at(level, "{}", folder_line(folder));
  }
  log_info("{}{}", documents_line(generation),
           generation.accounting.skipped > 0 ? " (`iii-directory doctor` says why)" : "");
}

}  // namespace iii::daemon
