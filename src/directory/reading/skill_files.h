// The files of a skill: what stands in the folder of a SKILL.md beside it. Reads the disk, so it is
// called on a thread that may wait; everything stays below the root (base/files.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "directory/reading/skill_types.h"
#include "directory/table/limits.h"
#include "foundation/base/files.h"

namespace iii::directory {

// By path, relative to the folder; `folder` is relative to the root. Left out: folders of version
// control, folders that are skills themselves, links to folders, what cannot be read, what comes
// after kMaxFolderEntries entries. Links to files are followed inside the root.
std::vector<std::string> skill_file_paths(const RootFolder& root, const std::string& folder);

struct SkillFiles {
  std::vector<SkillFileEntry> files;  // by path, relative to the folder; kMaxSkillFiles of them
  uint64_t total = 0;                 // how many there are, as far as they were counted
};
// What `directory::skills::get` lists. `main` is the name of the SKILL.md, which is not listed.
SkillFiles list_skill_files(const RootFolder& root, const std::string& folder,
                            std::string_view main);

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
