// What workers ask the engine to do: announce themselves, bind triggers by function, make channels.
#pragma once

#include <vector>

#include "bus/engine/builtin.h"
#include "bus/engine/channels.h"
#include "bus/engine/engine.h"

namespace iii::engine {

std::vector<BuiltinFunction> management(Engine& engine, ChannelTable& channels);

}  // namespace iii::engine
