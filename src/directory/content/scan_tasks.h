// The folders that a scan still has to read: one stack for all of its threads.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <vector>

#include "directory/content/scan.h"

namespace iii::content {

struct ScanTask {
  Folder* folder = nullptr;
  ScanOptions options;
  size_t first = 0;  // with `last` set: only these entries, the folder itself is done
  size_t last = 0;
};

class ScanTasks {
 public:
  void push(ScanTask task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(task);
    ready_.notify_one();
  }
  // The newest task, so that the stack stays small; waits for one while another thread works on a
  // task, which may push more. Nothing: the scan is done.
  std::optional<ScanTask> take() {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [this] { return !tasks_.empty() || working_ == 0; });
    if (tasks_.empty()) return std::nullopt;
    const ScanTask task = tasks_.back();
    tasks_.pop_back();
    ++working_;
    return task;
  }
  // A task that was taken is finished, and has pushed what it leads to.
  void done() {
    const std::lock_guard lock(mutex_);
    if (--working_ == 0 && tasks_.empty()) ready_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  std::vector<ScanTask> tasks_;
  size_t working_ = 0;
};

}  // namespace iii::content
