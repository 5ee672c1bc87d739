// directory::engine::functions::info: one function of the engine, its schemas and triggers
// (directory-write §9), and as in 0.5.1 the documents about it.
#pragma once

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

}  // namespace iii::directory
