// Buffered registrations, the announce, name leases, namespaces, ownership (wire §4.2–4.3,
// §5, §9; rows E05, E12, E20).
#include "bus/engine/testing.h"

namespace iii::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kRegister[] = "engine::workers::register";

bool has(const TestBus& bus, std::string_view id, std::string_view name_space = "default") {
  return bus.engine.functions().find(name_space, id) != nullptr;
}

// ---- order of announce and registrations ----

TEST(EngineRegistration, E05_RegistrationsBeforeTheAnnounceAreAppliedByIt) {
  TestBus bus;
  Peer a(bus);
  a.serve("f");
  EXPECT_FALSE(has(bus, "f"));
  a.announce("a");
  EXPECT_TRUE(has(bus, "f"));
}

TEST(EngineRegistration, E05_RegistrationsAfterTheAnnounceAreAppliedAtOnce) {
  TestBus bus;
  Peer a(bus, "a");
  a.serve("f");
  EXPECT_TRUE(has(bus, "f"));
}

TEST(EngineRegistration, E05_WithoutAnAnnounceTheGraceAppliesThemIntoDefault) {
  TestBus bus;
  Peer a(bus);
  a.serve("f");
  bus.timers.advance(protocol::kRegistrationGrace - Millis(1));
  EXPECT_FALSE(has(bus, "f"));
  bus.timers.advance(Millis(1));
  EXPECT_TRUE(has(bus, "f"));
  a.serve("g");
  EXPECT_TRUE(has(bus, "g"));
}

TEST(EngineRegistration, BufferedFramesAreAppliedInTheOrderOfTheirArrival) {
  TestBus bus;
  Peer a(bus);
  a.serve("f");
  a.say(R"({"type":"unregisterfunction","id":"f"})");
  a.serve("g");
  a.say(R"({"type":"unregisterfunction","id":"g"})");
  a.serve("g");
  a.provide("t");
  a.bind("b", "t", "g");
  a.bind("c", "t", "g");
  a.unbind("b");
  a.announce("a");
  EXPECT_FALSE(has(bus, "f"));
  EXPECT_TRUE(has(bus, "g"));
  EXPECT_THAT(a.take(), ElementsAre(HasSubstr(R"("registertrigger","id":"b")"),
                                    HasSubstr(R"("registertrigger","id":"c")"),
                                    HasSubstr(R"("unregistertrigger","id":"b")")));
}

TEST(EngineRegistration, CallsAreNotBuffered) {
  TestBus bus;
  Peer a(bus);
  a.serve("f");
  EXPECT_THAT(a.refusal_of("f"), HasSubstr("function_not_found"));
  a.announce("a");
  a.invoke(1, "f");
  EXPECT_EQ(text_at(a.take_one(), "type"), "invokefunction");
}

TEST(EngineRegistration, BufferedTextWithEscapesSurvivesTheParserThatReadTheAnnounce) {
  TestBus bus;
  Peer a(bus);
  a.say(R"({"type":"registerfunction","id":"caf\u00e9","description":"tab\there"})");
  a.say(
      R"({"type":"invokefunction","invocation_id":"00000000-0000-4000-8000-000000000001","function_id":"engine::workers::\u0072egister","data":{"name":"\u0061"},"baggage":"k=\u0076"})");
  EXPECT_TRUE(has(bus, "café"));
  const json::Value answer = a.take_one();
  EXPECT_EQ(text_at(answer, "function_id"), kRegister);
  EXPECT_EQ(text_at(answer, "baggage"), "k=v");
}

// ---- the announce itself ----

TEST(EngineAnnounce, WithAnIdIsAnsweredAfterTheRegistrationsWereApplied) {
  TestBus bus;
  Peer a(bus);
  a.serve("f");
  EXPECT_EQ(json::to_text(a.result_of(kRegister, R"({"name":"a"})")), R"({"success":true})");
  EXPECT_TRUE(has(bus, "f"));
}

TEST(EngineAnnounce, RepeatedKeepsWhatIsLeftOutButRuntimeAndVersion) {
  TestBus bus;
  Peer a(bus);
  a.result_of(
      kRegister,
      R"({"name":"a","description":"d","os":"o","pid":1,"isolation":"i","runtime":"node","version":"1"})");
  a.result_of(kRegister, "{}");
  const Worker& w = a.worker();
  EXPECT_EQ(w.name, "a");
  EXPECT_EQ(w.description, "d");
  EXPECT_EQ(w.os, "o");
  EXPECT_EQ(w.pid, 1U);
  EXPECT_EQ(w.isolation, "i");
  EXPECT_EQ(w.runtime, "unknown");
  EXPECT_EQ(w.version, std::nullopt);
}

