#include "foundation/task/pool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <latch>
#include <string>

#include "bus/net/loop.h"
#include "foundation/task/task.h"
#include "foundation/task/task_group.h"

namespace iii::task {
namespace {

class PoolTest : public testing::Test {
 protected:
  // Runs the loop until `done`.
  template <typename F>
  void run_until(F done) {
    const TimerId limit = loop.after(std::chrono::seconds(20), [this] {
      ADD_FAILURE() << "nothing more happened";
      loop.stop();
    });
    std::function<void()> check = [&] {
      if (done()) return loop.stop();
      loop.post([&] { check(); });
    };
    check();
    loop.run();
    loop.cancel(limit);
  }
  template <typename Job>
  Task<void> note(Job job, std::string name) {
    co_await job;
    ended += name;
  }

  net::Loop loop;
  std::string ended;  // names of jobs, in their order
  Pool::Lane lane;
  Pool pool{loop, 2};
  TaskGroup tasks;
};

TEST_F(PoolTest, ALaneLeavesAThreadToOthers) {
  std::latch hold{1};
  tasks.spawn(note(pool.run(lane, [&hold] { hold.wait(); }), "a"));
  tasks.spawn(note(pool.run(lane, [] {}), "b"));
  tasks.spawn(note(pool.run(lane, [] {}), "c"));
  tasks.spawn(note(pool.run([] {}), "other "));
  run_until([&] { return !ended.empty(); });
  EXPECT_EQ(ended, "other ");
  hold.count_down();
  run_until([&] { return ended.size() == 9; });
  EXPECT_EQ(ended, "other abc");
}

TEST_F(PoolTest, OthersComeBetweenTwoOfALane) {
  Pool one{loop, 1};
  std::latch hold{1};
  tasks.spawn(note(one.run(lane, [&hold] { hold.wait(); }), "a"));
  tasks.spawn(note(one.run(lane, [] {}), "b"));
  tasks.spawn(note(one.run([] {}), "-"));
  hold.count_down();
  run_until([&] { return ended.size() == 3; });
  EXPECT_EQ(ended, "a-b");
  one.stop();
}

TEST_F(PoolTest, WhatHasNotBegunIsForgotten) {
  std::latch hold{1};
  auto first = pool.run(lane, [&hold] { hold.wait(); });
  tasks.spawn(note(pool.run(lane, [] {}), "b"));
  hold.count_down();
  tasks.clear();
  pool.stop();
  tasks.spawn(note(pool.run(lane, [] {}), "c"));
  EXPECT_EQ(ended, "");
}

}  // namespace
}  // namespace iii::task
