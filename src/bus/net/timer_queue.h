// Timers in order of their deadlines. Knows no clock: its owner says what time it is.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "foundation/base/timers.h"

namespace iii::net {

// Almost every timer of a bus is a timeout that never fires, so cancelling is made cheap: a
// cancelled entry stays in the heap until it surfaces, and the heap is swept when most of it is
// cancelled.
class TimerQueue {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Action = std::move_only_function<void()>;

  TimerId add(Time due, Action action);
  void cancel(TimerId id);
  std::optional<Time> next_due();
  // Runs what is due in order, one at least, until `enough` (may be empty) says so; timers added
  // meanwhile wait for the next call.
  void run_due(Time now, const std::function<bool()>& enough = {});
  void clear();

  size_t size() const { return live_; }
  size_t heap_size() const { return heap_.size(); }

 private:
  struct Slot {
    Action action;
    uint32_t generation = 0;
    bool live = false;
  };
  struct Entry {
    Time due;
    uint64_t order;
    TimerId id;
  };

  static bool later(const Entry& a, const Entry& b);
  Slot* find(TimerId id);
  Action take(TimerId id);
  void pop();
  void sweep();

  std::vector<Slot> slots_;
  std::vector<uint32_t> free_;
  std::vector<Entry> heap_;
  uint64_t added_ = 0;
  size_t live_ = 0;
};

}  // namespace iii::net
