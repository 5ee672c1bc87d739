#include "bus/engine/durable.h"

namespace iii::engine {

Durable::Durable(Store& store, Bus& bus)
    : store_(store), bus_(bus), alive_(std::make_shared<Durable*>(this)) {}

Durable::~Durable() = default;

void Durable::enter(const std::string& lane, OwnerId owner, size_t bytes, Operation operation) {
  const auto held = lanes_.find(lane);
  if (held == lanes_.end()) return operation({});
  Use& use = waiting_[owner];
  const EngineLimits& limits = bus_.limits();
  if (use.operations >= limits.max_calls_per_worker ||
      (use.operations > 0 && use.bytes + bytes > limits.max_call_bytes_per_worker)) {
    return operation(fail("busy",
                          "too many calls wait for a large change to end. Next: wait for "
                          "answers before you send more"));
  }
  ++use.operations;
  use.bytes += bytes;
  held->second.waiting.push_back({owner, bytes, std::move(operation)});
}

void Durable::repeat(const std::string& lane, OwnerId owner, Slices::Step step) {
  hold(lane);
  bus_.slices().add(lasting(owner),
                    [alive = std::weak_ptr(alive_), lane, step = std::move(step)]() mutable {
                      const auto self = alive.lock();
                      if (!self) return false;
                      if (step()) return true;
                      (*self)->release(lane);
                      return false;
                    });
}

void Durable::release(const std::string& name) {
  const auto found = lanes_.find(name);
  if (--found->second.holds > 0) return;
  if (found->second.waiting.empty()) {
    lanes_.erase(found);
  } else {
    drain_soon(found->first, found->second);
  }
}

void Durable::drain_soon(const std::string& name, Lane& lane) {
  if (std::exchange(lane.draining, true)) return;
  bus_.slices().add(lasting(lane.waiting.front().owner), [alive = std::weak_ptr(alive_), name] {
    if (const auto self = alive.lock()) (*self)->run_next(name);
    return false;
  });
}

void Durable::run_next(const std::string& name) {
  Lane& lane = lanes_.find(name)->second;
  Waiting next = std::move(lane.waiting.front());
  lane.waiting.pop_front();
  const auto use = waiting_.find(next.owner);
  use->second.bytes -= next.bytes;
  if (--use->second.operations == 0) waiting_.erase(use);
  ++lane.holds;  // it may take its turn as it likes, the lane stays
  next.operation({});
  lane.draining = false;
  release(name);
}

void Durable::write(std::vector<Change> changes, std::move_only_function<void()> undo,
                    std::move_only_function<void(Result<void>)> done) {
  Write write{std::move(changes), std::move(undo), std::move(done)};
  if (Result<void> accepted = store_.write(write); !accepted) {
    write.undo();
    write.done(std::move(accepted));
  }
}

}  // namespace iii::engine
