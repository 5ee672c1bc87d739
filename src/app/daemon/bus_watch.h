// Tells the console what happens on the engine of this process: workers that come and go, functions
// that appear and disappear.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bus/engine/engine.h"
#include "bus/net/loop.h"
#include "faces/console/console.h"

namespace iii::daemon {

// On the loop thread. Outlives the engine.
class BusWatch final : public engine::WorkerEvents {
 public:
  explicit BusWatch(net::Loop& loop) : loop_(loop) {}

  // From now on; null: no longer.
  void tell(console::Console* console, const engine::Engine* engine);
  // Compares the functions with those of the last time, a few at a time; the first time there is
  // nothing to compare them with.
  void look_at_functions(bool first);

  void on_worker(std::string_view event, const engine::Worker& worker,
                 bool first_announce) override;

 private:
  // How far a comparison is.
  struct Look;

  void step(std::shared_ptr<Look> look);
  void finish(Look& look);

  net::Loop& loop_;
  console::Console* console_ = nullptr;
  const engine::Engine* engine_ = nullptr;
  std::vector<std::string> known_;   // ids, ascending
  std::optional<uint64_t> changes_;  // of the table, when `known_` was made
  std::shared_ptr<Look> look_;       // under way
};

}  // namespace iii::daemon
