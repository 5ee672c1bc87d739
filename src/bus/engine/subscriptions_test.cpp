// How events reach the bindings of the engine's own trigger types.
#include "bus/engine/subscriptions.h"

#include <gmock/gmock.h>

#include "bus/engine/fake_bus.h"

namespace iii::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

// The config is the word of the first subject that is wanted, `{}` for all; `?` and a condition
// function may follow.
Result<Subscription> read_config(const std::string& config) {
  if (config == "bad") return fail("invalid", "bad config");
  Subscription out;
  const size_t mark = config.find('?');
  const std::string word = config.substr(0, mark);
  out.wanted.push_back(word == "{}" ? std::nullopt : std::optional(std::vector{word}));
  if (mark != std::string::npos) out.condition_function_id = config.substr(mark + 1);
  return out;
}

class SubscriptionsTest : public testing::Test {
 protected:
  void bind(const std::string& id, const std::string& function, const std::string& config = "{}",
            OwnerId owner = 1, std::optional<std::string> metadata = std::nullopt) {
    bound_[id] = bus_.binding(id, function, config, std::move(metadata), owner);
    ASSERT_TRUE(bus_.bind(table_, bound_[id]));
  }
  void unbind(const std::string& id) { table_.unbind(*bound_.at(id)); }
  void publish(const std::string& payload, const std::string& subject = "s", Cause cause = {}) {
    table_.publish({.subjects = {subject},
                    .bytes = payload.size(),
                    .write = [payload] { return payload; },
                    .cause = std::move(cause)});
  }
  void publish_snapshot(const std::string& payload) {
    table_.publish({.subjects = {},
                    .bytes = payload.size(),
                    .write = [payload] { return payload; },
                    .cause = {},
                    .snapshot = true});
  }
  // `function payload` of the calls so far, which are then forgotten.
  std::vector<std::string> calls() {
    bus_.turn();
    std::vector<std::string> out;
    for (const OutgoingCall& call : bus_.calls) {
      out.push_back(call.function_id + " " + std::string(call.data.view()));
    }
    bus_.calls.clear();
    return out;
  }
  Ledger& ledger(OwnerId owner = 1) { return *bus_.ledgers.at(owner); }

  FakeBus bus_;
  Subscriptions table_{bus_, "test", read_config};
  std::map<std::string, BindingPtr> bound_;
};

TEST_F(SubscriptionsTest, PublishCallsNobodyBeforeItReturns) {
  bind("1", "f");
  publish("1");
  EXPECT_THAT(bus_.calls, IsEmpty());
  EXPECT_THAT(calls(), ElementsAre("f 1"));
}

TEST_F(SubscriptionsTest, BindingsAreServedInTheOrderInWhichTheyWereMade) {
  bind("z", "first");
  bind("a", "second");
  publish("1");
  publish("2");
  EXPECT_THAT(calls(), ElementsAre("first 1", "second 1", "first 2", "second 2"));
}

TEST_F(SubscriptionsTest, ACallCarriesPayloadNamespaceMetadataOwnerAndDepth) {
  bind("1", "f", "{}", 7, R"({"m":1})");
  publish("1", "s", {.owner = 3, .depth = 2});
  calls();
  publish("1", "s", {.owner = 3, .depth = 2});
  bus_.turn();
  ASSERT_THAT(bus_.calls, SizeIs(1));
  EXPECT_EQ(bus_.calls[0].metadata->view(), R"({"m":1})");
  EXPECT_EQ(bus_.calls[0].owner, 7U);
  EXPECT_EQ(bus_.calls[0].depth, 3U);
}

// Regression: 10 bindings with 6 MiB of metadata cost 60 MiB for every event.
TEST_F(SubscriptionsTest, EventsAndMetadataAreSharedAndNothingIsKeptOfWhatWasSent) {
  bind("1", "silent", "{}", 1, std::string(6'000'000, '1'));
  bind("2", "silent");
  bus_.hold = true;
  publish("1");
  bus_.turn();
  ASSERT_THAT(bus_.calls, SizeIs(2));
  EXPECT_EQ(bus_.calls[0].metadata->view().data(), bound_["1"]->metadata->data());
  EXPECT_EQ(bus_.calls[0].data.view().data(), bus_.calls[1].data.view().data());
  EXPECT_THAT(bus_.held, IsEmpty()) << "nobody waits for an answer";
  EXPECT_EQ(ledger().events.used(), 0U);
  EXPECT_EQ(ledger().events.used_bytes(), 0U);
}

