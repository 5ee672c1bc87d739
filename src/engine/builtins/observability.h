// engine::log::*, engine::baggage::*, engine::health::check and the `log` trigger type.
#pragma once

#include <string>
#include <vector>

#include "engine/builtin.h"
#include "engine/builtins/events.h"

namespace iii::engine {

// Log lines of workers go to our own log, and to whoever bound the `log` trigger type.
class LogTrigger final : public BroadcastTrigger {
 public:
  using BroadcastTrigger::BroadcastTrigger;
  Result<void> bind(const Binding& binding) override;

 protected:
  bool wants(const Binding& binding, const std::string& payload) const override;
};

class Observability {
 public:
  Observability(Engine& engine, std::string version)
      : engine_(engine), version_(std::move(version)), log_(engine) {}

  std::vector<BuiltinFunction> functions();
  BuiltinTriggerType trigger_type();

 private:
  BuiltinFunction log_function(const std::string& level, int severity);

  Engine& engine_;
  std::string version_;
  LogTrigger log_;
};

}  // namespace iii::engine