// When thousands of connections end at once, the engine hears of each with a delay.
TEST(EngineAnnounce, WhoComesBackIsNotRefusedBecauseOfAConnectionThatIsOver) {
  TestBus bus;
  Peer before(bus, "a");
  before.serve("f");
  before.cut_off = true;
  Peer after(bus);
  after.serve("f");
  after.announce("a");
  EXPECT_TRUE(before.was_ended());
  EXPECT_FALSE(after.was_ended());
  EXPECT_EQ(after.worker().name, "a");
  EXPECT_THAT(after.take(), ::testing::IsEmpty()) << "no refusal";
  Peer unnamed(bus);
  unnamed.announce("b");
  after.cut_off = true;
  unnamed.serve("f");
  EXPECT_THAT(unnamed.take(), ::testing::IsEmpty());
  EXPECT_EQ((*bus.engine.functions().find_default("f"))->owner, &unnamed.worker());
}

TEST(EngineAnnounce, WhatIsShownToPeopleIsCut) {
  TestBus bus;
  Peer a(bus);
  const std::string text(10'000, 'x');
  a.result_of(kRegister, R"({"name":"a","version":")" + text + R"(","runtime":")" + text +
                             R"(","os":")" + text + R"(","isolation":")" + text + R"("})");
  const Worker& w = a.worker();
  for (const auto& shown : {w.version, w.runtime, w.os, w.isolation}) {
    EXPECT_EQ(shown->size(), protocol::kMaxWorkerText);
  }
}

TEST(EngineAnnounce, UnknownKeysAndTheInjectedCallerAreTolerated) {
  TestBus bus;
  Peer a(bus);
  a.result_of(
      kRegister,
      R"({"_caller_worker_id":"forged","name":"a","telemetry":{"framework":"x","amplitude_api_key":"k"},"features":["observe.v1"]})");
  EXPECT_EQ(a.worker().name, "a");
}

TEST(EngineAnnounce, APidOutOfRangeIsRefusedAndNothingIsFixed) {
  TestBus bus;
  Peer a(bus);
  a.serve("f");
  EXPECT_THAT(a.refusal_of(kRegister, R"({"name":"a","pid":4294967296})"),
              HasSubstr("deserialization_error: Failed to deserialize input for"));
  EXPECT_FALSE(has(bus, "f"));
  EXPECT_FALSE(a.worker().namespace_fixed);
}

struct NameCase {
  const char* said;
  const char* kept;  // null: no name
};

class AnnouncedName : public ::testing::TestWithParam<NameCase> {};

TEST_P(AnnouncedName, IsStrippedOfWhatFoolsPeople) {
  TestBus bus;
  Peer a(bus);
  a.announce(GetParam().said);
  if (GetParam().kept == nullptr) {
    EXPECT_EQ(a.worker().name, std::nullopt);
  } else {
    EXPECT_EQ(a.worker().name, GetParam().kept);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Sanitised, AnnouncedName,
    ::testing::Values(NameCase{"plain", "plain"}, NameCase{"  a b  ", "a b"},
                      NameCase{"a\n\x1b[31mb\x7f", "a[31mb"}, NameCase{"", nullptr},
                      NameCase{" \t ", nullptr}, NameCase{"\u202eevil\u2066x\u2069", "evilx"},
                      NameCase{"a\u200e\u200f\u061c", "a"}, NameCase{"\u061ca", "a"},
                      NameCase{"a\u0085b\u009f", "ab"}, NameCase{"é日本", "é日本"}));

TEST(EngineAnnounce, NamesAreCutTo280CharactersNotBytes) {
  TestBus bus;
  std::string name;
  for (int i = 0; i < 280; ++i) name += "é";
  Peer a(bus, name);
  EXPECT_EQ(a.worker().name, name);
  Peer b(bus, name + "é");
  EXPECT_TRUE(b.was_ended()) << "cut to the same 280 characters, so the name is taken";
}

// ---- name leases ----

TEST(EngineNameLease, TheSecondLiveHolderIsRejectedAndClosedPolitely) {
  TestBus bus;
  Peer a(bus, "same");
  Peer b(bus);
  b.serve("f");
  b.say(
      R"({"type":"invokefunction","invocation_id":"00000000-0000-4000-8000-000000000001","function_id":"engine::workers::register","data":{"name":"same"}})");
  EXPECT_THAT(
      b.take(),
      ElementsAre(
          R"({"type":"registrationrejected","code":"WORKER_NAMESPACE_CONFLICT","namespace":"default","worker_name":"same","owner_worker_id":")" +
          a.id() + R"("})"));
  EXPECT_TRUE(b.was_ended());
  EXPECT_TRUE(b.politely());
  EXPECT_FALSE(has(bus, "f"));
  EXPECT_TRUE(a.connected());
  EXPECT_EQ(bus.engine.workers().size(), 1U);
}

