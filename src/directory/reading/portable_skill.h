// A skill as the Skills extension of MCP (SEP-2640) lists it, or why its clients could not read it:
// they refuse a whole list because of one entry that they cannot read, so such a skill is left out.
#pragma once

#include <string>
#include <vector>

#include "directory/library/snapshot.h"
#include "directory/reading/portable_files.h"
#include "directory/reading/skill_index.h"
#include "foundation/base/result.h"
#include "foundation/json/value.h"

namespace iii::directory {

inline constexpr std::string_view kPortableSkillFile = "SKILL.md";

struct PortableSkill {
  json::Value frontmatter;          // every field, as written
  std::vector<PortableFile> files;  // by path, SKILL.md among them
  bool has_further_names = false;   // see PortableManifest
};
// As it is on disk at this moment: the frontmatter belongs to the SKILL.md whose digest is among
// the files. Blocking. Codes: `invalid_name`, those of read_skill_frontmatter and
// portable_manifest, `missing`, `changing`, ….
Result<PortableSkill> read_portable_skill(const SkillRow& row, content::Content& content,
                                          const content::Generation& generation,
                                          FileDigests& digests);

// The same without hashing the files: why it cannot be had.
Result<void> check_portable_skill(const SkillRow& row, content::Content& content,
                                  const content::Generation& generation);

// Whether the reason is a property of the files, so that it stays until they change.
bool is_lasting_refusal(const Error& error);

}  // namespace iii::directory
