#include "bus/net/loop.h"

#include <unistd.h>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "bus/net/asio.h"
#include "bus/net/output_pool.h"
#include "bus/net/timer_queue.h"
#include "bus/ws/block.h"

namespace iii::net {
namespace {

using Action = std::move_only_function<void()>;
using Clock = std::chrono::steady_clock;
using Timer = asio::basic_waitable_timer<Clock, asio::wait_traits<Clock>, Executor>;
using Signals = asio::basic_signal_set<Executor>;
using Descriptor = asio::posix::basic_stream_descriptor<Executor>;

void listen_for(Signals& signals, Action& action) {
  signals.async_wait([&signals, &action](ErrorCode error, int) {
    if (error) return;
    listen_for(signals, action);
    action();
  });
}

}  // namespace

// Destroyed from the bottom up: the context last but for the pools, because handlers that die with
// it give their buffers back.
struct Loop::Impl {
  ws::BlockPool blocks;
  OutputPool outputs;
  size_t backlog = 0;
  TimerQueue timers;
  std::vector<Action> turn_end;
  std::vector<Action> turn_end_running;
  std::deque<Action> spread;
  bool spread_posted = false;
  Action on_stop;
  Action on_reload;

  asio::io_context context{1};  // one thread runs it; any thread may post
  asio::executor_work_guard<Executor> work{context.get_executor()};
  Timer timer{context};
  Clock::time_point armed = Clock::time_point::max();
  std::optional<Signals> stop_signals;
  std::optional<Signals> reload_signals;

  // One system timer for all of ours, set to the earliest. It may fire early (when the earliest was
  // cancelled), never late.
  void arm() {
    const std::optional<Clock::time_point> due = timers.next_due();
    if (!due || *due >= armed) return;
    armed = *due;
    timer.expires_at(armed);
    timer.async_wait([this](ErrorCode error) {
      if (error) return;
      armed = Clock::time_point::max();
      const Clock::time_point now = Clock::now();
      timers.run_due(now, [until = now + kTimerTurn] { return Clock::now() >= until; });
      arm();
    });
  }

  void run_turn_end() {
    std::swap(turn_end, turn_end_running);
    for (Action& action : turn_end_running) action();
    turn_end_running.clear();
  }

  void run_spread() {
    const Clock::time_point until = Clock::now() + kSpreadTurn;
    spread_posted = false;
    while (!spread.empty()) {
      Action action = std::move(spread.front());
      spread.pop_front();
      action();
      if (Clock::now() >= until) break;
    }
    if (!spread.empty()) post_spread();
  }
  void post_spread() {
    if (std::exchange(spread_posted, true)) return;
    asio::post(context, [this] { run_spread(); });
  }
};

Loop::Loop() : impl_(std::make_unique<Impl>()) {}

Loop::~Loop() {
  const std::vector<Action> dropped = std::exchange(impl_->turn_end, {});
  const std::deque<Action> spread = std::exchange(impl_->spread, {});
  impl_->timers.clear();
}

void Loop::run() {
  impl_->context.run();
  impl_->context.restart();
  // What the last turn still wanted to send.
  impl_->run_turn_end();
}

void Loop::stop() { impl_->context.stop(); }

void Loop::post(Action action) { asio::post(impl_->context, std::move(action)); }
void Loop::dispatch(Action action) { asio::dispatch(impl_->context, std::move(action)); }

TimerId Loop::after(std::chrono::microseconds delay, Action action) {
  const TimerId id = impl_->timers.add(Clock::now() + delay, std::move(action));
  impl_->arm();
  return id;
}

void Loop::cancel(TimerId id) { impl_->timers.cancel(id); }

Clock::time_point Loop::now() const { return Clock::now(); }

int64_t Loop::wall_ms() const {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<Millis>(since).count();
}

void Loop::at_turn_end(Action action) {
  impl_->turn_end.push_back(std::move(action));
  // Posted work queues behind everything that is ready now.
  if (impl_->turn_end.size() == 1)
    asio::post(impl_->context, [impl = impl_.get()] { impl->run_turn_end(); });
}

void Loop::spread(Action action) {
  impl_->spread.push_back(std::move(action));
  impl_->post_spread();
}

std::shared_ptr<void> Loop::once_readable(int fd, Action action) {
  // A duplicate, because an Asio descriptor closes what it was given.
  const int own = ::dup(fd);
  if (own < 0) return nullptr;
  auto descriptor = std::make_shared<Descriptor>(impl_->context, own);
  descriptor->async_wait(
      Descriptor::wait_read,
      [weak = std::weak_ptr(descriptor), then = std::move(action)](ErrorCode error) mutable {
        if (!error && !weak.expired()) then();
      });
  return descriptor;
}

void Loop::on_stop_signals(Action action) {
  impl_->on_stop = std::move(action);
  impl_->stop_signals.emplace(impl_->context, SIGTERM, SIGINT);
  listen_for(*impl_->stop_signals, impl_->on_stop);
}

void Loop::on_reload_signal(Action action) {
  impl_->on_reload = std::move(action);
  impl_->reload_signals.emplace(impl_->context, SIGHUP);
  listen_for(*impl_->reload_signals, impl_->on_reload);
}

asio::io_context& Loop::context() { return impl_->context; }
ws::BlockPool& Loop::blocks() { return impl_->blocks; }
OutputPool& Loop::outputs() { return impl_->outputs; }
size_t& Loop::backlog() { return impl_->backlog; }

}  // namespace iii::net
