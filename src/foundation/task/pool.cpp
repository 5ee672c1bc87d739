#include "foundation/task/pool.h"

namespace iii::task {

void Pool::submit(Work job) {
  const std::lock_guard lock(mutex_);
  if (!stopping_) add(std::move(job));
}

void Pool::submit(Lane& lane, Work job) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return;
  lane.jobs_.push_back(std::move(job));
  if (std::exchange(lane.busy_, true)) return;
  add([this, &lane] { take_turn(lane); });
}

// The first of the lane; the next one goes to the end of the queue.
void Pool::take_turn(Lane& lane) {
  std::unique_lock lock(mutex_);
  Work next = std::move(lane.jobs_.front());
  lane.jobs_.pop_front();
  lock.unlock();
  next();
  next = nullptr;
  lock.lock();
  if (lane.jobs_.empty() || stopping_) {
    lane.busy_ = false;
  } else {
    add([this, &lane] { take_turn(lane); });
  }
}

void Pool::add(Work job) {
  jobs_.push_back(std::move(job));
  // One more thread as long as none may be free for the job.
  if (threads_.size() < size_ && threads_.size() < jobs_.size() + busy_) {
    threads_.emplace_back([this] { work(); });
  }
  wake_.notify_one();
}

void Pool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (stopping_) return;
    {
      auto job = std::move(jobs_.front());
      jobs_.pop_front();
      ++busy_;
      lock.unlock();
      job();
    }
    lock.lock();
    --busy_;
  }
}

void Pool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    jobs_.clear();
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace iii::task
