// The folders that a scan still has to look at, spread over its threads.
//
// Each thread works off a heap of its own and gives some of it away when another one has nothing to
// do, so that threads that are busy do not meet.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "directory/content/scan.h"

namespace iii::content {

class ScanPool;

// One thread's own heap.
class ScanQueue {
 public:
  struct Task {
    Folder* folder = nullptr;
    ScanOptions options;
    size_t first = 0;  // with `last` set: only these entries, the folder itself is done
    size_t last = 0;
  };

  explicit ScanQueue(ScanPool& pool) : pool_(pool) {}

  void push(Task task) { tasks_.push_back(task); }

  // Works until nobody has anything left. Called by every thread of the scan.
  void run(Scanner& scanner, Changes& changes);

 private:
  ScanPool& pool_;
  std::vector<Task> tasks_;  // last in, first out: the heap stays small
};

// Where threads without work wait for those that have some.
class ScanPool {
 public:
  // Every thread of the scan has joined before it runs, and before all others could be done.
  void join();
  void leave();

  bool wanted() const { return waiting_.load(std::memory_order_relaxed) > 0; }
  // Takes the older half: what was found first lies highest and leads to most.
  void share(std::vector<ScanQueue::Task>& tasks);
  // Waits for work. False: all threads wait, so there will be none.
  bool take(std::vector<ScanQueue::Task>& tasks);

 private:
  std::atomic<size_t> waiting_ = 0;
  std::mutex mutex_;
  size_t threads_ = 0;
  std::condition_variable ready_;
  std::vector<ScanQueue::Task> tasks_;
  bool done_ = false;
};

}  // namespace iii::content
