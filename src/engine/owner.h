// Who pays for work and memory: a connection, or a namespace for what outlives the connection that
// made it (bindings made by function).
#pragma once

#include <cstdint>

namespace iii::engine {

using OwnerId = uint64_t;
inline constexpr OwnerId kEngineOwner = 0;  // the engine itself

}  // namespace iii::engine
