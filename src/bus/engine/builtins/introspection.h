// `engine::functions::*`, `engine::triggers::*`, `engine::registered-triggers::*`,
// `engine::workers::*`, `engine::observers::*`.
#pragma once

#include <vector>

#include "bus/engine/builtin.h"
#include "bus/engine/builtins/catalog.h"

namespace iii::engine {

// Both keep a reference to `catalog`.
std::vector<BuiltinFunction> function_introspection(const Catalog& catalog);
std::vector<BuiltinFunction> trigger_introspection(const Catalog& catalog);
std::vector<BuiltinFunction> worker_introspection(const Catalog& catalog);

class Engine;
std::vector<BuiltinFunction> observer_introspection(const Engine& engine);

}  // namespace iii::engine
