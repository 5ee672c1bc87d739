#include "bus/net/memory_budget.h"

#include "bus/net/net_fixture_for_test.h"

namespace iii::net {
namespace {

using ::testing::ElementsAre;
using ws::Opcode;
using ws::RawFrame;

constexpr size_t kMiB = 1024 * 1024;

struct Fake final : MemoryBudget::Holder {
  Fake(MemoryBudget& to, std::string called, std::vector<std::string>& into)
      : budget(to), name(std::move(called)), ended(into) {}
  void give_up() override {
    ended.push_back(name);
    budget.set(*this, 0, 0);
  }
  MemoryBudget& budget;
  std::string name;
  std::vector<std::string>& ended;
};

class MemoryBudgetTest : public ::testing::Test {
 protected:
  std::shared_ptr<MemoryBudget> budget = std::make_shared<MemoryBudget>(10 * kMiB);
  std::vector<std::string> ended;
  Fake a{*budget, "a", ended};
  Fake b{*budget, "b", ended};
  Fake c{*budget, "c", ended};
};

TEST_F(MemoryBudgetTest, TheGreediestGivesUpFirst) {
  budget->set(a, 3 * kMiB, 0);
  budget->set(b, 5 * kMiB, 0);
  budget->set(c, 2 * kMiB, 0);
  EXPECT_EQ(budget->total(), 10 * kMiB);
  EXPECT_THAT(ended, ElementsAre());
  budget->set(c, 2 * kMiB + 1, 0);
  EXPECT_THAT(ended, ElementsAre("b"));
  EXPECT_EQ(budget->total(), 5 * kMiB + 1);
  budget->set(c, 11 * kMiB, 0);
  EXPECT_THAT(ended, ElementsAre("b", "c"));
  budget->set(a, 0, 0);
  EXPECT_EQ(budget->total(), 0u);
}

TEST_F(MemoryBudgetTest, AsManyGiveUpAsItTakes) {
  budget->set(a, 4 * kMiB, 0);
  budget->set(b, 5 * kMiB, 0);
  const auto large = std::make_shared<const std::string>(std::string(8 * kMiB, 'x'));
  const SharedBytes shared = budget->share({large, *large});
  budget->set(c, 0, 8 * kMiB);
  EXPECT_THAT(ended, ElementsAre("c", "b", "a")) << "c's share is not c's alone";
}

// Gives up one part after the other.
struct InParts final : MemoryBudget::Holder {
  explicit InParts(MemoryBudget& to) : budget(to) {}
  void give_up() override {
    ++asked;
    parts -= 1;
    budget.set(*this, parts * kMiB, 0);
  }
  MemoryBudget& budget;
  size_t parts = 0;
  int asked = 0;
};

TEST_F(MemoryBudgetTest, AHolderMayGiveUpInParts) {
  InParts many(*budget);
  many.parts = 8;
  budget->set(many, 8 * kMiB, 0);
  budget->set(a, 5 * kMiB, 0);
  EXPECT_EQ(many.asked, 3) << "until it is enough";
  EXPECT_THAT(ended, ElementsAre());
  EXPECT_EQ(budget->total(), 10 * kMiB);
  budget->set(many, 0, 0);
}

TEST_F(MemoryBudgetTest, WhoWouldHoldMostDoesNotFit) {
  budget->set(a, 6 * kMiB, 0);
  budget->set(b, 2 * kMiB, 0);
  EXPECT_TRUE(budget->fits(a, 2 * kMiB)) << "at the limit";
  EXPECT_FALSE(budget->fits(a, 2 * kMiB + 1)) << "beyond it";
  EXPECT_TRUE(budget->fits(b, 3 * kMiB)) << "a would give up";
  EXPECT_FALSE(budget->fits(b, 4 * kMiB)) << "it would hold as much as a";
}

TEST_F(MemoryBudgetTest, WhenOnlySmallOnesAreLeftWhoAsksGivesUp) {
  const auto large = std::make_shared<const std::string>(std::string(10 * kMiB, 'x'));
  const SharedBytes shared = budget->share({large, *large});
  budget->set(a, 0, 0);
  EXPECT_THAT(ended, ElementsAre()) << "it holds nothing";
  budget->set(b, 1000, 0);
  EXPECT_THAT(ended, ElementsAre("b"));
}

TEST_F(MemoryBudgetTest, SharedBytesCountOnceAndUntilTheLastHolderIsGone) {
  const auto large = std::make_shared<const std::string>(std::string(6 * kMiB, 'x'));
  SharedBytes first = budget->share({large, *large});
  SharedBytes second = budget->share({large, *large});
  EXPECT_EQ(budget->total(), 6 * kMiB);
  first = {};
  EXPECT_EQ(budget->total(), 6 * kMiB);
  second = {};
  EXPECT_EQ(budget->total(), 0u);
  EXPECT_EQ(large.use_count(), 1);
}

TEST_F(MemoryBudgetTest, PartsOfOneOwnerCountTogether) {
  const auto large = std::make_shared<const std::string>(std::string(6 * kMiB, 'x'));
  const std::string_view text = *large;
  const SharedBytes part = budget->share({large, text.substr(0, kMiB)}, kMiB);
  EXPECT_EQ(budget->total(), kMiB);
  const SharedBytes more = budget->share({large, text.substr(kMiB)}, 6 * kMiB);
  EXPECT_EQ(budget->total(), 6 * kMiB);
  const SharedBytes again = budget->share({large, text.substr(0, 1)}, 1);
  EXPECT_EQ(budget->total(), 6 * kMiB);
}

// ---- with real connections ----

class ServerMemory : public NetTest {
 protected:
  ServerMemory() {
    options_.memory = memory_;
    serve(options_);
  }
  // A message of which the end never comes, in pieces that do not block this thread.
  void write_unfinished(RawPeer& peer, size_t bytes) {
    const std::string frame =
        RawFrame{.opcode = 2, .payload = std::string(12 * kMiB, 'x'), .fin = false}.bytes();
    for (size_t from = 0; from < bytes; from += 65536) {
      if (!peer.try_write(frame.substr(from, std::min<size_t>(65536, bytes - from)))) return;
      if (from % (256 * 1024) == 0) run_a_while();
    }
    run_a_while();
  }

