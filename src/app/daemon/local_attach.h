// Attaches a worker to the embedded engine inside this process: the same registry and the same
// rules as for a socket, without the socket.
#pragma once

#include "bus/engine/engine.h"
#include "bus/sdk/in_process_transport.h"

namespace iii::daemon {

// `engine` outlives every worker attached this way.
sdk::Attach attach_to(engine::Engine& engine);

}  // namespace iii::daemon
