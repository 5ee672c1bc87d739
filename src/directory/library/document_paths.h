// What the path of a document says about it, and paths as people and links write them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "directory/content/types.h"

namespace iii::directory {

// `a/b/c.md` → `a/b`; empty for a file of the root.
std::string_view folder_of(std::string_view path);
std::string_view file_name(std::string_view path);
// Without `.md` or `.markdown`, in any case.
std::string_view without_suffix(std::string_view path);
bool is_document_path(std::string_view path);
// An overview stands for its folder: SKILL.md, SKILLS.md or index.md.
bool is_overview_file(std::string_view name);

// The path of a document whose id cannot be read off it (`C++/My Skill.md`), for lists and
// searches; empty for all others.
std::string_view unusual_path(const content::Skill& skill);

// `path` seen from `folder`, with `.` and `..` resolved; nothing when it leaves the root.
std::optional<std::string> join_relative(std::string_view folder, std::string_view path);

// Where a link in the document at `base` may lead, best first: relative to its folder, and, unless
// it begins with a dot, to the folders above. Anchors are dropped and escapes resolved.
std::vector<std::string> link_targets(std::string_view base, std::string_view link);

}  // namespace iii::directory
