#include "content/scan_queue.h"

#include <thread>

namespace iii::content {

void ScanQueue::run(Scanner& scanner, Changes& changes) {
  std::unique_lock lock(mutex_);
  for (;;) {
    ready_.wait(lock, [this] { return !tasks_.empty() || busy_ == 0; });
    if (tasks_.empty()) break;
    const Task task = tasks_.back();
    tasks_.pop_back();
    ++busy_;
    lock.unlock();
    if (task.last > 0) {
      scanner.look_at(*task.folder, task.folder->path(), task.first, task.last, task.look, changes,
                      this);
    } else {
      scanner.visit(*task.folder, task.look, changes, this);
    }
    lock.lock();
    --busy_;
  }
  ready_.notify_all();
}

void Scanner::sync_parallel(Folder& folder, Look look, Changes& changes) {
  ScanQueue queue;
  queue.push({.folder = &folder, .look = look});
  const size_t helpers = limits_.threads > 1 ? limits_.threads - 1 : 0;
  std::vector<Changes> theirs(helpers);
  {
    std::vector<std::jthread> threads;
    threads.reserve(helpers);
    for (Changes& mine : theirs) {
      threads.emplace_back([this, &queue, &mine] { queue.run(*this, mine); });
    }
    queue.run(*this, changes);
  }
  for (Changes& mine : theirs) changes.absorb(std::move(mine));
}

}  // namespace iii::content
