// Lists and details of the registry, field by field: one odd field never costs a row (DW18).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/json/value.h"

namespace iii::sources {

// `{workers, pagination}`. `rows_alone`: a bare list of rows is taken too, as the older search
// route answers.
json::Value map_list(const json::Value& body, bool rows_alone = false);

// `{worker, readme?, api_reference, skills_tree}`. `tree` as skills_tree() gives it; nothing when
// the registry has no bundle, and then the older flat form may bring one along.
json::Value map_info(const std::string& name, const json::Value& body,
                     std::optional<json::Value> tree);

// The version that a detail body names; empty when it names none.
std::string detail_version(const json::Value& body);

}  // namespace iii::sources
