// The files of a skill: what stands in the folder of a SKILL.md beside it. Reads the disk, so it is
// called on a thread that may wait; everything stays below the root (base/files.h). The one walk
// over such a folder is here, with the rules of those who ask.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "directory/reading/skill_types.h"
#include "directory/table/limits.h"
#include "foundation/base/files.h"

namespace iii::directory {

// What is known of a file's bytes, remembered by its stamp. From any thread.
class FileDigests {
 public:
  struct Known {
    std::string sha256;       // hexadecimal
    bool is_program = false;  // begins with `#!`
    uint64_t size = 0;
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

// Of the file as it is now, from memory when its stamp is known there. `stamp` is what it was found
// with. Code `too_large`, and those of RootFolder.
Result<FileDigests::Known> file_digest(const RootFolder& root, const std::string& path,
                                       const FileStamp& stamp, FileDigests& digests,
                                       uint64_t max_bytes);

// Which files below a folder are wanted. Folders of version control never are.
struct SkillFileRules {
  // True: what cannot be served (a link, a special file, a name that is not UTF-8, a folder that
  // cannot be read) is an error, and every file has a status. False: it is left out, links are
  // followed inside the root.
  bool complete = false;
  bool nested_skills = false;  // false: folders that are skills themselves are left out
  bool hidden = true;          // false: names that begin with a dot are left out
  // Only when complete: errors `too_many` and `too_large` beyond.
  size_t max_files = SIZE_MAX;
  uint64_t max_bytes = UINT64_MAX;
};
struct FoundFile {
  std::string path;  // relative to the folder
  FileStatus status = {};
};
// By path. `folder` is relative to the root. Looks at kMaxFolderEntries entries at most: when
// complete, more are an error (`too_many`).
Result<std::vector<FoundFile>> walk_skill_files(const RootFolder& root, const std::string& folder,
                                                const SkillFileRules& rules);

struct SkillFiles {
  std::vector<SkillFileEntry> files;  // by path, relative to the folder; kMaxSkillFiles of them
  uint64_t total = 0;                 // how many there are, as far as they were counted
};
// What `directory::skills::get` lists. `main` is the name of the SKILL.md, which is not listed.
SkillFiles list_skill_files(const RootFolder& root, const std::string& folder,
                            std::string_view main, FileDigests& digests);
// The paths of all of them.
std::vector<std::string> skill_file_paths(const RootFolder& root, const std::string& folder);

bool is_hidden_name(std::string_view name);
// Whether a path leads into a folder that is never shown (`.git`).
bool is_private_path(std::string_view path);
std::string_view file_kind(std::string_view path, bool is_program = false);

// Some bytes of one file. Text begins and ends between characters: it may begin a little before the
// place that was asked for and have a little less than the limit, which counts as four at least.
struct SkillFilePart {
  std::string bytes;
  bool is_text = false;  // valid UTF-8
  uint64_t offset = 0;   // where they begin in the file
  uint64_t total = 0;    // size of the file
  uint64_t end() const { return offset + bytes.size(); }
};
Result<SkillFilePart> read_skill_file_part(const RootFolder& root, std::string_view path,
                                           uint64_t offset, uint64_t limit);
// The same of bytes that are in memory.
SkillFilePart part_of_bytes(std::string_view all, uint64_t offset, uint64_t limit);

// A part of one file. `path` is relative to the root. Fills everything but `id` and `path`.
Result<SkillFileOutput> read_skill_file(const RootFolder& root, const std::string& path,
                                        uint64_t offset, uint64_t limit);

}  // namespace iii::directory
