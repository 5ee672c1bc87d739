// Work that a peer can make large is cut into steps that run here: a bounded time per loop turn,
// each owner in turn.
//
// Sockets and timers get their turn between two slices, so no amount of queued work delays an
// unrelated call by more than one slice. The steps of one owner run in the order in which they were
// added.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <optional>

#include "bus/engine/owner.h"
#include "foundation/base/timers.h"

namespace iii::engine {

class Slices {
 public:
  // Time per loop turn. A step is not interrupted, so it must be small itself: about 100 µs at
  // most.
  static constexpr std::chrono::microseconds kTurn{1'000};

  // One bounded piece of work. Returns true when there is more to do; it is then called again,
  // after the others.
  using Step = std::move_only_function<bool()>;

  explicit Slices(Timers& timers, std::chrono::microseconds turn = kTurn)
      : timers_(timers), turn_(turn) {}
  ~Slices();
  Slices(const Slices&) = delete;
  Slices& operator=(const Slices&) = delete;

  // Never runs anything before it returns. Does nothing when they are being destroyed: what a step
  // owns may end with it, and add another one.
  void add(OwnerId owner, Step step);
  // Forgets what this owner still had to do.
  void drop(OwnerId owner);
  size_t waiting(OwnerId owner) const;
  bool empty() const { return queues_.empty(); }

 private:
  void schedule();
  void run_turn();
  void run_step(OwnerId owner);

  Timers& timers_;
  const std::chrono::microseconds turn_;
  std::map<OwnerId, std::deque<Step>> queues_;  // never holds an empty queue
  OwnerId next_ = 0;                // the owner whose turn it is, or the first one after it
  std::optional<OwnerId> running_;  // whose step runs right now, unless it was dropped
  TimerId timer_ = 0;
  bool ending_ = false;
};

}  // namespace iii::engine
