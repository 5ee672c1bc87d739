// Trigger types about the bus itself: engine::workers-available, engine::functions-available,
// `worker`; and `worker::list`, which tells what the `worker` events add up to.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/builtin.h"
#include "engine/builtins/catalog.h"
#include "engine/engine.h"

namespace iii::engine {

// Bindings of a trigger type whose events go to everybody, each delivered on its own.
class BroadcastTrigger : public TriggerProvider {
 public:
  explicit BroadcastTrigger(Bus& bus) : bus_(bus) {}
  Result<void> bind(const Binding& binding) override;
  void unbind(std::string_view id) override;
  void fire(const std::string& payload);
  bool empty() const { return bindings_.empty(); }

 protected:
  // Whether this binding wants the event; by default every one does.
  virtual bool wants(const Binding&, const std::string& /*payload*/) const { return true; }

 private:
  Bus& bus_;
  std::map<std::string, Binding, std::less<>> bindings_;
};

// `worker`: lifecycle events with filters on operation, stage and worker name (engine-functions
// §6.1).
class WorkerTrigger final : public BroadcastTrigger {
 public:
  using BroadcastTrigger::BroadcastTrigger;
  Result<void> bind(const Binding& binding) override;

 protected:
  bool wants(const Binding& binding, const std::string& payload) const override;
};

class BusEvents final : public WorkerEvents {
 public:
  BusEvents(Engine& engine, const Catalog& catalog, std::chrono::milliseconds poll);
  ~BusEvents() override;

  std::vector<BuiltinFunction> functions();
  std::vector<BuiltinTriggerType> trigger_types();

  void on_worker(std::string_view event, const Worker& worker, bool first_announce) override;

 private:
  void poll_functions();

  Engine& engine_;
  const Catalog& catalog_;
  std::chrono::milliseconds poll_interval_;
  TimerId poll_timer_ = 0;
  uint64_t seen_changes_ = 0;
  std::set<std::string> seen_ids_;
  BroadcastTrigger workers_available_;
  BroadcastTrigger functions_available_;
  WorkerTrigger worker_;
};

}  // namespace iii::engine
