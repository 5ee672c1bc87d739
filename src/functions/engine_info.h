// directory::engine::functions::info: one function of the engine, its schemas and triggers
// (directory-write §9).
#pragma once

#include "sdk/worker.h"

namespace iii::functions {

void add_engine_info(sdk::Worker& worker);

}  // namespace iii::functions
