// Cursors of lists: opaque to clients, "after this key" to us, so that they survive changes of the
// list between two pages. Pure.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "faces/mcp/rpc.h"
#include "foundation/json/value.h"

namespace iii::mcp {

// `list` is the name of the list that it belongs to.
std::string make_cursor(std::string_view list, std::string_view key);
// The key in `params.cursor`; nothing when there is no cursor. -32602 for a cursor that we did not
// make for this list.
std::expected<std::optional<std::string>, RpcError> read_cursor(std::string_view list,
                                                                const json::Value& params);

}  // namespace iii::mcp
