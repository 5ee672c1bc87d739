// directory::engine::functions::info: one function of the engine, its schemas and triggers
// (directory-write §9), and as in 0.5.1 the documents about it.
#pragma once

#include "functions/guides.h"
#include "sdk/worker.h"

namespace iii::directory {

// `guides` null: as 0.8.0 answered, without documents.
void add_engine_info(sdk::Worker& worker, Guides* guides = nullptr);

}  // namespace iii::directory
