// A skill as the Skills extension of MCP (SEP-2640) serves it: its frontmatter and all files below
// its folder, those of nested skills too, byte for byte. Nothing hidden, and no links: neither in
// the folder nor on the way to a file. Clients refuse a whole list because of one entry that they
// cannot read, so a skill that breaks a rule is an error here and is left out of the list.
//
// Reads the disk, so it is called on a thread that may wait. Paths are relative to the root.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "directory/library/view.h"
#include "directory/reading/skill_files.h"
#include "faces/mcp/feature.h"
#include "faces/mcp/skill_folders.h"
#include "foundation/base/files.h"
#include "foundation/base/result.h"
#include "foundation/json/value.h"

namespace iii::mcp {

inline constexpr std::string_view kSkillFile = "SKILL.md";

// SEP-2640: what a host has to accept.
inline constexpr size_t kMaxPortableFiles = 512;
inline constexpr uint64_t kMaxPortableBytes = 16ULL * 1024 * 1024;

struct PortableFile {
  std::string path;  // relative to the folder
  uint64_t size = 0;
  std::string sha256 = {};  // hexadecimal
};
struct PortableFiles {
  std::vector<PortableFile> files;  // by path
  // Whether a file has further hard links, through which it may change without a notification.
  bool has_further_names = false;
};
// Without digests the files are not read.
// Codes `link`, `not_utf8`, `too_many`, `too_large`, and those of RootFolder.
Result<PortableFiles> portable_files(const RootFolder& root, std::string_view folder,
                                     bool with_digests);

struct PortableSkill : PortableFiles {
  json::Value frontmatter;  // every field, as written
};
// As it is on disk at this moment: the frontmatter belongs to the SKILL.md whose digest is among
// the files. `with_digests` as above. Codes: `invalid_name`, those of read_skill_frontmatter and
// portable_files, `missing`, `changing`, ….
Result<PortableSkill> read_portable_skill(const SkillRow& row, const directory::View& view,
                                          bool with_digests);

// Whether the reason is a property of the files, so that it stays until they change.
bool is_lasting_refusal(const Error& error);

struct PortableEntry {
  std::string name;
  bool is_folder = false;
  uint64_t size = 0;
};
// The entries of one folder, by name. Code `not_a_folder`.
Result<std::vector<PortableEntry>> portable_entries(const RootFolder& root,
                                                    std::string_view folder);
// Some bytes of a file; for `whole` see ReadRange, the size is in the message. Code `a_folder`.
Result<directory::SkillFilePart> read_portable_part(const RootFolder& root, std::string_view path,
                                                    const ReadRange& range);
// A skill that is compiled in.
Result<std::string> builtin_bytes(const directory::View& view, const content::Skill& skill);

}  // namespace iii::mcp