TEST(EngineNameLease, IsPerNamespace) {
  TestBus bus;
  Peer a(bus, "same");
  Peer b(bus);
  b.announce("same", R"(,"namespace":"x")");
  EXPECT_TRUE(a.connected());
  EXPECT_TRUE(b.connected());
}

TEST(EngineNameLease, IsFreeWhenTheHolderLeaves) {
  TestBus bus;
  Peer a(bus, "same");
  a.leave();
  Peer b(bus, "same");
  EXPECT_TRUE(b.connected());
}

TEST(EngineNameLease, AChangedNameFreesTheOldOne) {
  TestBus bus;
  Peer a(bus, "first");
  a.announce("second");
  Peer b(bus, "first");
  EXPECT_TRUE(b.connected());
  Peer c(bus, "second");
  EXPECT_TRUE(c.was_ended());
}

TEST(EngineNameLease, ARefusedChangeFreesTheOldNameToo) {
  TestBus bus;
  Peer a(bus, "first");
  Peer b(bus, "second");
  b.announce("first");
  EXPECT_TRUE(b.was_ended());
  Peer c(bus, "second");
  EXPECT_TRUE(c.connected());
}

TEST(EngineNameLease, MayBeClaimedAgainByItsHolder) {
  TestBus bus;
  Peer a(bus, "a");
  a.announce("a");
  EXPECT_TRUE(a.connected());
}

// ---- namespaces ----

TEST(EngineNamespaces, TheAnnounceDecidesWhereRegistrationsGo) {
  TestBus bus;
  Peer a(bus);
  a.serve("f");
  a.announce("a", R"(,"namespace":"x")");
  a.serve("g");
  EXPECT_TRUE(has(bus, "f", "x"));
  EXPECT_TRUE(has(bus, "g", "x"));
  EXPECT_FALSE(has(bus, "f"));
}

TEST(EngineNamespaces, ALateAnnounceIsOverriddenByTheFixedOne) {
  TestBus bus;
  Peer a(bus);
  bus.timers.advance(protocol::kRegistrationGrace);
  a.announce("a", R"(,"namespace":"x")");
  a.serve("f");
  EXPECT_TRUE(has(bus, "f"));
  Peer b(bus, "a");
  EXPECT_TRUE(b.was_ended()) << "the lease is in default as well";
}

TEST(EngineNamespaces, ABlankOneInTheAnnounceIsRefused) {
  TestBus bus;
  Peer a(bus);
  a.serve("f");
  EXPECT_THAT(a.refusal_of(kRegister, R"({"name":"a","namespace":" "})"),
              HasSubstr("INVALID_NAMESPACE: "));
  EXPECT_FALSE(has(bus, "f"));
  a.announce("a");
  EXPECT_TRUE(has(bus, "f"));
}

TEST(EngineNamespaces, LookupIsExactAndNamesWhereTheFunctionIs) {
  TestBus bus;
  Peer a(bus);
  a.announce("a", R"(,"namespace":"x")");
  a.serve("f");
  EXPECT_EQ(a.refusal_of("f"),
            "function_not_found: Function f not found in namespace default. It is registered in "
            "namespace(s): x.");
  a.invoke(1, "f", "{}", R"(,"namespace":"x")");
  EXPECT_EQ(text_at(a.take_one(), "type"), "invokefunction");
}

