// The index of skills in a file between runs, beside the index of documents: bodies need not be
// read again after a restart, and one command is answered from it at once.
//
// Nothing in it is believed that the library does not confirm: a document counts only if its row
// has the same mark (file stamp and texts), and only if the stamp was settled when its body was
// read. A file that is damaged or of another program is as good as none.
#pragma once

#include <filesystem>
#include <optional>

#include "directory/reading/indexed_skills.h"
#include "foundation/base/result.h"

namespace iii::directory {

Result<void> write_indexed_skills(const std::filesystem::path& path,
                                  const IndexedSkillsBuild& build);

// Brought to the state of the view. Nothing: there is no file that can be used, or nearly
// everything has changed since.
IndexedSkillsPtr read_indexed_skills(const std::filesystem::path& path, const View& view);

}  // namespace iii::directory
