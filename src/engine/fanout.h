// Delivers one event to several bindings: one after the other, each behind its condition function.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/builtin.h"

namespace iii::engine {

struct FanoutTarget {
  std::string function_id;
  std::string name_space;
  std::optional<std::string> metadata;
  std::optional<std::string> condition_function_id;
};

// Bounds what events that are still being delivered may hold: a target that never answers must not
// make the engine grow. A ticket is given back when the last owner drops it.
class EventBudget {
 public:
  static constexpr size_t kMaxEvents = 10'000;
  static constexpr size_t kMaxBytes = 64 * 1024 * 1024;

  explicit EventBudget(size_t max_events = kMaxEvents, size_t max_bytes = kMaxBytes);

  // Nothing when the budget is used up; the event is then dropped. A single event always fits.
  std::shared_ptr<void> take(size_t bytes);

 private:
  struct Use {
    size_t events = 0;
    size_t bytes = 0;
  };

  size_t max_events_;
  size_t max_bytes_;
  std::shared_ptr<Use> use_;  // shared with the tickets: one may outlive the budget
};

// Per event: targets are called sequentially in the given order. A condition function gets the same
// payload (without the binding's metadata): an error or boolean `false` skips the target, anything
// else lets it pass. Results of targets are ignored. Events do not wait for each other. `ticket` is
// held until the event has been delivered.
void fan_out(Bus& bus, std::vector<FanoutTarget> targets, std::string payload,
             std::shared_ptr<void> ticket = nullptr);

}  // namespace iii::engine
