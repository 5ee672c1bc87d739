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

#include "foundation/base/timers.h"

namespace iii::task {

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
  // Work that takes turns: one at a time of those in a lane, and what else waits for the pool runs
  // between two of them. A lane belongs to one pool and outlives it, or its stop().
  class Lane {
   public:
    Lane() = default;
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;

   private:
    friend class Pool;
    std::deque<std::move_only_function<void()>> jobs_;  // under mutex_ of the pool
    bool busy_ = false;                                 // the same
  };

  Pool(WorkQueue& loop, size_t threads) : loop_(loop), size_(threads == 0 ? 1 : threads) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() { stop(); }

  template <typename F>
  auto run(F callable) {
    auto state = state_for(callable);
    submit(job_of(std::move(callable), state));
    return PoolJob<std::invoke_result_t<F&>>(std::move(state));
  }
  template <typename F>
  auto run(Lane& lane, F callable) {
    auto state = state_for(callable);
    submit(lane, job_of(std::move(callable), state));
    return PoolJob<std::invoke_result_t<F&>>(std::move(state));
  }

  // Waits for what is running, forgets what has not begun (it is never resumed).
  void stop();

 private:
  using Work = std::move_only_function<void()>;

  template <typename F>
  static auto state_for(const F& /*callable*/) {
    return std::make_shared<typename PoolJob<std::invoke_result_t<F&>>::State>();
  }
  template <typename F, typename State>
  Work job_of(F callable, std::shared_ptr<State> state) {
    return [this, state = std::move(state), work = std::move(callable)]() mutable {
      using T = std::invoke_result_t<F&>;
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
    };
  }

  void submit(Work job);
  void submit(Lane& lane, Work job);
  void add(Work job);  // under mutex_
  void take_turn(Lane& lane);
  void work();

  WorkQueue& loop_;
  const size_t size_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Work> jobs_;  // under mutex_
  size_t busy_ = 0;        // under mutex_
  bool stopping_ = false;  // under mutex_
};

}  // namespace iii::task
