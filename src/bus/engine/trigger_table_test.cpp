// Trigger types and bindings made by frames (wire §8, §9.7; rows E13–E15, E20).
#include "bus/engine/trigger_table.h"

#include "bus/engine/testing.h"

namespace iii::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr char kRefused[] = R"({"code":"bad","message":"no"})";

std::string bound(const std::string& id, const std::string& type = "t",
                  const std::string& rest = "") {
  return R"({"type":"registertrigger","id":")" + id + R"(","trigger_type":")" + type +
         R"(","function_id":"f","config":{})" + rest + "}";
}
std::string unbound(const std::string& id, const std::string& type = "t") {
  return R"({"type":"unregistertrigger","id":")" + id + R"(","trigger_type":")" + type + R"("})";
}

class EngineTriggers : public ::testing::Test {
 protected:
  bool is_live(const std::string& id) const {
    return bus_.engine.triggers().live_binding(id) != nullptr;
  }
  bool is_known(const std::string& id) const {
    return bus_.engine.triggers().bindings().contains(id);
  }

  TestBus bus_;
  Peer provider_{bus_, "provider"};
  Peer binder_{bus_, "binder"};
};

// ---- binding ----

TEST_F(EngineTriggers, ABindingIsHandedToItsProviderAndLiveAtOnce) {
  provider_.provide("t");
  binder_.bind("b", "t", "f", R"(,"metadata":{ "m":1 })");
  EXPECT_THAT(provider_.take(), ElementsAre(bound("b", "t", R"(,"metadata":{ "m":1 })")));
  EXPECT_THAT(binder_.take(), IsEmpty());
  EXPECT_TRUE(is_live("b"));
}

TEST_F(EngineTriggers, E21_AMissingConfigIsNull) {
  provider_.provide("t");
  binder_.say(R"({"type":"registertrigger","id":"b","trigger_type":"t","function_id":"f"})");
  EXPECT_THAT(provider_.take(), ElementsAre(HasSubstr(R"("config":null)")));
}

TEST_F(EngineTriggers, E13_ABindingOfAnUnknownTypeIsParkedWithoutAWord) {
  binder_.bind("b", "t", "f");
  EXPECT_THAT(binder_.take(), IsEmpty());
  EXPECT_FALSE(is_live("b"));
  EXPECT_TRUE(is_known("b"));
}

TEST_F(EngineTriggers, E13_AParkedBindingIsDeliveredWhenTheTypeIsRegistered) {
  binder_.bind("b", "t", "f");
  provider_.provide("t");
  EXPECT_THAT(provider_.take(), ElementsAre(bound("b")));
  EXPECT_TRUE(is_live("b"));
}

// Regression: any worker could take a type away by registering it and leaving. The public engine
// lets the last one win (wire §8.2); a listed deviation.
TEST_F(EngineTriggers, ATypeOfALiveProviderCannotBeTakenOver) {
  provider_.provide("t");
  binder_.bind("live", "t", "f");
  provider_.take();
  {
    Peer thief(bus_, "thief");
    thief.provide("t", R"(,"trigger_request_format":{"stolen":true})");
    EXPECT_THAT(thief.take(), IsEmpty());
    binder_.bind("second", "t", "f");
    EXPECT_THAT(thief.take(), IsEmpty());
    thief.judge("live", kRefused);
    EXPECT_TRUE(is_live("live"));
  }
  EXPECT_THAT(provider_.take(), ElementsAre(bound("second")));
  EXPECT_TRUE(is_live("live"));
  EXPECT_TRUE(is_live("second"));
  EXPECT_EQ(bus_.engine.triggers().type({"default", "t"})->texts->trigger_request_format,
            std::nullopt);
}

