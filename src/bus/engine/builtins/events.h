// Trigger types about the bus itself: engine::workers-available, engine::functions-available,
// `worker`; and `worker::list`, which lists what the `worker` events add up to.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bus/engine/builtin.h"
#include "bus/engine/builtins/catalog.h"
#include "bus/engine/engine.h"
#include "bus/engine/subscriptions.h"

namespace iii::engine {

class BusEvents final : public WorkerEvents {
 public:
  BusEvents(Engine& engine, const Catalog& catalog, std::chrono::milliseconds poll);
  ~BusEvents() override;

  std::vector<BuiltinFunction> functions();
  std::vector<BuiltinFunction> sources();
  std::vector<BuiltinTriggerType> trigger_types();

  void on_worker(std::string_view event, const Worker& worker, bool first_announce) override;

  // Rows of one engine::functions-available event, in bytes; what exceeds it is left out.
  static constexpr size_t kMostListingBytes = 16 * 1024 * 1024;

 private:
  struct Listing;

  void poll_functions();
  Task<void> tell_changes(Turns& turns, std::weak_ptr<BusEvents*> alive);

  Engine& engine_;
  const Catalog& catalog_;
  std::chrono::milliseconds poll_interval_;
  TimerId poll_timer_ = 0;
  uint64_t seen_changes_ = 0;
  bool polling_ = false;                                      // a listing is being made
  std::shared_ptr<const std::vector<std::string>> seen_ids_;  // sorted
  Subscriptions workers_available_;
  Subscriptions functions_available_;
  Subscriptions worker_;
  std::shared_ptr<BusEvents*> alive_;
};

}  // namespace iii::engine