TEST_F(SubscriptionsTest, BindingsChooseTheirEvents) {
  bind("1", "all");
  bind("2", "some", "x");
  publish("1", "y");
  publish("2", "x");
  EXPECT_THAT(calls(), ElementsAre("all 1", "all 2", "some 2"));
}

TEST_F(SubscriptionsTest, ABindingHearsNothingThatHappenedBeforeIt) {
  bind("1", "f");
  publish("1");
  bind("2", "late");
  EXPECT_THAT(calls(), ElementsAre("f 1"));
}

TEST_F(SubscriptionsTest, AnUnboundBindingNeverFiresNotEvenForWhatWaits) {
  bind("1", "f");
  bind("2", "g");
  publish("1");
  unbind("1");
  EXPECT_THAT(calls(), ElementsAre("g 1"));
  publish("2");
  table_.forget(1);
  EXPECT_THAT(calls(), IsEmpty());
  EXPECT_TRUE(table_.empty());
  EXPECT_EQ(ledger().events.used(), 0U);
}

TEST_F(SubscriptionsTest, BindingAnIdAgainReplacesIt) {
  bind("1", "old");
  bind("1", "new");
  publish("1");
  EXPECT_THAT(calls(), ElementsAre("new 1"));
}

TEST_F(SubscriptionsTest, ABadOrLargeConfigIsRefused) {
  EXPECT_FALSE(bus_.bind(table_, bus_.binding("1", "f", "bad")));
  const std::string most(Subscriptions::kMostConfigBytes, 'x');
  EXPECT_TRUE(bus_.bind(table_, bus_.binding("1", "f", most)));
  EXPECT_FALSE(bus_.bind(table_, bus_.binding("1", "f", most + "x")));
}

// ---- conditions ----

TEST_F(SubscriptionsTest, OnlyFalseAndErrorsOfTheConditionSkipATarget) {
  const std::pair<Outcome, bool> cases[] = {
      {Outcome("false"), false}, {Outcome(fail("x", "y")), false}, {Outcome("true"), true},
      {Outcome("null"), true},   {Outcome(std::nullopt), true},    {Outcome("\"false\""), true}};
  bind("1", "f", "{}?gate", 1, "5");
  for (const auto& [answer, passes] : cases) {
    bus_.answers["gate"] = answer;
    publish("1");
    bus_.turn();
    ASSERT_THAT(bus_.calls, SizeIs(passes ? 2 : 1));
    EXPECT_EQ(bus_.calls[0].function_id, "gate");
    EXPECT_FALSE(bus_.calls[0].metadata) << "that is for the target only";
    if (passes) {
      EXPECT_EQ(bus_.calls[1].metadata->view(), "5");
    }
    bus_.calls.clear();
  }
}

// Regression: who bound first and never answered kept all others from hearing anything.
TEST_F(SubscriptionsTest, ASilentSubscriberStallsNobodyElse) {
  bind("1", "f", "{}?silent", 1);
  bind("2", "g", "{}", 1);
  bind("3", "h", "{}", 2);
  bus_.hold = true;
  publish("1");
  publish("2");
  EXPECT_THAT(calls(), UnorderedElementsAre("silent 1", "g 1", "g 2", "h 1", "h 2"));
}

TEST_F(SubscriptionsTest, ABindingKeepsItsOrderBehindItsCondition) {
  bind("1", "f", "{}?gate");
  bus_.hold = true;
  publish("1");
  publish("2");
  EXPECT_THAT(calls(), ElementsAre("gate 1"));
  bus_.answer("true");
  EXPECT_THAT(calls(), ElementsAre("f 1", "gate 2"));
  bus_.answer("false");
  EXPECT_THAT(calls(), IsEmpty());
  EXPECT_EQ(ledger().events.used(), 0U);
}