  const std::shared_ptr<MemoryBudget> memory_ = std::make_shared<MemoryBudget>(8 * kMiB);
  ServerOptions options_;
};

TEST_F(ServerMemory, UnfinishedMessagesOfAllConnectionsAreBounded) {
  RawPeer small;
  const auto first = upgrade(small);
  write_unfinished(small, 2 * kMiB);
  EXPECT_GE(memory_->total(), 2 * kMiB - 100);
  RawPeer greedy;
  const auto second = upgrade(greedy);
  write_unfinished(greedy, 7 * kMiB);
  run_until([&] { return second->closed; }, "the end of the greediest");
  EXPECT_EQ(second->end.code, ws::kCloseAbnormal);
  EXPECT_FALSE(first->closed);
  small.hang_up();
  run_until([&] { return first->closed; }, "the end");
  EXPECT_EQ(memory_->total(), 0u);
}

TEST_F(ServerMemory, UnreadOutputAndChargesCount) {
  RawPeer reading;
  const auto first = upgrade(reading);
  RawPeer silent;
  const auto second = upgrade(silent);
  first->connection->charge(3 * kMiB);
  EXPECT_EQ(memory_->total(), 3 * kMiB);
  second->connection->send(Opcode::kBinary, std::string(20 * kMiB, 'x'));
  run_until([&] { return second->closed; }, "the end of the greediest");
  EXPECT_FALSE(first->closed);
  EXPECT_EQ(memory_->total(), 3 * kMiB);
  first->connection->charge(-static_cast<ptrdiff_t>(3 * kMiB));
  EXPECT_EQ(memory_->total(), 0u);
}

TEST_F(ServerMemory, OneValueForManyReadersCountsOnce) {
  const auto body = std::make_shared<const std::string>(std::string(7 * kMiB, 'x'));
  std::array<RawPeer, 4> peers;
  for (RawPeer& peer : peers) {
    upgrade(peer)->connection->send_shared(Opcode::kBinary, {body, *body});
  }
  run_a_while();
  for (const auto& end : accepted) EXPECT_FALSE(end->closed);
  for (RawPeer& peer : peers) {
    run_until(
        [&] {
          peer.read_some();
          return peer.got.size() > body->size();
        },
        "the value");
  }
  run_until([&] { return memory_->total() == 0; }, "nothing held any more");
}

}  // namespace
}  // namespace iii::net
