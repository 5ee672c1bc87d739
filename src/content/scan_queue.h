// The folders that a scan still has to look at, shared by its threads.
#pragma once

#include <condition_variable>
#include <mutex>
#include <vector>

#include "content/scan.h"

namespace iii::content {

class ScanQueue {
 public:
  struct Task {
    Folder* folder = nullptr;
    Look look;
    size_t first = 0;  // with `last` set: only these entries, the folder itself is done
    size_t last = 0;
  };

  void push(Task task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(task);
    }
    ready_.notify_one();
  }

  // Works until nothing is left and nobody can add more. Called by every thread of the scan.
  void run(Scanner& scanner, Changes& changes);

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  std::vector<Task> tasks_;  // last in, first out: the queue stays short
  size_t busy_ = 0;
};

}  // namespace iii::content
