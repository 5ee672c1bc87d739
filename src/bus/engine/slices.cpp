#include "bus/engine/slices.h"

#include <utility>

namespace iii::engine {

Slices::~Slices() {
  if (timer_ != 0) timers_.cancel(timer_);
  ending_ = true;
  queues_.clear();
}

void Slices::add(OwnerId owner, Step step) {
  if (ending_) return;
  queues_[owner].push_back(std::move(step));
  schedule();
}

void Slices::drop(OwnerId owner) {
  const auto dropped = queues_.extract(owner);  // what it owns may come back here when it ends
  if (running_ == owner) running_.reset();
}

size_t Slices::waiting(OwnerId owner) const {
  const auto it = queues_.find(owner);
  return it == queues_.end() ? 0 : it->second.size();
}

void Slices::schedule() {
  if (timer_ == 0 && !queues_.empty()) {
    timer_ = timers_.after(std::chrono::microseconds{0}, [this] { run_turn(); });
  }
}

void Slices::run_turn() {
  timer_ = 0;
  const auto deadline = timers_.now() + turn_;
  while (!queues_.empty()) {
    auto it = queues_.lower_bound(next_);
    if (it == queues_.end()) it = queues_.begin();
    next_ = it->first + 1;
    run_step(it->first);
    if (timers_.now() >= deadline) break;
  }
  schedule();
}

// The step may add work, or drop its own owner.
void Slices::run_step(OwnerId owner) {
  const auto it = queues_.find(owner);
  Step step = std::move(it->second.front());
  it->second.pop_front();
  if (it->second.empty()) queues_.erase(it);
  running_ = owner;
  const bool more = step();
  const bool dropped = !running_;
  running_.reset();
  if (more && !dropped) queues_[owner].push_front(std::move(step));
}

}  // namespace iii::engine
