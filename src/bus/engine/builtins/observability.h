// engine::log::*, engine::baggage::*, engine::health::check and the `log` trigger type.
#pragma once

#include <string>
#include <vector>

#include "bus/engine/builtin.h"
#include "bus/engine/engine.h"
#include "bus/engine/store/store.h"
#include "bus/engine/subscriptions.h"

namespace iii::engine {

// Log lines of workers go to our own log, and to whoever bound the `log` trigger type.
class Observability {
 public:
  // Both outlive it. Without a store its health is not reported.
  Observability(Engine& engine, std::string version, const Store* store = nullptr);

  std::vector<BuiltinFunction> functions();
  BuiltinTriggerType trigger_type();

 private:
  BuiltinFunction log_function(const std::string& level, int severity);

  Engine& engine_;
  std::string version_;
  const Store* store_;
  Subscriptions log_;
};

}  // namespace iii::engine
