#include "bus/engine/slices.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>

#include "foundation/base/fake_timers.h"

namespace iii::engine {
namespace {

using testing::IsEmpty;

// A clock that a step can move, so that the end of a turn needs no waiting.
class SteppingTimers final : public Timers {
 public:
  TimerId after(std::chrono::microseconds delay, std::move_only_function<void()> action) override {
    return timers_.after(delay, std::move(action));
  }
  void cancel(TimerId id) override { timers_.cancel(id); }
  std::chrono::steady_clock::time_point now() const override { return timers_.now() + spent; }
  int64_t wall_ms() const override { return timers_.wall_ms(); }
  void turn() { timers_.advance(Millis{0}); }

  std::chrono::microseconds spent{0};

 private:
  FakeTimers timers_;
};

class SlicesTest : public testing::Test {
 protected:
  // Work of `steps` steps, each of which notes its name.
  Slices::Step work(char name, int steps) {
    return [this, name, left = steps]() mutable {
      order += name;
      return --left > 0;
    };
  }

  FakeTimers timers;
  Slices slices{timers};
  std::string order;
};

TEST(Slices, WhatIsAddedWhileTheyEndIsDropped) {
  FakeTimers timers;
  const auto witness = std::make_shared<int>(0);
  auto slices = std::make_unique<Slices>(timers);
  // As the place of an activation does, whose call waits here.
  const auto adds = [added = slices.get(), witness](void*) {
    for (OwnerId owner = 100; owner < 200; ++owner) added->add(owner, [witness] { return false; });
  };
  for (OwnerId owner = 0; owner < 10; ++owner) {
    slices->add(owner, [place = std::shared_ptr<void>(nullptr, adds)] { return false; });
  }
  slices.reset();
  EXPECT_EQ(timers.pending(), 0U);
  EXPECT_EQ(witness.use_count(), 2) << "ours, and that of `adds`";
}

TEST_F(SlicesTest, RunsNothingBeforeAddReturns) {
  slices.add(1, work('a', 1));
  EXPECT_THAT(order, IsEmpty());
  timers.advance(Millis{0});
  EXPECT_EQ(order, "a");
  EXPECT_TRUE(slices.empty());
}

TEST_F(SlicesTest, OwnersTakeTurnsAndKeepTheirOwnOrder) {
  slices.add(1, work('a', 3));
  slices.add(1, work('b', 1));
  slices.add(2, work('c', 2));
  timers.advance(Millis{0});
  EXPECT_EQ(order, "acacab");
}

TEST_F(SlicesTest, DropForgetsTheWorkOfAnOwner) {
  slices.add(1, work('a', 3));
  slices.add(2, work('b', 2));
  slices.drop(1);
  timers.advance(Millis{0});
  EXPECT_EQ(order, "bb");
}

TEST_F(SlicesTest, AStepMayDropItsOwnOwner) {
  slices.add(1, [this] {
    order += 'x';
    slices.drop(1);
    return true;
  });
  slices.add(1, work('a', 1));
  timers.advance(Millis{0});
  EXPECT_EQ(order, "x");
  EXPECT_TRUE(slices.empty());
}

TEST_F(SlicesTest, AStepMayAddWork) {
  slices.add(1, [this] {
    slices.add(1, work('a', 1));
    return false;
  });
  timers.advance(Millis{0});
  EXPECT_EQ(order, "a");
}

TEST(SlicesTurnTest, OtherEventsComeBetweenTwoTurns) {
  SteppingTimers timers;
  Slices slices(timers, std::chrono::microseconds{100});
  std::string order;
  int left = 4;
  slices.add(1, [&] {
    timers.spent += std::chrono::microseconds{60};
    order += 'a';
    // Somebody else's event falls due during the first turn.
    if (left == 4) timers.after(std::chrono::microseconds{0}, [&] { order += '!'; });
    return --left > 0;
  });
  timers.turn();
  EXPECT_EQ(order, "aa!aa");
}

}  // namespace
}  // namespace iii::engine
