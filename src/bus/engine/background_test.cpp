#include "bus/engine/background.h"

#include <gmock/gmock.h>

#include <condition_variable>
#include <future>
#include <mutex>
#include <string>
#include <vector>

namespace iii::engine {
namespace {

// The loop thread's inbox: what is posted runs when the test says so.
class Inbox {
 public:
  Post post() {
    return [this](std::move_only_function<void()> action) {
      const std::lock_guard lock(mutex_);
      actions_.push_back(std::move(action));
      arrived_.notify_one();
    };
  }
  void run(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      std::unique_lock lock(mutex_);
      arrived_.wait(lock, [this] { return !actions_.empty(); });
      auto action = std::move(actions_.front());
      actions_.erase(actions_.begin());
      lock.unlock();
      action();
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<std::move_only_function<void()>> actions_;
};

TEST(BackgroundTest, DoneGetsWhatTheJobReturnedOnTheLoopThread) {
  Inbox inbox;
  auto background = Background::thread(inbox.post());
  std::string got;
  const auto here = std::this_thread::get_id();
  background->compute(
      1,
      [here] {
        EXPECT_NE(std::this_thread::get_id(), here);
        return std::string("result");
      },
      [&](std::string value) {
        EXPECT_EQ(std::this_thread::get_id(), here);
        got = std::move(value);
      });
  inbox.run(1);
  EXPECT_EQ(got, "result");
}

TEST(BackgroundTest, OwnersTakeTurns) {
  Inbox inbox;
  auto background = Background::thread(inbox.post());
  std::promise<void> release;
  std::string order;  // written by the one background thread only, read after the last `done`
  background->run(1, [gate = release.get_future()]() mutable { gate.wait(); }, [] {});
  for (int i = 0; i < 3; ++i) background->run(1, [&order] { order += 'a'; }, [] {});
  background->run(2, [&order] { order += 'b'; }, [] {});
  release.set_value();
  inbox.run(5);
  EXPECT_EQ(order, "baaa");
}

TEST(BackgroundTest, DropForgetsWaitingJobsAndTheirCompletions) {
  Inbox inbox;
  auto background = Background::thread(inbox.post());
  std::promise<void> release;
  bool ran = false;
  background->run(1, [gate = release.get_future()]() mutable { gate.wait(); }, [] {});
  background->run(2, [&ran] { ran = true; }, [&ran] { ran = true; });
  background->drop(2);
  release.set_value();
  inbox.run(1);
  background->run(1, [] {}, [] {});
  inbox.run(1);
  EXPECT_FALSE(ran);
}

TEST(BackgroundTest, NothingRunsAfterItsEnd) {
  Inbox inbox;
  auto background = Background::thread(inbox.post());
  bool done = false;
  std::promise<void> started;
  background->run(1, [&started] { started.set_value(); }, [&done] { done = true; });
  started.get_future().wait();
  background.reset();
  inbox.run(1);
  EXPECT_FALSE(done);
}

}  // namespace
}  // namespace iii::engine
