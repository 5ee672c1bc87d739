// One thread, one loop: sockets, timers, posted work, and the flush at the end of each turn.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "foundation/base/timers.h"

namespace boost::asio {
class io_context;
}

namespace iii::ws {
class BlockPool;
}

namespace iii::net {

class OutputPool;

// Destroy connections, servers and whatever else lives on a loop before the loop.
class Loop final : public Timers, public WorkQueue {
 public:
  Loop();
  ~Loop() override;
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Until stop() is called, even with nothing to do.
  void run();
  // From any thread.
  void stop();
  void post(std::move_only_function<void()> action) override;
  // From any thread: runs `action` before it returns when called on the loop thread, else as post()
  // does. So what is reported right before an answer is not overtaken by that answer.
  void dispatch(std::move_only_function<void()> action);

  // The rest only on the loop thread (or before run()).
  TimerId after(std::chrono::microseconds delay, std::move_only_function<void()> action) override;
  void cancel(TimerId id) override;
  std::chrono::steady_clock::time_point now() const override;
  int64_t wall_ms() const override;

  // Runs `action` once, after everything that was ready in this turn has been handled: this is how
  // many messages to one peer become one send.
  void at_turn_end(std::move_only_function<void()> action);

  // For what thousands of connections may do at the same moment, such as ending: runs `action`
  // soon, in order. A turn spends about kSpreadTurn on all such actions together.
  void spread(std::move_only_function<void()> action);
  static constexpr std::chrono::microseconds kSpreadTurn{1'000};
  // What a turn spends on timers that are due; the others run in a later one.
  static constexpr std::chrono::microseconds kTimerTurn{1'000};

  // Runs `action` once when `fd` can be read, unless the guard that is returned is gone by then.
  // The descriptor stays the caller's, and open.
  [[nodiscard]] std::shared_ptr<void> once_readable(int fd, std::move_only_function<void()> action);

  // SIGTERM and SIGINT (and SIGHUP when `on_reload` is given) as events on the loop.
  void on_stop_signals(std::move_only_function<void()> action);
  void on_reload_signal(std::move_only_function<void()> action);

  // For the other files of this room.
  boost::asio::io_context& context();
  ws::BlockPool& blocks();
  OutputPool& outputs();
  size_t& backlog();  // connections that wait for a later turn because they had used up this one

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace iii::net
