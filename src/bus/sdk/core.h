// The parts of a running worker that its handlers, calls and channels share. Lives on the loop
// thread.
#pragma once

#include <coroutine>
#include <memory>
#include <set>
#include <string>

#include "bus/net/client.h"
#include "bus/net/loop.h"
#include "bus/sdk/pending.h"
#include "bus/sdk/session.h"
#include "foundation/task/pool.h"
#include "foundation/task/task_group.h"

namespace iii::sdk {

namespace channel_detail {
class Socket;
}

// Where sockets go; an error when the address or the certificates for it cannot be used.
struct EngineAddress {
  Result<net::Url> url;
  std::shared_ptr<const net::TlsTrust> trust;  // for wss
  std::string token;
  Millis connect_timeout;
};

struct WorkerOptions;

struct Core {
  Core(net::Loop& on, EngineAddress where, std::unique_ptr<Transport> through,
       const WorkerOptions& options, SessionListener listener);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  net::Loop& loop;
  EngineAddress address;
  RandomIds ids;
  std::unique_ptr<Transport> transport;
  Session session;
  size_t max_running_calls;
  task::Pool pool;
  task::Pool encoding;  // of one thread: large answers are written there
  std::shared_ptr<std::set<std::shared_ptr<channel_detail::Socket>>>
      closing_channels;  // never null
  task::TaskGroup tasks;
  LogBudget unread_parts{1};  // of events

  // Makes the call and gives the place where its answer will be.
  std::shared_ptr<pending_detail::State> start_call(const OutgoingCall& call) {
    auto state = std::make_shared<pending_detail::State>();
    session.call(call, [state](Reply<json::Raw> reply) { state->complete(std::move(reply)); });
    return state;
  }
};

// `co_await` on it: goes on after a while. Destroyed while waiting, it cancels.
class [[nodiscard]] Sleep {
 public:
  Sleep(Timers& timers, Millis delay) : timers_(timers), delay_(delay) {}
  Sleep(const Sleep&) = delete;
  Sleep& operator=(const Sleep&) = delete;
  ~Sleep() { timers_.cancel(timer_); }

  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> waiting) {
    timer_ = timers_.after(delay_, [this, waiting] {
      timer_ = 0;
      waiting.resume();
    });
  }
  void await_resume() const {}

 private:
  Timers& timers_;
  Millis delay_;
  TimerId timer_ = 0;
};

}  // namespace iii::sdk