TEST_F(SubscriptionsTest, ASilentConditionIsGivenUpAfterItsTime) {
  bind("1", "f", "{}?gate");
  bus_.hold = true;
  publish("1");
  publish("2");
  EXPECT_THAT(calls(), ElementsAre("gate 1"));
  bus_.clock.advance(Millis(Subscriptions::kConditionTimeout) - Millis(1));
  EXPECT_THAT(calls(), IsEmpty());
  bus_.clock.advance(Millis(1));
  EXPECT_THAT(calls(), ElementsAre("gate 2")) << "the first event is skipped";
  bus_.answer("true");
  EXPECT_THAT(calls(), IsEmpty()) << "too late";
  bus_.answer("true");
  EXPECT_THAT(calls(), ElementsAre("f 2"));
}

TEST_F(SubscriptionsTest, ATimerOfABindingThatIsGoneNeverFires) {
  bind("1", "f", "{}?gate");
  bus_.hold = true;
  publish("1");
  calls();
  unbind("1");
  EXPECT_EQ(bus_.clock.pending(), 0U);
  bus_.answer("true");
  EXPECT_THAT(calls(), IsEmpty());
}

// ---- targets that read slowly ----

TEST_F(SubscriptionsTest, EventsWaitWhileTheirTargetHasMuchToRead) {
  bind("1", "slow");
  bind("2", "quick");
  bus_.full.insert("slow");
  publish("1");
  publish("2");
  EXPECT_THAT(calls(), ElementsAre("quick 1", "quick 2"));
  EXPECT_GT(ledger().events.used(), 0U);
  bus_.full.clear();
  bus_.clock.advance(Millis(1));
  EXPECT_THAT(calls(), ElementsAre("slow 1", "slow 2"));
  EXPECT_EQ(ledger().events.used(), 0U);
}

TEST_F(SubscriptionsTest, ANewerSnapshotReplacesOneThatWaits) {
  bind("1", "slow");
  bus_.full.insert("slow");
  for (const char* payload : {"1", "2", "3", "4"}) {
    publish_snapshot(payload);
    bus_.turn();
  }
  bus_.full.clear();
  bus_.clock.advance(Millis(1));
  EXPECT_THAT(calls(), ElementsAre("slow 1", "slow 4"));
}

// ---- quotas ----

TEST_F(SubscriptionsTest, WhatExceedsTheQuotaOfAnOwnerIsDroppedForThatOwnerOnly) {
  bus_.its_limits.max_events_per_owner = 3;
  bind("1", "slow", "{}", 1);
  bus_.its_limits = {};
  bind("2", "quick", "{}", 2);
  bus_.full.insert("slow");
  testing::internal::CaptureStderr();
  for (int i = 0; i < 10; ++i) {
    publish(std::to_string(i));
    bus_.turn();
  }
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::ranges::count(log, '\n'), 1) << log;
  EXPECT_THAT(calls(), SizeIs(10));
  bus_.full.clear();
  bus_.clock.advance(Millis(1));
  EXPECT_THAT(calls(), ElementsAre("slow 0", "slow 1"));
  publish("10");
  EXPECT_THAT(calls(), ElementsAre("slow 10", "quick 10")) << "room again";
}

TEST_F(SubscriptionsTest, TheBytesOfWaitingEventsAreLimitedToo) {
  bus_.its_limits.max_event_bytes_per_owner = 10;
  bind("1", "slow");
  bus_.its_limits = {};
  bus_.full.insert("slow");
  publish("12345");
  publish("67890");
  publish("1");
  bus_.turn();
  EXPECT_EQ(ledger().events.used_bytes(), 10U);
}

// ---- cascades ----

TEST_F(SubscriptionsTest, EventsThatCauseOneAnotherEndAtTheDocumentedDepth) {
  bind("1", "f");
  testing::internal::CaptureStderr();
  for (size_t depth = 0; depth < bus_.its_limits.max_cascade_depth + 2; ++depth) {
    publish(std::to_string(depth), "s", {.depth = depth});
  }
  EXPECT_THAT(calls(), SizeIs(bus_.its_limits.max_cascade_depth));
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::ranges::count(log, '\n'), 1) << log;
}

