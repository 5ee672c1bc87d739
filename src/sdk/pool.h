// A few threads for work that blocks: disk, compression, other people's libraries. The loop goes on
// meanwhile.
#pragma once

#include <condition_variable>
#include <coroutine>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "net/loop.h"

namespace iii::sdk {

// Work under way on the pool; co_await gives what the callable returned, or throws what it threw.
template <typename T>
class [[nodiscard]] PoolJob {
 public:
  using Stored = std::conditional_t<std::is_void_v<T>, std::monostate, T>;
  struct State {
    std::optional<Stored> value;
    std::exception_ptr exception;
    bool done = false;  // set on the loop thread
    std::coroutine_handle<> waiter;
  };

  explicit PoolJob(std::shared_ptr<State> state) : state_(std::move(state)) {}

  class Awaiter {
   public:
    explicit Awaiter(std::shared_ptr<State> state) : state_(std::move(state)) {}
    Awaiter(const Awaiter&) = delete;
    Awaiter& operator=(const Awaiter&) = delete;
    ~Awaiter() { state_->waiter = nullptr; }

    bool await_ready() const { return state_->done; }
    void await_suspend(std::coroutine_handle<> waiting) { state_->waiter = waiting; }
    T await_resume() {
      if (state_->exception) std::rethrow_exception(state_->exception);
      if constexpr (!std::is_void_v<T>) return std::move(*state_->value);
    }

   private:
    std::shared_ptr<State> state_;
  };
  Awaiter operator co_await() const { return Awaiter(state_); }

 private:
  std::shared_ptr<State> state_;
};

// Used from the loop thread; the callables run elsewhere.
class Pool {
 public:
  Pool(net::Loop& loop, size_t threads) : loop_(loop), size_(threads == 0 ? 1 : threads) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() { stop(); }

  template <typename F>
  auto run(F callable) {
    using T = std::invoke_result_t<F&>;
    using Job = PoolJob<T>;
    auto state = std::make_shared<typename Job::State>();
    submit([this, state, work = std::move(callable)]() mutable {
      try {
        if constexpr (std::is_void_v<T>) {
          work();
          state->value.emplace();
        } else {
          state->value.emplace(work());
        }
      } catch (...) {
        state->exception = std::current_exception();
      }
      loop_.post([state] {
        state->done = true;
        if (const auto waiting = std::exchange(state->waiter, nullptr)) waiting.resume();
      });
    });
    return Job(std::move(state));
  }

  // Waits for what is running, forgets what has not begun (it is never resumed).
  void stop();

 private:
  void submit(std::move_only_function<void()> job);
  void work();

  net::Loop& loop_;
  const size_t size_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::move_only_function<void()>> jobs_;  // under mutex_
  size_t busy_ = 0;                                   // under mutex_
  bool stopping_ = false;                             // under mutex_
};

}  // namespace iii::sdk
