// Order and limits of the operations of State and Configuration.
#include "bus/engine/durable.h"

#include <gmock/gmock.h>

#include "bus/engine/fake_bus.h"
#include "bus/engine/store/fake_store.h"

namespace iii::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class DurableTest : public testing::Test {
 protected:
  // Notes its name when it runs.
  void enter(const std::string& lane, const std::string& name, OwnerId owner = 1,
             size_t bytes = 1) {
    durable_.enter(lane, owner, bytes, [this, name](Result<void> may) {
      ran_.push_back(may ? name : name + " refused");
    });
  }
  void enter_and_compute(const std::string& lane, const std::string& name) {
    durable_.enter(lane, 1, 1, [this, lane, name](const Result<void>&) {
      durable_.compute(
          lane, 1, [name] { return name; },
          [this](const std::string& done) { ran_.push_back(done); });
    });
  }
  std::vector<std::string> ran() {
    bus_.turn();
    return std::exchange(ran_, {});
  }

  FakeBus bus_;
  FakeStore::Disk disk_;
  FakeStore store_{&disk_};
  Durable durable_{store_, bus_};
  std::vector<std::string> ran_;
};

TEST_F(DurableTest, AnOperationOnAFreeLaneRunsAtOnce) {
  enter("a", "1");
  EXPECT_THAT(ran_, ElementsAre("1"));
}

TEST_F(DurableTest, OperationsWaitInOrderForTheComputationBeforeThemOthersDoNot) {
  enter_and_compute("a", "large");
  enter("a", "1");
  enter_and_compute("a", "larger");
  enter("a", "2");
  enter("b", "other");
  EXPECT_THAT(ran_, ElementsAre("other"));
  EXPECT_THAT(ran(), ElementsAre("other", "large", "1", "larger", "2"));
  enter("a", "free");
  EXPECT_THAT(ran_, ElementsAre("free"));
}

TEST_F(DurableTest, AStepIsRepeatedAndHoldsItsLane) {
  int left = 3;
  durable_.repeat("a", 1, [&] {
    ran_.push_back("step");
    return --left > 0;
  });
  enter("a", "after");
  EXPECT_THAT(ran_, IsEmpty());
  EXPECT_THAT(ran(), ElementsAre("step", "step", "step", "after"));
}

TEST_F(DurableTest, AnOwnerMayLeaveWhileItsWorkGoesOn) {
  enter_and_compute("a", "large");
  enter("a", "1");
  bus_.background().drop(1);
  bus_.slices().drop(1);
  EXPECT_THAT(ran(), ElementsAre("large", "1")) << "what was accepted is done";
}

TEST_F(DurableTest, WhatWaitsIsLimitedForEachOwner) {
  bus_.its_limits.max_calls_per_worker = 2;
  enter_and_compute("a", "large");
  enter("a", "1");
  enter("a", "2");
  enter("a", "3");
  enter("a", "other", 2);
  EXPECT_THAT(ran_, ElementsAre("3 refused"));
  EXPECT_THAT(ran(), ElementsAre("3 refused", "large", "1", "2", "other"));
}

TEST_F(DurableTest, TheBytesOfWhatWaitsAreLimitedToo) {
  bus_.its_limits.max_call_bytes_per_worker = 10;
  enter_and_compute("a", "large");
  enter("a", "1", 1, 100);  // one always fits
  enter("a", "2", 1, 1);
  EXPECT_THAT(ran_, ElementsAre("2 refused"));
  bus_.turn();
  enter_and_compute("a", "large");
  enter("a", "3", 1, 5);
  enter("a", "4", 1, 5);
  enter("a", "5", 1, 1);
  EXPECT_EQ(ran_.back(), "5 refused");
}

TEST_F(DurableTest, AWriteIsDoneAfterTheCommitAndUndoneWhenItFails) {
  const auto write = [this](const std::string& name) {
    durable_.write(
        {}, [this, name] { ran_.push_back(name + " undone"); },
        [this, name](Result<void> stored) {
          ran_.push_back(name + (stored ? " stored" : " failed"));
        });
  };
  write("1");
  EXPECT_THAT(ran_, IsEmpty());
  store_.commit();
  EXPECT_THAT(ran(), ElementsAre("1 stored"));
  write("2");
  write("3");
  store_.break_disk();
  EXPECT_THAT(ran(), ElementsAre("3 undone", "2 undone", "2 failed", "3 failed"));
  store_.refuse(true);
  write("4");
  EXPECT_THAT(ran(), ElementsAre("4 undone", "4 failed"));
}

TEST_F(DurableTest, ItMayEndWhileWorkIsUnderWay) {
  {
    Durable durable(store_, bus_);
    durable.enter("a", 1, 1, [&](const Result<void>&) {
      durable.compute("a", 1, [] { return 1; }, [this](int) { ran_.push_back("done"); });
    });
    durable.enter("a", 1, 1, [this](const Result<void>&) { ran_.push_back("next"); });
  }
  EXPECT_THAT(ran(), IsEmpty());
}

}  // namespace
}  // namespace iii::engine
