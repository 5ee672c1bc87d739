// Functions that an engine has in `default`, and a project may have in a namespace of its own
// (`state::*`, `worker::list`): looked for in the worker's namespace first.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bus/sdk/worker.h"
#include "foundation/json/value.h"
#include "foundation/task/task.h"

namespace iii::directory {

task::Task<sdk::Reply<json::Raw>> ask_nearby(sdk::Worker& worker, std::string function_id,
                                             json::Raw payload, Millis timeout);

// The containers that `compose::status` names, of every compose daemon on the engine; nothing when
// there is none. A daemon has a namespace of its own.
task::Task<std::optional<std::vector<std::string>>> compose_containers(sdk::Worker& worker,
                                                                       Millis timeout);

// Where a function is, by an answer of engine::functions::list; each once, in order.
std::vector<std::string> namespaces_in(const json::Value& answer, std::string_view function_id);

}  // namespace iii::directory
