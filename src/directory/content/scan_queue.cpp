#include "directory/content/scan_queue.h"

#include <algorithm>
#include <system_error>
#include <thread>

namespace iii::content {

namespace {

// At most this many tasks change hands at a time, so that one thread does not take all there is.
constexpr size_t kHandful = 16;

}  // namespace

void ScanPool::join() {
  const std::lock_guard lock(mutex_);
  ++threads_;
}

void ScanPool::leave() {
  const std::lock_guard lock(mutex_);
  --threads_;
}

void ScanPool::share(std::vector<ScanQueue::Task>& tasks) {
  const auto end = tasks.begin() + static_cast<std::ptrdiff_t>(tasks.size() / 2);
  if (end == tasks.begin()) return;
  {
    const std::lock_guard lock(mutex_);
    tasks_.insert(tasks_.end(), tasks.begin(), end);
  }
  tasks.erase(tasks.begin(), end);
  ready_.notify_all();
}

bool ScanPool::take(std::vector<ScanQueue::Task>& tasks) {
  std::unique_lock lock(mutex_);
  if (tasks_.empty()) {
    if (waiting_.fetch_add(1, std::memory_order_relaxed) + 1 == threads_) {
      done_ = true;
      ready_.notify_all();
      return false;
    }
    ready_.wait(lock, [this] { return done_ || !tasks_.empty(); });
    if (done_) return false;
    waiting_.fetch_sub(1, std::memory_order_relaxed);
  }
  const size_t count = std::min(kHandful, (tasks_.size() + 1) / 2);
  const auto begin = tasks_.end() - static_cast<std::ptrdiff_t>(count);
  tasks.assign(begin, tasks_.end());
  tasks_.erase(begin, tasks_.end());
  return true;
}

void ScanQueue::run(Scanner& scanner, Changes& changes) {
  do {
    while (!tasks_.empty()) {
      if (tasks_.size() > 1 && pool_.wanted()) pool_.share(tasks_);
      const Task task = tasks_.back();
      tasks_.pop_back();
      if (task.last > 0) {
        scanner.scan_entries(*task.folder, task.folder->path(), task.first, task.last, task.options,
                             changes, this);
      } else {
        scanner.visit(*task.folder, task.options, changes, this);
      }
    }
  } while (pool_.take(tasks_));
}

void Scanner::sync_parallel(Folder& folder, ScanOptions options, Changes& changes) {
  ScanPool pool;
  pool.join();
  ScanQueue own(pool);
  own.push({.folder = &folder, .options = options});
  std::vector<Changes> theirs(limits_.threads > 1 ? limits_.threads - 1 : 0);
  {
    std::vector<std::jthread> threads;
    threads.reserve(theirs.size());
    for (Changes& mine : theirs) {
      pool.join();
      try {
        threads.emplace_back([this, &pool, &mine] {
          ScanQueue queue(pool);
          queue.run(*this, mine);
        });
      } catch (const std::system_error&) {
        pool.leave();  // the system gives no more: those that are there do it
        break;
      }
    }
    own.run(*this, changes);
  }
  for (Changes& mine : theirs) changes.absorb(std::move(mine));
}

}  // namespace iii::content
