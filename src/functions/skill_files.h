// The files of a skill: what stands in the folder of a SKILL.md beside it. Reads the disk, so it is
// called on a thread that may wait; everything stays below the root (base/files.h).
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/files.h"
#include "functions/limits.h"
#include "functions/skill_types.h"

namespace iii::directory {

// What is known of a file's bytes, remembered by its stamp. From any thread.
class FileDigests {
 public:
  struct Known {
    std::string sha256;
    bool is_program = false;  // begins with `#!`
  };
  std::optional<Known> find(const FileStamp& stamp) const;
  void remember(const FileStamp& stamp, const Known& known);

 private:
  static constexpr size_t kMost = 200'000;
  struct Hash {
    size_t operator()(const FileStamp& stamp) const;
  };
  mutable std::mutex mutex_;
  std::unordered_map<FileStamp, Known, Hash> known_;
};

struct SkillFiles {
  std::vector<SkillFileEntry> files;  // by path, relative to the folder; kMaxSkillFiles of them
  uint64_t total = 0;                 // how many there are, as far as they were counted
};
// `folder` is relative to the root; `main` is the name of the SKILL.md, which is not listed.
// Folders that are skills themselves are left out, and so are those of version control.
SkillFiles list_skill_files(const RootFolder& root, const std::string& folder,
                            std::string_view main, FileDigests& digests);
// The paths alone, as many as one answer lists.
std::vector<std::string> skill_file_paths(const RootFolder& root, const std::string& folder,
                                          std::string_view main);

// Whether a path leads into a folder that is never shown (`.git`).
bool is_private_path(std::string_view path);
std::string_view file_kind(std::string_view path, bool is_program = false);

// A part of one file. `path` is relative to the root. Fills everything but `id` and `path`.
Result<SkillFileOutput> read_skill_file(const RootFolder& root, const std::string& path,
                                        uint64_t offset, uint64_t limit);

}  // namespace iii::directory
