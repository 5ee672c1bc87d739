// The engine's configuration entry before the directory is built: keys that are read at start count
// as well, and an engine that removed our `config:` block from its file starts us without one.
#pragma once

#include <optional>
#include <string>

#include "bus/sdk/options.h"
#include "foundation/json/value.h"

namespace iii::daemon {

// Connects as another worker, asks once, and leaves. Waits for the engine. Null where there is no
// entry or nobody set one; nothing when a signal asked this process to end.
std::optional<json::Value> first_entry(sdk::WorkerOptions options, const std::string& id);

}  // namespace iii::daemon
