// A directory without a bus: `mcp` and the verbs that read folders in their own process.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/daemon/config.h"
#include "bus/sdk/options.h"

namespace iii::daemon {

// Without what needs a bus.
DirectoryConfig without_bus(DirectoryConfig config);
// Of a worker that is never started: there is nothing to connect it to.
sdk::WorkerOptions without_bus_worker();

}  // namespace iii::daemon
