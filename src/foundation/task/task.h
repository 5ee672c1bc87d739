// Task<T>: a coroutine that starts when it is awaited and lives on the loop thread.
//
// The Task owns the coroutine: destroying one that is suspended destroys its locals, and with them
// whatever it was waiting for. An exception that leaves the body comes out of the co_await.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace iii::task {

template <typename T = void>
class Task;

namespace task_detail {

class PromiseBase {
 public:
  struct FinalAwaiter {
    bool await_ready() const noexcept { return false; }
    template <typename Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> done) const noexcept {
      const std::coroutine_handle<> next = done.promise().continuation_;
      return next ? next : std::noop_coroutine();
    }
    void await_resume() const noexcept {}
  };

  std::suspend_always initial_suspend() const noexcept { return {}; }
  FinalAwaiter final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { exception_ = std::current_exception(); }

  void continue_with(std::coroutine_handle<> continuation) noexcept {
    continuation_ = continuation;
  }

 protected:
  void rethrow() {
    if (exception_) std::rethrow_exception(std::exchange(exception_, nullptr));
  }

 private:
  std::coroutine_handle<> continuation_;
  std::exception_ptr exception_;
};

template <typename T>
class Promise final : public PromiseBase {
 public:
  Task<T> get_return_object() noexcept;
  template <typename U>
    requires std::convertible_to<U&&, T>
  void return_value(U&& value) {
    value_.emplace(std::forward<U>(value));
  }
  T take() {
    rethrow();
    return std::move(*value_);
  }

 private:
  std::optional<T> value_;
};

template <>
class Promise<void> final : public PromiseBase {
 public:
  Task<void> get_return_object() noexcept;
  void return_void() const noexcept {}
  void take() { rethrow(); }
};

}  // namespace task_detail

template <typename T>
class [[nodiscard]] Task {
 public:
  using promise_type = task_detail::Promise<T>;

  Task(Task&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (frame_) frame_.destroy();
  }

  struct Awaiter {
    std::coroutine_handle<promise_type> frame;

    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting) const noexcept {
      frame.promise().continue_with(waiting);
      return frame;
    }
    T await_resume() const { return frame.promise().take(); }
  };
  // Once: a Task cannot be awaited a second time.
  Awaiter operator co_await() noexcept { return Awaiter{frame_}; }

 private:
  friend promise_type;
  explicit Task(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}

  std::coroutine_handle<promise_type> frame_;
};

template <typename T>
Task<T> task_detail::Promise<T>::get_return_object() noexcept {
  return Task<T>(std::coroutine_handle<Promise>::from_promise(*this));
}
inline Task<void> task_detail::Promise<void>::get_return_object() noexcept {
  return Task<void>(std::coroutine_handle<Promise>::from_promise(*this));
}

}  // namespace iii::task
