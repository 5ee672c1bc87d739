// Functions of workers in other namespaces. A call without a namespace reaches one namespace only
// (wire §9), and an id alone does not say where its worker lives.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "directory/table/engine_client.h"
#include "foundation/base/result.h"
#include "foundation/json/value.h"
#include "foundation/task/task.h"

namespace iii::directory {

// Code of the error of call_by_id() for an id that exists in several namespaces.
inline constexpr const char* kAmbiguousFunction = "ambiguous_function";

// Where a function is registered, `default` first; empty: nowhere, or the engine does not say.
task::Task<std::vector<std::string>> namespaces_of(EngineClient& engine, Context context,
                                                   std::string function_id);

// A function that exists, but not in the namespace asked for (none: it is in several).
Error function_elsewhere(const std::string& function_id, const std::optional<std::string>& asked,
                         const std::vector<std::string>& places);

// Calls a function of which only the id is known: where calls without a namespace go, else in the
// one namespace that has it.
task::Task<sdk::Reply<json::Raw>> call_by_id(EngineClient& engine, Context context,
                                             std::string function_id, std::string payload,
                                             std::chrono::milliseconds timeout);

}  // namespace iii::directory
