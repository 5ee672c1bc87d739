#include "foundation/base/discard.h"

#include <malloc.h>

#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

namespace iii {

namespace {

using Destroy = std::move_only_function<void()>;

class Discarder {
 public:
  Discarder() {
    std::thread([this] { work(); }).detach();
  }

  void add(Destroy destroy) {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(destroy));
    }
    wake_.notify_one();
  }

 private:
  [[noreturn]] void work() {
    std::vector<Destroy> taken;
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return !waiting_.empty(); });
      taken.swap(waiting_);
      lock.unlock();
      for (Destroy& destroy : taken) destroy();
      taken.clear();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Destroy> waiting_;
};

}  // namespace

void run_discard(Destroy destroy) {
  // Never destroyed: objects of static storage may still discard when the process ends.
  static auto* const discarder = new Discarder();
  discarder->add(std::move(destroy));
}

void set_up_malloc() {
  constexpr int kMiB = 1024 * 1024;
  ::mallopt(M_MMAP_THRESHOLD, kMiB);
  ::mallopt(M_TRIM_THRESHOLD, 4 * kMiB);
  ::mallopt(M_TOP_PAD, kMiB);
}

void wait_for_discards() {
  std::promise<void> done;
  run_discard([&done] { done.set_value(); });
  done.get_future().wait();
}

}  // namespace iii
