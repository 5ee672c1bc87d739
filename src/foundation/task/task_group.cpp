#include "foundation/task/task_group.h"

#include <exception>
#include <utility>

#include "foundation/base/log.h"

namespace iii::task {

// The outermost coroutine: owns the task, takes itself off the list when it is done.
struct TaskGroup::Runner {
  struct promise_type {
    TaskGroup* group = nullptr;
    std::list<std::coroutine_handle<>>::iterator position;

    struct Finish {
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<promise_type> done) const noexcept {
        TaskGroup& home = *done.promise().group;
        const auto entry = done.promise().position;
        done.destroy();
        home.finished(entry);
      }
      void await_resume() const noexcept {}
    };

    Runner get_return_object() noexcept {
      return Runner{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    Finish final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept { std::terminate(); }
  };

  std::coroutine_handle<promise_type> frame;
};

TaskGroup::Runner TaskGroup::drive(Task<void> task) {
  try {
    co_await task;
  } catch (const std::exception& e) {
    log_error("a background task failed: {}", e.what());
  } catch (...) {
    log_error("a background task failed with something that is not a std::exception");
  }
}

void TaskGroup::spawn(Task<void> task) {
  const Runner runner = drive(std::move(task));
  frames_.push_back(runner.frame);
  runner.frame.promise().group = this;
  runner.frame.promise().position = std::prev(frames_.end());
  runner.frame.resume();
}

void TaskGroup::finished(std::list<std::coroutine_handle<>>::iterator position) {
  frames_.erase(position);
  if (frames_.empty() && when_empty_) std::exchange(when_empty_, nullptr)();
}

void TaskGroup::clear() {
  while (!frames_.empty()) {
    const std::coroutine_handle<> frame = frames_.front();
    frames_.pop_front();
    frame.destroy();
  }
}

void TaskGroup::when_empty(std::move_only_function<void()> action) {
  when_empty_ = std::move(action);
}

}  // namespace iii::task
