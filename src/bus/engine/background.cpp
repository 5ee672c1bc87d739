#include "bus/engine/background.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace iii::engine {

namespace {

class ThreadBackground final : public Background {
 public:
  explicit ThreadBackground(Post post) : post_(std::move(post)) {}

  ~ThreadBackground() override {
    {
      const std::lock_guard lock(shared_->mutex);
      shared_->stop = true;
      shared_->waiting.clear();
    }
    shared_->wake.notify_one();
    if (thread_.joinable()) thread_.join();
  }

  void run(OwnerId owner, Action job, Action done) override {
    {
      const std::lock_guard lock(shared_->mutex);
      shared_->waiting[owner].push_back({std::move(job), std::move(done)});
    }
    if (thread_.joinable()) {
      shared_->wake.notify_one();
    } else {
      thread_ = std::thread([this] { work(); });
    }
  }

  void drop(OwnerId owner) override {
    std::deque<Task> dropped;  // destroyed without the lock: tasks own what callers gave them
    const std::lock_guard lock(shared_->mutex);
    if (const auto it = shared_->waiting.find(owner); it != shared_->waiting.end()) {
      dropped = std::move(it->second);
      shared_->waiting.erase(it);
    }
  }

 private:
  struct Task {
    Action job;
    Action done;
  };
  // Held weakly by what was posted: a completion that runs after the end does nothing.
  struct Shared {
    std::mutex mutex;
    std::condition_variable wake;
    std::map<OwnerId, std::deque<Task>> waiting;  // never holds an empty queue
    bool stop = false;
  };

  void work() {
    Shared& shared = *shared_;
    OwnerId next = 0;
    std::unique_lock lock(shared.mutex);
    for (;;) {
      shared.wake.wait(lock, [&shared] { return shared.stop || !shared.waiting.empty(); });
      if (shared.stop) return;
      auto it = shared.waiting.lower_bound(next);
      if (it == shared.waiting.end()) it = shared.waiting.begin();
      next = it->first + 1;
      Task task = std::move(it->second.front());
      it->second.pop_front();
      if (it->second.empty()) shared.waiting.erase(it);
      lock.unlock();
      task.job();
      task.job = nullptr;
      post_([alive = std::weak_ptr(shared_), done = std::move(task.done)]() mutable {
        if (!alive.expired()) done();
      });
      lock.lock();
    }
  }

  Post post_;
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Background> Background::thread(Post post) {
  return std::make_unique<ThreadBackground>(std::move(post));
}

}  // namespace iii::engine