TEST_F(SubscriptionsTest, EventsCausedByEventsShareOneBudgetOfCalls) {
  bus_.its_limits.max_cascade_calls = 25;
  for (int i = 0; i < 10; ++i) bind(std::to_string(i), "f");
  publish("frame");
  EXPECT_THAT(calls(), SizeIs(10));
  const auto cascade = std::make_shared<size_t>(0);
  testing::internal::CaptureStderr();
  for (int i = 0; i < 10; ++i) publish("event", "s", {.depth = 1, .cascade = cascade});
  EXPECT_THAT(calls(), SizeIs(25));
  testing::internal::GetCapturedStderr();
  publish("another frame");
  EXPECT_THAT(calls(), SizeIs(10));
}

TEST_F(SubscriptionsTest, FewCallsToTheEnginesOwnFunctionsRunAtATime) {
  bus_.builtins.insert("own");
  bus_.hold = true;
  for (size_t i = 0; i < 2 * Subscriptions::kMostRunning; ++i) bind(std::to_string(i), "own");
  publish("1");
  EXPECT_THAT(calls(), SizeIs(Subscriptions::kMostRunning));
  bus_.answer();
  EXPECT_THAT(calls(), SizeIs(1));
  while (!bus_.held.empty()) bus_.answer();
  EXPECT_THAT(calls(), SizeIs(Subscriptions::kMostRunning - 1));
  EXPECT_EQ(ledger().events.used(), 0U);
}

TEST_F(SubscriptionsTest, AlsoBehindConditions) {
  bus_.builtins.insert("own");
  for (size_t i = 0; i < 2 * Subscriptions::kMostRunning; ++i) {
    bind(std::to_string(i), "own", "{}?gate");
  }
  bus_.hold = true;
  publish("1");
  EXPECT_THAT(calls(), SizeIs(2 * Subscriptions::kMostRunning));
  for (size_t i = 0; i < 2 * Subscriptions::kMostRunning; ++i) bus_.answer("true");
  EXPECT_THAT(calls(), SizeIs(Subscriptions::kMostRunning));
  while (!bus_.held.empty()) bus_.answer();
  EXPECT_THAT(calls(), SizeIs(Subscriptions::kMostRunning));
}

// ---- large events and many bindings ----

TEST_F(SubscriptionsTest, LargePayloadsAreWrittenElsewhereAndKeepTheirPlace) {
  bind("1", "f");
  const std::string large(100'000, '1');
  publish(large);
  publish("2");
  EXPECT_THAT(calls(), ElementsAre("f " + large, "f 2"));
}

TEST_F(SubscriptionsTest, OwnersTakeTurnsAndManyBindingsAreServedInSlices) {
  for (int i = 0; i < 1'000; ++i) bind(std::to_string(i), "many", "{}", 1);
  bind("other", "one", "{}", 2);
  publish("1");
  bus_.turn();
  ASSERT_THAT(bus_.calls, SizeIs(1'001));
  const auto called = bus_.called();
  EXPECT_LT(std::ranges::find(called, "one") - called.begin(), 100);
}

TEST_F(SubscriptionsTest, ItMayEndWhileEventsAreOnTheirWay) {
  {
    Subscriptions table(bus_, "short", read_config);
    ASSERT_TRUE(bus_.bind(table, bus_.binding("1", "f", "{}?gate")));
    ASSERT_TRUE(bus_.bind(table, bus_.binding("2", "g")));
    bus_.hold = true;
    table.publish({.subjects = {}, .bytes = 1, .write = [] { return "1"; }});
    bus_.turn();
    table.publish({.subjects = {}, .bytes = 1'000'000, .write = [] { return "2"; }});
  }
  bus_.answer("true");
  bus_.clock.advance(Millis(60'000));
  EXPECT_THAT(calls(), ElementsAre("gate 1", "g 1"));
}

}  // namespace
}  // namespace iii::engine
