// Paths as people and links write them: relative to a root or to the document that mentions them.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "directory/library/document_paths.h"

namespace iii::directory {

// `path` seen from `folder`, with `.` and `..` resolved; nothing when it leaves the root.
std::optional<std::string> join_relative(std::string_view folder, std::string_view path);

// Where a link in the document at `base` may lead, best first: relative to its folder, and, unless
// it begins with a dot, to the folders above. Anchors are dropped and escapes resolved.
std::vector<std::string> link_targets(std::string_view base, std::string_view link);

}  // namespace iii::directory