TEST_F(EngineTriggers, WhoWaitsForATypeTakesOverWhenItsProviderLeaves) {
  provider_.provide("t");
  binder_.bind("live", "t", "f");
  binder_.bind("refused", "t", "f");
  provider_.judge("refused", kRefused);
  Peer next(bus_, "next");
  Peer last(bus_, "last");
  next.provide("t");
  last.provide("t");
  next.provide("t");
  EXPECT_THAT(next.take(), IsEmpty());
  provider_.leave();
  EXPECT_THAT(next.take(), UnorderedElementsAre(bound("live"), bound("refused")));
  EXPECT_THAT(last.take(), IsEmpty());
  last.leave();
  EXPECT_TRUE(is_live("live"));
  next.leave();
  EXPECT_FALSE(is_live("live"));
}

TEST_F(EngineTriggers, AProviderThatReturnsGetsItsBindingsButNotThoseThatWereUnbound) {
  provider_.provide("t");
  binder_.bind("kept", "t", "f");
  binder_.bind("gone", "t", "f");
  provider_.leave();
  binder_.unbind("gone");
  Peer again(bus_, "provider");
  again.provide("t");
  EXPECT_THAT(again.take(), ElementsAre(bound("kept")));
  EXPECT_FALSE(is_known("gone"));
}

