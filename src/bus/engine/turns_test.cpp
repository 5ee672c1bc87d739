#include "bus/engine/turns.h"

#include <gmock/gmock.h>

#include "bus/engine/fake_background.h"
#include "foundation/base/fake_timers.h"

namespace iii::engine {
namespace {

class TurnsTest : public testing::Test {
 protected:
  template <typename Make>
  void start(OwnerId owner, Make make) {
    Turns::start(slices_, background_, owner, std::move(make));
  }
  void turn() { timers_.advance(Millis{0}); }

  FakeTimers timers_;
  Slices slices_{timers_};
  FakeBackground background_{timers_};
  std::shared_ptr<int> local_ = std::make_shared<int>(0);
};

TEST_F(TurnsTest, WaitsForItsTurnAndForWorkElsewhere) {
  std::string seen;
  start(1, [&seen](Turns& turns) -> task::Task<void> {
    seen += 'a';
    co_await turns.yield();
    seen += 'b';
    seen += co_await turns.elsewhere([] { return 'c'; });
  });
  EXPECT_EQ(seen, "a");
  while (seen.size() < 3) turn();
  EXPECT_EQ(seen, "abc");
}

TEST_F(TurnsTest, EndsWhenItsOwnerLeaves) {
  start(1, [local = local_](Turns& turns) -> task::Task<void> {
    co_await turns.yield();
    ADD_FAILURE();
  });
  start(2, [local = local_](Turns& turns) -> task::Task<void> { co_await turns.yield(); });
  EXPECT_EQ(local_.use_count(), 3);
  slices_.drop(1);
  EXPECT_EQ(local_.use_count(), 2);
  turn();
  EXPECT_EQ(local_.use_count(), 1) << "the other one has ended by itself";
}

TEST_F(TurnsTest, EndsWithTheWorkThatIsDropped) {
  start(1, [local = local_](Turns& turns) -> task::Task<void> {
    co_await turns.elsewhere([] { return 0; });
    ADD_FAILURE();
  });
  background_.drop(1);
  EXPECT_EQ(local_.use_count(), 1);
  turn();
}

}  // namespace
}  // namespace iii::engine