TEST(EngineNamespaces, TheEnginesPrefixIsReservedOutsideDefault) {
  TestBus bus;
  Peer a(bus);
  a.announce("a", R"(,"namespace":"x")");
  a.serve("engine::anything");
  EXPECT_THAT(
      a.take(),
      ElementsAre(
          R"({"type":"registrationrejected","code":"FUNCTION_NAMESPACE_CONFLICT","namespace":"x","function_id":"engine::anything","owner_worker_id":""})"));
  EXPECT_TRUE(a.connected());
}

// ---- ownership ----

TEST(EngineOwnership, E12_ADuplicateOnTheSameConnectionReplacesEverything) {
  TestBus bus;
  Peer a(bus, "a");
  a.say(R"({"type":"registerfunction","id":"f","description":"old","metadata":{"k":1}})");
  a.serve("f");
  EXPECT_THAT(a.take(), IsEmpty());
  const Function& f = **bus.engine.functions().find_default("f");
  EXPECT_EQ(f.description, std::nullopt);
  EXPECT_EQ(f.metadata, std::nullopt);
  EXPECT_EQ(a.worker().functions.size(), 1U);
}

TEST(EngineOwnership, E12_AnotherLiveOwnerKeepsItAndBothStay) {
  TestBus bus;
  Peer a(bus, "a");
  Peer b(bus, "b");
  a.serve("f");
  b.serve("f");
  EXPECT_THAT(
      b.take(),
      ElementsAre(
          R"({"type":"registrationrejected","code":"FUNCTION_NAMESPACE_CONFLICT","namespace":"default","function_id":"f","owner_worker_id":")" +
          a.id() + R"("})"));
  EXPECT_TRUE(a.connected());
  EXPECT_TRUE(b.connected());
  EXPECT_EQ((*bus.engine.functions().find_default("f"))->owner, &a.worker());
}

TEST(EngineOwnership, E12_AnOwnerThatIsGoneBlocksNobody) {
  TestBus bus;
  Peer a(bus, "a");
  Peer b(bus, "b");
  a.serve("f");
  a.leave();
  b.serve("f");
  EXPECT_THAT(b.take(), IsEmpty());
  EXPECT_EQ((*bus.engine.functions().find_default("f"))->owner, &b.worker());
}

TEST(EngineOwnership, OnlyTheOwnerCanUnregister) {
  TestBus bus;
  Peer a(bus, "a");
  Peer b(bus, "b");
  a.serve("f");
  b.say(R"({"type":"unregisterfunction","id":"f"})");
  EXPECT_TRUE(has(bus, "f"));
  a.say(R"({"type":"unregisterfunction","id":"f"})");
  EXPECT_FALSE(has(bus, "f"));
  a.say(R"({"type":"unregisterfunction","id":"f"})");
}

TEST(EngineOwnership, AnyTextIsAnId) {
  TestBus bus;
  Peer a(bus, "a");
  for (const char* id : {"", " ", "no separator", "ünï::cödé", "a::b::c"}) {
    a.serve(id);
    EXPECT_TRUE(has(bus, id)) << id;
  }
}

TEST(EngineOwnership, E20_WhatTheEngineImplementsCannotBeTakenOver) {
  TestBus bus;
  Peer a(bus, "a");
  a.serve("engine::functions::list");
  EXPECT_THAT(
      a.take(),
      ElementsAre(HasSubstr(R"("function_id":"engine::functions::list","owner_worker_id":"")")));
  EXPECT_NE(a.result_of("engine::functions::list").find("functions"), nullptr);
}

TEST(EngineOwnership, E20_NorUnregistered) {
  TestBus bus;
  Peer a(bus, "a");
  a.say(R"({"type":"unregisterfunction","id":"engine::functions::list"})");
  EXPECT_NE(a.result_of("engine::functions::list").find("functions"), nullptr);
}

TEST(EngineOwnership, E20_OtherIdsUnderEngineAreFreeInDefault) {
  TestBus bus;
  Peer a(bus, "queue");
  a.serve("engine::queue::enqueue");
  EXPECT_THAT(a.take(), IsEmpty());
  EXPECT_TRUE(has(bus, "engine::queue::enqueue"));
}

TEST(EngineOwnership, AFunctionBehindAUrlIsNotOffered) {
  TestBus bus;
  Peer a(bus, "a");
  a.say(
      R"({"type":"registerfunction","id":"f","invocation":{"url":"https://example.com","method":"POST"}})");
  EXPECT_THAT(a.refusal_of("f"), HasSubstr("function_not_found"));
}

}  // namespace
}  // namespace iii::engine
