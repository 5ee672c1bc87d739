// Time comes in through this interface, so that state machines can be tested without waiting.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace iii {

using Millis = std::chrono::milliseconds;
using TimerId = uint64_t;  // 0 is no timer

class Timers {
 public:
  virtual ~Timers() = default;

  // Runs `action` once on the loop thread, not before `delay` has passed.
  virtual TimerId after(std::chrono::microseconds delay,
                        std::move_only_function<void()> action) = 0;
  // Unknown and finished timers are ignored.
  virtual void cancel(TimerId id) = 0;
  // Monotonic, for measuring how long.
  virtual std::chrono::steady_clock::time_point now() const = 0;
  // Milliseconds since 1970, for telling when.
  virtual int64_t wall_ms() const = 0;
};

// Where a thread hands over what is to run on the loop thread.
class WorkQueue {
 public:
  virtual ~WorkQueue() = default;
  // From any thread: runs `action` on the loop thread, in order of posting.
  virtual void post(std::move_only_function<void()> action) = 0;
};

}  // namespace iii
