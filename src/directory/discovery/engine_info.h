// directory::engine::functions::info: one function of the engine, its schemas and triggers
// (directory-write §9), and as in 0.5.1 the documents about it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bus/sdk/error.h"
#include "foundation/base/result.h"

namespace iii::task {
class Pool;
}

namespace iii::directory {

class EngineClient;
class FunctionTable;
class Guides;

// `guides` null: as 0.8.0 answered, without documents. Everything outlives the table.
void add_engine_info(FunctionTable& table, EngineClient& engine, task::Pool& pool,
                     Guides* guides = nullptr);

// What stands before the first `::`; nothing when there is none.
std::optional<std::string> first_part(std::string_view id);
// A function of the engine failed.
Error engine_failed(std::string_view function_id, const sdk::RemoteError& error);

}  // namespace iii::directory
