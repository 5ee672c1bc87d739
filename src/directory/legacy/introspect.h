// The families directory::{function,trigger,registered-trigger,worker}-{list,info} (0.4.1) and
// directory::engine::{functions,triggers,registered-triggers,workers}::{list,info} (0.5.1).
#pragma once

namespace iii::directory {

class EngineClient;
class FunctionTable;
class Guides;

// Everything outlives the table.
void add_introspection_041(FunctionTable& table, EngineClient& engine, Guides& guides);
// All but directory::engine::functions::info, which 0.8.0 has too (engine_info.h).
void add_introspection_051(FunctionTable& table, EngineClient& engine, Guides& guides);

}  // namespace iii::directory
