// Timers for tests: time stands still until the test moves it.
#pragma once

#include <algorithm>
#include <map>
#include <utility>

#include "foundation/base/timers.h"

namespace iii {

class FakeTimers final : public Timers {
 public:
  TimerId after(std::chrono::microseconds delay, std::move_only_function<void()> action) override {
    const TimerId id = ++last_id_;
    due_.emplace(std::pair{now_ + delay, id}, std::move(action));
    return id;
  }

  void cancel(TimerId id) override {
    std::erase_if(due_, [id](const auto& entry) { return entry.first.second == id; });
  }

  std::chrono::steady_clock::time_point now() const override { return now_; }

  int64_t wall_ms() const override {
    return 1'790'000'000'000 + std::chrono::duration_cast<Millis>(now_.time_since_epoch()).count();
  }

  // Runs everything that falls due on the way, in order, including what that schedules.
  void advance(Millis by) {
    const auto end = now_ + by;
    while (!due_.empty() && due_.begin()->first.first <= end) {
      auto node = due_.extract(due_.begin());
      now_ = node.key().first;
      node.mapped()();
    }
    now_ = end;
  }

  // Runs what falls due next, alone.
  void run_next() {
    auto node = due_.extract(due_.begin());
    now_ = std::max(now_, node.key().first);
    node.mapped()();
  }

  size_t pending() const { return due_.size(); }

 private:
  std::chrono::steady_clock::time_point now_{};
  TimerId last_id_ = 0;
  std::map<std::pair<std::chrono::steady_clock::time_point, TimerId>,
           std::move_only_function<void()>>
      due_;
};

}  // namespace iii
