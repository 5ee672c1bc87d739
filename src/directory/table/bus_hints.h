// What the metadata of a function on the bus says about it. Pure.
#pragma once

#include <optional>

#include "directory/table/function.h"
#include "foundation/json/value.h"

namespace iii::directory {

// `metadata.mcp.read_only_hint` and so on, as the published bridges read them. `row` is one of
// engine::functions::list, or an answer of engine::functions::info. Nothing: not known.
std::optional<Hints> hints_of_row(const json::Value& row);

}  // namespace iii::directory
