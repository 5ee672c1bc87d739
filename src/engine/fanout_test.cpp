// How one event reaches several bindings.
#include "engine/fanout.h"

#include <gmock/gmock.h>

#include "engine/fake_bus.h"

namespace iii::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

FanoutTarget target(std::string function, std::optional<std::string> condition = std::nullopt) {
  return {std::move(function), "default", std::nullopt, std::move(condition)};
}

TEST(Fanout, CallsTargetsOneAfterTheOther) {
  FakeBus bus;
  bus.hold = true;
  fan_out(bus, {target("a"), target("b")}, "{}");
  EXPECT_THAT(bus.called(), ElementsAre("a"));
  bus.answer();
  EXPECT_THAT(bus.called(), ElementsAre("a", "b"));
  bus.answer();
  EXPECT_THAT(bus.called(), ElementsAre("a", "b"));
}

TEST(Fanout, AFailingTargetDoesNotStopTheOthers) {
  FakeBus bus;
  bus.answers.emplace("a", fail("function_not_found", "no a"));
  fan_out(bus, {target("a"), target("b")}, "{}");
  EXPECT_THAT(bus.called(), ElementsAre("a", "b"));
}

TEST(Fanout, ACallCarriesPayloadNamespaceAndMetadata) {
  FakeBus bus;
  fan_out(bus, {{"a", "other", R"({"m":1})", "gate"}, target("b")}, R"({"x":1})");
  ASSERT_EQ(bus.calls.size(), 3U);
  EXPECT_EQ(bus.calls[0].function_id, "gate");
  EXPECT_EQ(bus.calls[0].data, R"({"x":1})");
  EXPECT_EQ(bus.calls[0].metadata, std::nullopt);
  EXPECT_EQ(bus.calls[1].function_id, "a");
  EXPECT_EQ(bus.calls[1].name_space, "other");
  EXPECT_EQ(bus.calls[1].data, R"({"x":1})");
  EXPECT_EQ(bus.calls[1].metadata, R"({"m":1})");
  EXPECT_EQ(bus.calls[2].data, R"({"x":1})");
}

TEST(Fanout, OnlyFalseAndErrorsOfTheConditionSkipATarget) {
  const std::pair<Outcome, bool> cases[] = {
      {Outcome("false"), false}, {Outcome(fail("x", "y")), false}, {Outcome("true"), true},
      {Outcome("null"), true},   {Outcome(std::nullopt), true},    {Outcome("\"false\""), true}};
  for (const auto& [answer, passes] : cases) {
    FakeBus bus;
    bus.answers.emplace("gate", answer);
    fan_out(bus, {target("a", "gate"), target("b")}, "{}");
    if (passes) {
      EXPECT_THAT(bus.called(), ElementsAre("gate", "a", "b"));
    } else {
      EXPECT_THAT(bus.called(), ElementsAre("gate", "b"));
    }
  }
}

TEST(Fanout, EachTargetIsAskedAbout) {
  FakeBus bus;
  fan_out(bus, {target("a", "gate"), target("b", "gate")}, "{}");
  EXPECT_THAT(bus.called(), ElementsAre("gate", "a", "gate", "b"));
}

TEST(Fanout, EventsDoNotWaitForEachOther) {
  FakeBus bus;
  bus.hold = true;
  fan_out(bus, {target("a")}, "1");
  fan_out(bus, {target("a")}, "2");
  EXPECT_EQ(bus.calls.size(), 2U);
}

TEST(Fanout, ManyTargetsThatFailAtOnceNeedNoStack) {
  FakeBus bus;
  fan_out(bus, std::vector<FanoutTarget>(100'000, target("missing")), "{}");
  EXPECT_EQ(bus.calls.size(), 100'000U);
}

TEST(Fanout, TheTicketIsHeldUntilTheEventIsDelivered) {
  FakeBus bus;
  bus.hold = true;
  auto ticket = std::make_shared<int>(0);
  const std::weak_ptr<int> alive = ticket;
  fan_out(bus, {target("a"), target("b")}, "{}", std::move(ticket));
  bus.answer();
  EXPECT_FALSE(alive.expired());
  bus.answer();
  EXPECT_TRUE(alive.expired());
}

TEST(Fanout, ADroppedReplyEndsTheDelivery) {
  FakeBus bus;
  bus.hold = true;
  auto ticket = std::make_shared<int>(0);
  const std::weak_ptr<int> alive = ticket;
  fan_out(bus, {target("a")}, "{}", std::move(ticket));
  bus.held.clear();
  EXPECT_TRUE(alive.expired());
}

TEST(EventBudget, TakesEventsUpToTheLimit) {
  EventBudget budget(2, 100);
  auto first = budget.take(1);
  auto second = budget.take(1);
  EXPECT_TRUE(first && second);
  EXPECT_FALSE(budget.take(1));
  first.reset();
  EXPECT_TRUE(budget.take(1));
}

TEST(EventBudget, TakesBytesUpToTheLimit) {
  EventBudget budget(10, 100);
  auto first = budget.take(60);
  EXPECT_FALSE(budget.take(41));
  EXPECT_TRUE(budget.take(40));
}

TEST(EventBudget, ASingleEventAlwaysFits) {
  EventBudget budget(10, 100);
  auto large = budget.take(1'000);
  EXPECT_TRUE(large);
  EXPECT_FALSE(budget.take(1));
}

TEST(EventBudget, ATicketMayOutliveTheBudget) {
  std::shared_ptr<void> ticket;
  {
    EventBudget budget;
    ticket = budget.take(1);
  }
  ticket.reset();
}

}  // namespace
}  // namespace iii::engine
