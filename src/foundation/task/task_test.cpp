#include "foundation/task/task.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "foundation/base/result.h"
#include "foundation/task/task_group.h"

namespace iii::task {
namespace {

// A door that a coroutine waits at until somebody opens it.
class Door {
 public:
  struct Awaiter {
    Door& door;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> waiting) { door.waiting_ = waiting; }
    void await_resume() const {}
  };
  Awaiter operator co_await() { return Awaiter{*this}; }
  void open() { std::exchange(waiting_, nullptr).resume(); }

 private:
  std::coroutine_handle<> waiting_;
};

Task<int> plus_one(int n) { co_return n + 1; }
Task<Result<std::string>> failing() { co_return fail("c", "m"); }
Task<int> throwing() {
  throw std::runtime_error("thrown");
  co_return 0;
}

Task<void> count_to(int n, int* out) {
  for (int i = 0; i < n; ++i) {
    *out = co_await plus_one(*out);
  }
}

Task<void> wait_at(Door* door, std::shared_ptr<int> kept, int* passed) {
  co_await *door;
  *passed = *kept;
}

TEST(Task, RunsWhenAwaitedAndGivesItsValue) {
  TaskGroup group;
  int n = 0;
  group.spawn(count_to(1'000, &n));
  EXPECT_EQ(n, 1'000);
  EXPECT_EQ(group.size(), 0u);
}

TEST(Task, NotAwaitedItNeverRuns) {
  int n = 0;
  {
    const auto task = count_to(1, &n);
  }
  EXPECT_EQ(n, 0);
}

TEST(Task, AnExceptionComesOutOfTheAwait) {
  TaskGroup group;
  std::string caught;
  auto outer = [](std::string* text) -> Task<void> {
    try {
      co_await throwing();
    } catch (const std::exception& e) {
      *text = e.what();
    }
  };
  group.spawn(outer(&caught));
  EXPECT_EQ(caught, "thrown");
}

TEST(Task, CarriesErrorsAsValues) {
  TaskGroup group;
  std::string code;
  auto outer = [](std::string* text) -> Task<void> {
    const Result<std::string> result = co_await failing();
    *text = result.error().code;
  };
  group.spawn(outer(&code));
  EXPECT_EQ(code, "c");
}

TEST(TaskGroup, HoldsATaskUntilItEndsAndTellsWhenTheLastHas) {
  TaskGroup group;
  Door door;
  int passed = 0;
  int empty = 0;
  group.spawn(wait_at(&door, std::make_shared<int>(7), &passed));
  group.when_empty([&] { ++empty; });
  EXPECT_EQ(group.size(), 1u);
  door.open();
  EXPECT_EQ(passed, 7);
  EXPECT_EQ(group.size(), 0u);
  EXPECT_EQ(empty, 1);
}

TEST(TaskGroup, ClearingDestroysWhatWaitsAndItsLocals) {
  TaskGroup group;
  Door door;
  int passed = 0;
  auto kept = std::make_shared<int>(7);
  group.spawn(wait_at(&door, kept, &passed));
  EXPECT_EQ(kept.use_count(), 2);
  group.clear();
  EXPECT_EQ(kept.use_count(), 1);
  EXPECT_EQ(passed, 0);
}

TEST(TaskGroup, AnExceptionNobodyCatchesEndsOnlyItsTask) {
  TaskGroup group;
  auto task = []() -> Task<void> { co_await throwing(); };
  group.spawn(task());
  EXPECT_EQ(group.size(), 0u);
}

}  // namespace
}  // namespace iii::task
