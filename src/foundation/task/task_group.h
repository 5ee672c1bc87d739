// Where started tasks belong: each runs until it ends or until the group is cleared or destroyed.
#pragma once

#include <coroutine>
#include <cstddef>
#include <functional>
#include <list>

#include "foundation/task/task.h"

namespace iii::task {

class TaskGroup {
 public:
  TaskGroup() = default;
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;
  ~TaskGroup() { clear(); }

  // Runs `task` at once, up to where it first has to wait. An exception that leaves it is logged.
  void spawn(Task<void> task);
  size_t size() const { return frames_.size(); }
  // Destroys every suspended task. Not from inside a task of this group.
  void clear();
  // Called, once, when the last task has ended. Replaces an earlier wish.
  void when_empty(std::move_only_function<void()> action);

 private:
  struct Runner;
  static Runner drive(Task<void> task);
  void finished(std::list<std::coroutine_handle<>>::iterator position);

  std::list<std::coroutine_handle<>> frames_;
  std::move_only_function<void()> when_empty_;
};

}  // namespace iii::task
