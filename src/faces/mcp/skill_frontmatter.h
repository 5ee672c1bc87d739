// The frontmatter of a SKILL.md as official skill clients read it. Pure.
//
// One entry that a client cannot read makes it refuse the whole list, so whatever their readers are
// known not to take is refused here: see SEP-2640 and the clients' own YAML subset.
#pragma once

#include <string_view>

#include "foundation/base/result.h"
#include "foundation/json/value.h"

namespace iii::mcp {

// `^[a-z0-9]+(-[a-z0-9]+)*$`, 1 to 64 characters.
bool is_skill_name(std::string_view text);

// Every field, as written. Error codes: `no_frontmatter`, `not_portable`, `invalid_field`. `name`
// is that of the folder.
Result<json::Value> read_skill_frontmatter(std::string_view bytes, std::string_view name);

}  // namespace iii::mcp