// Regression: 1 000 × registertriggertype beside 10 000 bindings took 1.6 s.
TEST_F(EngineTriggers, ManyBindingsAreOfferedInSlices) {
  for (int i = 0; i < 1'000; ++i) binder_.bind("b" + std::to_string(i), "t", "f");
  for (int i = 0; i < 1'000; ++i) binder_.bind("u" + std::to_string(i), "unrelated", "f");
  bus_.engine.triggers().register_type(provider_.worker(), {.id = "t",
                                                            .description = "d",
                                                            .trigger_request_format = {},
                                                            .call_request_format = {},
                                                            .name_space = {}});
  EXPECT_THAT(provider_.take(), IsEmpty()) << "nothing in the frame's own turn";
  bus_.turn();
  EXPECT_EQ(provider_.take().size(), 1'000U);
  // Repeated registrations are answered together: one more time each, not a thousand times.
  for (int i = 0; i < 1'000; ++i) {
    bus_.engine.triggers().register_type(provider_.worker(), {.id = "t",
                                                              .description = "d",
                                                              .trigger_request_format = {},
                                                              .call_request_format = {},
                                                              .name_space = {}});
  }
  bus_.turn();
  EXPECT_LE(provider_.take().size(), 2'000U);
  bus_.engine.disconnected(binder_.release());
  EXPECT_THAT(provider_.take(), IsEmpty());
  EXPECT_FALSE(is_live("b0")) << "it has no effect any more";
  bus_.turn();
  EXPECT_EQ(provider_.take().size(), 1'000U);
  EXPECT_TRUE(bus_.engine.triggers().bindings().empty());
}

TEST_F(EngineTriggers, BindingsAreHeldBackFromAProviderThatDoesNotRead) {
  for (int i = 0; i < 3; ++i) binder_.bind("b" + std::to_string(i), "t", "f");
  provider_.unread = 2 * 1024 * 1024;
  provider_.provide("t");
  EXPECT_THAT(provider_.take(), IsEmpty());
  provider_.read_all();
  EXPECT_EQ(provider_.take().size(), 3U);
}

TEST_F(EngineTriggers, E13_TheSameProviderGetsThemAgainWhenItRegistersAgain) {
  provider_.provide("t");
  binder_.bind("b", "t", "f");
  provider_.take();
  provider_.provide("t");
  EXPECT_THAT(provider_.take(), ElementsAre(bound("b")));
}

TEST_F(EngineTriggers, E13_BindingsOfThoseWhoLeftAreNotReplayed) {
  provider_.provide("t");
  binder_.bind("b", "t", "f");
  binder_.bind("parked", "u", "f");
  binder_.leave();
  provider_.take();
  provider_.provide("t");
  provider_.provide("u");
  EXPECT_THAT(provider_.take(), IsEmpty());
}

TEST_F(EngineTriggers, ASecondBindingOfALiveIdReplacesItFromWhomeverItComes) {
  Peer other(bus_, "other");
  provider_.provide("t");
  binder_.bind("b", "t", "f");
  provider_.take();
  other.bind("b", "t", "f", R"(,"metadata":2)");
  EXPECT_THAT(provider_.take(), ElementsAre(bound("b", "t", R"(,"metadata":2)")));
  binder_.leave();
  EXPECT_THAT(provider_.take(), IsEmpty()) << "it is not the first binder's any more";
  other.leave();
  EXPECT_THAT(provider_.take(), ElementsAre(unbound("b")));
}

TEST_F(EngineTriggers, AReplacementOfAnotherTypeTellsTheOldProvider) {
  Peer other(bus_, "other");
  provider_.provide("t");
  other.provide("u");
  binder_.bind("b", "t", "f");
  provider_.take();
  binder_.bind("b", "u", "f");
  EXPECT_THAT(provider_.take(), ElementsAre(unbound("b")));
  EXPECT_THAT(other.take(), ElementsAre(bound("b", "u")));
  binder_.bind("b", "unknown", "f");
  EXPECT_THAT(other.take(), ElementsAre(unbound("b", "u")));
  EXPECT_FALSE(is_live("b"));
}

// ---- verdicts ----

TEST_F(EngineTriggers, E14_ARejectionReachesTheBinderWithItsOwnFunctionAndParks) {
  provider_.provide("t");
  binder_.bind("b", "t", "f");
  provider_.judge("b", R"({"code":"bad","message":"no","stacktrace":"s"})");
  EXPECT_THAT(
      binder_.take(),
      ElementsAre(
          R"({"type":"triggerregistrationresult","id":"b","trigger_type":"t","function_id":"f","error":{"code":"bad","message":"no","stacktrace":"s"}})"));
  EXPECT_FALSE(is_live("b"));
  provider_.take();
  provider_.provide("t");
  EXPECT_THAT(provider_.take(), ElementsAre(bound("b"))) << "offered again";
}

TEST_F(EngineTriggers, E14_SuccessIsNotForwarded) {
  provider_.provide("t");
  binder_.bind("b", "t", "f");
  provider_.judge("b");
  EXPECT_THAT(binder_.take(), IsEmpty());
  EXPECT_TRUE(is_live("b"));
}

TEST_F(EngineTriggers, E14_ARejectionCountsAlsoAfterASuccess) {
  provider_.provide("t");
  binder_.bind("b", "t", "f");
  provider_.judge("b");
  provider_.judge("b", kRefused);
  EXPECT_EQ(binder_.take().size(), 1U);
  provider_.judge("b", kRefused);
  EXPECT_THAT(binder_.take(), IsEmpty()) << "parked already";
}

TEST_F(EngineTriggers, E14_OnlyTheCurrentProviderMayJudge) {
  Peer stranger(bus_, "stranger");
  provider_.provide("t");
  binder_.bind("b", "t", "f");
  stranger.judge("b", kRefused);
  binder_.judge("b", kRefused);
  EXPECT_TRUE(is_live("b"));
  Peer next(bus_, "next");
  next.provide("t");
  next.judge("b", kRefused);
  EXPECT_TRUE(is_live("b"));
  EXPECT_THAT(binder_.take(), IsEmpty());
  provider_.judge("unknown", kRefused);
}

// ---- unbinding ----

TEST_F(EngineTriggers, E15_UnbindingTellsTheProvider) {
  provider_.provide("t");
  binder_.bind("b", "t", "f");
  provider_.take();
  binder_.say(R"({"type":"unregistertrigger","id":"b","trigger_type":"wrong"})");
  EXPECT_THAT(provider_.take(), ElementsAre(unbound("b")));
  EXPECT_FALSE(is_known("b"));
}

TEST_F(EngineTriggers, E15_AnybodyMayUnbind) {
  Peer stranger(bus_, "stranger");
  provider_.provide("t");
  binder_.bind("b", "t", "f");
  provider_.take();
  stranger.unbind("b");
  EXPECT_THAT(provider_.take(), ElementsAre(unbound("b")));
  EXPECT_TRUE(binder_.worker().bindings.empty());
}

TEST_F(EngineTriggers, E15_ParkedAndUnknownOnesAreDroppedSilently) {
  binder_.bind("b", "t", "f");
  binder_.unbind("b");
  binder_.unbind("never there");
  provider_.provide("t");
  EXPECT_THAT(provider_.take(), IsEmpty());
}

TEST_F(EngineTriggers, E15_WhenTheBinderLeavesTheProviderIsTold) {
  provider_.provide("t");
  binder_.bind("b", "t", "f");
  binder_.bind("c", "t", "f");
  provider_.take();
  binder_.leave();
  EXPECT_THAT(provider_.take(), UnorderedElementsAre(unbound("b"), unbound("c")));
}

TEST_F(EngineTriggers, E15_WhenTheProviderLeavesBindingsAreParkedSilently) {
  provider_.provide("t");
  binder_.bind("b", "t", "f");
  provider_.leave();
  EXPECT_THAT(binder_.take(), IsEmpty());
  EXPECT_FALSE(is_live("b"));
  Peer next(bus_, "next");
  next.provide("t");
  EXPECT_THAT(next.take(), ElementsAre(bound("b")));
}

TEST_F(EngineTriggers, E15_AProviderThatBoundItsOwnTypeLeavesInPeace) {
  provider_.provide("t");
  provider_.bind("b", "t", "f");
  provider_.leave();
  EXPECT_FALSE(is_known("b"));
}

TEST_F(EngineTriggers, UnregisteringATypeIsNotUnderstood) {
  provider_.provide("t");
  provider_.say(R"({"type":"unregistertriggertype","id":"t"})");
  binder_.bind("b", "t", "f");
  EXPECT_TRUE(is_live("b"));
}

TEST_F(EngineTriggers, TheTargetNeedNotExist) {
  provider_.provide("t");
  binder_.bind("b", "t", "nowhere");
  EXPECT_TRUE(is_live("b"));
  provider_.take();
  EXPECT_THAT(provider_.refusal_of("nowhere"), HasSubstr("function_not_found"));
}

// ---- the engine's own types ----

TEST_F(EngineTriggers, E20_ATypeOfTheEngineCannotBeTakenOver) {
  provider_.provide("engine::workers-available");
  binder_.bind("b", "engine::workers-available", "f");
  EXPECT_THAT(provider_.take(), IsEmpty());
  EXPECT_TRUE(is_live("b"));
}

TEST_F(EngineTriggers, ARefusalOfTheEnginesOwnProviderIsToldAndNotKept) {
  binder_.say(
      R"({"type":"registertrigger","id":"b","trigger_type":"worker","function_id":"f","config":{"operations":5}})");
  EXPECT_THAT(binder_.take(), ElementsAre(HasSubstr(R"("code":"trigger_registration_failed")")));
  EXPECT_FALSE(is_known("b"));
  EXPECT_TRUE(binder_.worker().bindings.empty());
}

TEST_F(EngineTriggers, ARefusedReplacementLeavesNothingBehindInTheEngine) {
  binder_.serve("f");
  binder_.bind("b", "worker", "f");
  binder_.say(
      R"({"type":"registertrigger","id":"b","trigger_type":"worker","function_id":"f","config":{"operations":5}})");
  binder_.take();
  Peer newcomer(bus_, "newcomer");
  EXPECT_THAT(binder_.take(), IsEmpty()) << "the old binding still fires";
}

// ---- namespaces ----

class EngineTriggerNamespaces : public EngineTriggers {
 protected:
  EngineTriggerNamespaces() {
    inside_.announce("inside", R"(,"namespace":"x")");
    user_.announce("user", R"(,"namespace":"x")");
  }

  Peer inside_{bus_};
  Peer user_{bus_};
};

TEST_F(EngineTriggerNamespaces, LookupPrefersTheBindersNamespaceThenDefault) {
  provider_.provide("t");
  user_.bind("b", "t", "f");
  EXPECT_THAT(provider_.take(), ElementsAre(bound("b")));
  inside_.provide("u");
  provider_.provide("u");
  user_.bind("c", "u", "f");
  EXPECT_THAT(inside_.take(), ElementsAre(bound("c", "u", R"(,"trigger_namespace":"x")")));
  EXPECT_THAT(provider_.take(), IsEmpty());
}

TEST_F(EngineTriggerNamespaces, ALaterProviderNearerToTheBinderTakesOverAndGivesBack) {
  provider_.provide("t");
  user_.bind("b", "t", "f");
  provider_.take();
  inside_.provide("t");
  EXPECT_THAT(provider_.take(), ElementsAre(unbound("b")));
  EXPECT_THAT(inside_.take(), ElementsAre(bound("b", "t", R"(,"trigger_namespace":"x")")));
  inside_.leave();
  EXPECT_THAT(provider_.take(), ElementsAre(bound("b")));
  EXPECT_TRUE(is_live("b"));
}

TEST_F(EngineTriggerNamespaces, TakingOverFromTheEngineItselfWorksTheSameWay) {
  user_.serve("f");
  user_.bind("b", "worker", "f", R"(,"namespace":"x")");
  inside_.provide("worker");
  EXPECT_EQ(inside_.take().size(), 1U);
  user_.take();
  Peer newcomer(bus_, "newcomer");
  EXPECT_THAT(user_.take(), IsEmpty()) << "the engine's provider let go of it";
  inside_.leave();
  user_.take();
  Peer another(bus_, "another");
  EXPECT_THAT(user_.take(), ElementsAre(HasSubstr(R"("worker":"another")")));
}

TEST_F(EngineTriggerNamespaces, AnExplicitTriggerNamespaceIsStrict) {
  provider_.provide("t");
  user_.bind("b", "t", "f", R"(,"trigger_namespace":"y")");
  EXPECT_FALSE(is_live("b"));
  user_.bind("c", "t", "f", R"(,"trigger_namespace":"default")");
  EXPECT_THAT(provider_.take(), ElementsAre(bound("c")));
  inside_.provide("t");
  EXPECT_THAT(inside_.take(), IsEmpty()) << "`c` asked for default";
}

TEST_F(EngineTriggerNamespaces, TheTargetsNamespaceTravelsUnlessDefault) {
  provider_.provide("t");
  binder_.bind("b", "t", "f", R"(,"namespace":"x")");
  EXPECT_THAT(provider_.take(), ElementsAre(bound("b", "t", R"(,"namespace":"x")")));
}

TEST_F(EngineTriggerNamespaces, ATypeMayNameAnotherNamespace) {
  provider_.provide("t", R"(,"namespace":"x")");
  user_.bind("b", "t", "f");
  EXPECT_THAT(provider_.take(), ElementsAre(bound("b", "t", R"(,"trigger_namespace":"x")")));
}

TEST_F(EngineTriggerNamespaces, BlankOnesAreRefusedToBindersAndIgnoredForTypes) {
  binder_.bind("b", "t", "f", R"(,"namespace":"")");
  binder_.bind("c", "t", "f", R"(,"trigger_namespace":" ")");
  EXPECT_THAT(binder_.take(), ElementsAre(HasSubstr(R"("code":"INVALID_NAMESPACE")"),
                                          HasSubstr(R"("code":"INVALID_NAMESPACE")")));
  EXPECT_FALSE(is_known("b"));
  provider_.provide("t", R"(,"namespace":"")");
  EXPECT_EQ(bus_.engine.triggers().type({"", "t"}), nullptr);
}

}  // namespace
}  // namespace iii::engine
