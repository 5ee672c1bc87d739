#include "bus/engine/observers/fixture_for_test.h"

namespace iii::engine {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(ObserverNegotiation, O01_MessagesOfObserversGoOnlyToPeersThatNamedThem) {
  TestBus bus;
  Peer old(bus, "old");
  old.serve("a::f");
  old.say(
      R"({"type":"observe","id":"o","source":{"function_id":"a::f"},"target":{"function_id":"b::t"}})");
  EXPECT_THAT(old.take(), IsEmpty());
  EXPECT_EQ(bus.engine.observers().size(), 0U);
  // A host without features hears nothing of its observers.
  Observing watcher(bus, "w");
  watcher.serve("b::t");
  watcher.observe("o", "a::f", "b::t");
  EXPECT_THAT(states(watcher->take()), ElementsAre("=active"));
  EXPECT_THAT(old.take(), IsEmpty());
}

TEST(ObserverNegotiation, O02_EarlyRegistrationsAreConfirmedAfterTheAnnounce) {
  TestBus bus;
  Peer host(bus);
  host.serve("a::f");
  EXPECT_THAT(host.take(), IsEmpty());
  host.announce("host", kV1);
  const auto confirmed = host.take_one();
  EXPECT_EQ(
      json::to_text(confirmed),
      R"({"id":"a::f","local_dispatch":false,"namespace":"default","observers":[],"revision":1,"type":"functionregistered"})");
}

TEST(ObserverNegotiation, O02_WithoutAnAnnounceThereAreNoFeaturesUntilItComes) {
  TestBus bus;
  Peer host(bus);
  host.serve("a::f");
  bus.timers.advance(EngineLimits{}.registration_grace);
  EXPECT_THAT(host.take(), IsEmpty());
  host.announce("late", kV1);
  EXPECT_EQ(of_type(host.take(), "functionregistered").size(), 1U);
}

TEST(ObserverNegotiation, WhatAFunctionDeclaresCountsFromALateAnnounceOn) {
  TestBus bus;
  Peer host(bus);
  host.say(R"({"type":"registerfunction","id":"a::private","private":true})");
  host.say(R"({"type":"registerfunction","id":"a::closed","observable":false})");
  host.say(R"({"type":"registerfunction","id":"a::args","args_format":{"required":["topic"]}})");
  host.say(R"({"type":"registerfunction","id":"a::wrong","args_format":7})");
  host.say(R"({"type":"registerfunction","id":"a::v1","observe":{"allow":false}})");
  bus.timers.advance(EngineLimits{}.registration_grace);
  Observing other(bus, "other");
  other->invoke(1, "a::private");
  EXPECT_EQ(of_type(host.take(), "invokefunction").size(), 1U);
  const Quota& stored = host.worker().ledger.stored;
  const size_t functions = stored.used();
  const size_t bytes = stored.used_bytes();
  host.announce("late", kV2);
  EXPECT_EQ(stored.used(), functions - 1);
  EXPECT_LT(stored.used_bytes(), bytes);
  const Frames told = host.take();
  EXPECT_EQ(of_type(told, "functionregistered").size(), 4U);
  const auto rejected = of_type(told, "registrationrejected");
  ASSERT_EQ(rejected.size(), 1U);
  EXPECT_EQ(text_at(rejected[0], "function_id"), "a::wrong");
  other->take();
  other->invoke(2, "a::private");
  EXPECT_EQ(text_at(*other->take_one().find("error"), "code"), "FORBIDDEN");
  other.observe("o", "a::closed", "x::t");
  other.observe("p", "a::args", "x::t");
  other.observe("q", "a::v1", "x::t");
  other.observe("r", "a::args", "x::t", R"(,"args":{"topic":1})");
  EXPECT_THAT(states(other->take()), ElementsAre("=error/NOT_OBSERVABLE", "=error/INVALID_ARGS",
                                                 "=error/NOT_OBSERVABLE", "=pending"));
}

TEST(ObserverNegotiation, LocalDispatchIsOfferedOnlyWhenConfiguredAndOnlyToWorkersThatNamedIt) {
  EngineLimits limits;
  limits.local_dispatch = true;
  for (const bool configured : {false, true}) {
    TestBus bus(configured ? limits : EngineLimits{});
    Observing able(bus, "able", R"(,"features":["observe.v1","local-dispatch.v1"])");
    able.serve("a::f");
    Observing plain(bus, "plain");
    plain.serve("b::f");
    const auto allowed = [](Observing& host) {
      return *of_type(host->take(), "functionregistered").at(0).find("local_dispatch")->as_bool();
    };
    EXPECT_EQ(allowed(able), configured);
    EXPECT_FALSE(allowed(plain));
  }
}

TEST(ObserverLife, O03_OneResultPerObserveInOrderBeforeItsChanges) {
  TestBus bus;
  Observing worker(bus, "w");
  worker.observe("o1", "a::f", "a::t");
  worker.observe("o2", "a::f", "a::f");
  worker.serve("a::f");
  worker.serve("a::t");
  worker.ack("a::f", "o1", 1);
  std::vector<std::string> ids;
  const Frames frames = worker->take();
  for (const std::string& text : frames) {
    const auto frame = parsed(text);
    if (text_at(frame, "type").starts_with("observe")) ids.push_back(text_at(frame, "id"));
  }
  EXPECT_THAT(states(frames), ElementsAre("=pending", "=error/SELF_TARGET", "active"));
  EXPECT_THAT(ids, ElementsAre("o1", "o2", "o1"));
}

TEST(ObserverLife, O04_ARefusalKeepsNothing) {
  TestBus bus;
  Observing worker(bus, "w", kV2);
  worker.serve("a::closed", R"(,"observable":false)");
  worker.serve("a::f", R"(,"request_format":{"additionalProperties":false,"properties":{"a":{}}})");
  worker->take();
  worker.observe("o", "a::f", "a::f");
  worker.observe("o", "a::f", "a::t", R"(,"filters":{"input.a":1})");
  worker.observe("o", "a::closed", "a::t");
  worker.observe("o", "a::f", "a::t", R"(,"args":{"x":1})");
  worker.observe("o", "a::f", "a::t", R"(,"filters":{"input.b":{"$eq":1}})");
  worker.observe("o", "engine::functions::list", "a::t");
  EXPECT_THAT(
      states(worker->take()),
      ElementsAre("=error/SELF_TARGET", "=error/INVALID_FILTER", "=error/NOT_OBSERVABLE",
                  "=error/INVALID_ARGS", "=error/INVALID_FILTER_PATH", "=error/NOT_OBSERVABLE"));
  EXPECT_EQ(bus.engine.observers().size(), 0U);
  worker.observe("o", "a::f", "a::t");
  EXPECT_THAT(states(worker->take()), ElementsAre("=pending"));
}

TEST(ObserverLife, O04_AnIdOfAnotherConnectionIsAConflict) {
  TestBus bus;
  Observing a(bus, "a");
  Observing b(bus, "b");
  a.observe("same", "x::f", "x::t");
  b.observe("same", "x::f", "x::u");
  EXPECT_THAT(states(b->take()), ElementsAre("=error/OBSERVER_ID_CONFLICT"));
  b.unobserve("same");
  EXPECT_THAT(b->take(), IsEmpty());
  EXPECT_NE(bus.engine.observers().find("same"), nullptr);
}

TEST(ObserverLife, O05_UnobserveDisposesAndTellsBothSides) {
  TestBus bus;
  Observing host(bus, "h");
  Observing worker(bus, "w");
  host.serve("a::f");
  worker.observe("o", "a::f", "b::t");
  host->take();
  worker->take();
  worker.unobserve("o");
  const auto removed = host->take_one();
  EXPECT_EQ(text_at(removed, "type"), "observerremoved");
  EXPECT_EQ(text_at(removed, "revision"), "3");
  EXPECT_THAT(states(worker->take()), ElementsAre("disposed/UNOBSERVED"));
  EXPECT_EQ(bus.engine.observers().size(), 0U);
}

TEST(ObserverLife, O06_EachMissingPieceAloneKeepsItPending) {
  TestBus bus;
  Observing host(bus, "h");
  Observing worker(bus, "w");
  worker.observe("o", "a::f", "b::t");
  worker.serve("b::t");
  EXPECT_THAT(states(worker->take()), ElementsAre("=pending"));
  host.serve("a::f");
  EXPECT_THAT(states(worker->take()), IsEmpty());  // not acknowledged
  host.ack("a::f", "o", 1);
  EXPECT_THAT(states(worker->take()), ElementsAre("active"));
  worker.observe("p", "a::f", "b::missing");
  host.ack("a::f", "p", 2);
  EXPECT_THAT(states(worker->take()), ElementsAre("=pending"));
  worker.serve("b::missing");
  EXPECT_THAT(states(worker->take()), ElementsAre("active"));
  worker->say(R"({"type":"unregisterfunction","id":"b::missing"})");
  EXPECT_THAT(states(worker->take()), ElementsAre("suspended/TARGET_UNAVAILABLE"));
}

TEST(ObserverLife, O07_RevisionsRiseAndSurviveTheHost) {
  TestBus bus;
  Observing worker(bus, "w");
  {
    Observing host(bus, "h");
    host.serve("a::f");
    worker.observe("o", "a::f", "b::t");
    worker.observe("p", "a::f", "b::t");
    worker.unobserve("p");
    std::vector<std::string> revisions;
    for (const std::string& text : host->take()) {
      revisions.push_back(text_at(parsed(text), "revision"));
    }
    EXPECT_THAT(revisions, ElementsAre("1", "2", "3", "4"));
  }
  Observing next(bus, "next");
  next.serve("a::f");
  const auto told = next->take_one();
  EXPECT_EQ(text_at(told, "revision"), "5");
  EXPECT_EQ(told.find("observers")->as_array()->size(), 1U);
}

TEST(ObserverLife, O08_AcksOfOthersAndOfOldRevisionsAreIgnored) {
  TestBus bus;
  Observing host(bus, "h");
  Observing worker(bus, "w");
  host.serve("a::f");
  worker.serve("b::t");
  worker.observe("o", "a::f", "b::t");
  worker->take();
  worker.ack("a::f", "o", 2);
  host.ack("a::f", "o", 1);
  host.ack("a::g", "o", 2);
  host.ack("a::f", "unknown", 2);
  EXPECT_THAT(states(worker->take()), IsEmpty());
  host.ack("a::f", "o", 2);
  EXPECT_THAT(states(worker->take()), ElementsAre("active"));
}

TEST(ObserverLife, O08_AnErrorAckIsTheStateAndALateOneAlsoRemoves) {
  TestBus bus;
  Observing host(bus, "h");
  Observing worker(bus, "w");
  host.serve("a::f");
  worker.serve("b::t");
  worker.observe("o", "a::f", "b::t");
  host->take();
  worker->take();
  host.ack("a::f", "o", 2, R"(,"error":{"code":"NO","message":"no"})");
  EXPECT_THAT(states(worker->take()), ElementsAre("error/NO"));
  EXPECT_THAT(host->take(), IsEmpty());
  // The same id again is answered with the reason, and forgotten.
  worker.observe("o", "a::f", "b::t");
  EXPECT_THAT(states(worker->take()), ElementsAre("=error/NO"));
  worker.observe("o", "a::f", "b::t");
  host.ack("a::f", "o", 3);
  EXPECT_THAT(states(worker->take()), ElementsAre("=pending", "active"));
  host->take();
  host.ack("a::f", "o", 3, R"(,"error":{"code":"LATE","message":"no"})");
  EXPECT_THAT(states(worker->take()), ElementsAre("error/LATE"));
  EXPECT_EQ(text_at(host->take_one(), "type"), "observerremoved");
}

TEST(ObserverLife, O09_AHostThatDoesNotAcknowledge) {
  TestBus bus;
  Observing host(bus, "h");
  Observing worker(bus, "w");
  host.serve("a::f");
  worker.observe("o", "a::f", "b::t");
  worker->take();
  bus.timers.advance(Observers::kAckTimeout - Millis(1));
  EXPECT_THAT(states(worker->take()), IsEmpty());
  bus.timers.advance(Millis(1));
  EXPECT_THAT(states(worker->take()), ElementsAre("error/OWNER_TIMEOUT"));
}

TEST(ObserverLife, O18_ALeaseEndsWithoutTraffic) {
  TestBus bus;
  Observing worker(bus, "w");
  worker.observe("o", "a::f", "b::t", "", R"(,"expires_in_ms":500)");
  worker->take();
  bus.timers.advance(Millis(400));
  worker.observe("o", "a::f", "b::t", "", R"(,"expires_in_ms":500)");  // does not extend it
  EXPECT_THAT(states(worker->take()), ElementsAre("=pending"));
  bus.timers.advance(Millis(100));
  EXPECT_THAT(states(worker->take()), ElementsAre("disposed/EXPIRED"));
}

TEST(ObserverLife, O24_AfterTheGraceAnAbandonedObserverEnds) {
  TestBus bus;
  Observing host(bus, "h");
  host.serve("a::f");
  {
    Observing worker(bus, "w");
    worker.observe("o", "a::f", "b::t");
  }
  host->take();
  bus.timers.advance(Observers::kGrace - Millis(1));
  ASSERT_NE(bus.engine.observers().find("o"), nullptr);
  EXPECT_EQ(bus.engine.observers().find("o")->reason->code, "OBSERVER_DISCONNECTED");
  EXPECT_THAT(host->take(), IsEmpty());
  bus.timers.advance(Millis(1));
  EXPECT_EQ(bus.engine.observers().find("o"), nullptr);
  EXPECT_EQ(text_at(host->take_one(), "type"), "observerremoved");
}

TEST(ObserverLife, O24_ReattachMovesObserversAndAReplayChangesNothing) {
  TestBus bus;
  Observing host(bus, "h");
  host.serve("a::f");
  auto worker = std::make_unique<Observing>(bus, "w");
  worker->serve("b::t");
  worker->observe("o", "a::f", "b::t");
  host.ack("a::f", "o", 2);
  host->take();
  const std::string id = worker->peer.id();
  const std::string token = worker->peer.token();
  worker.reset();
  Peer again(bus);
  again.say(R"({"type":"reattach","previous_worker_id":")" + id + R"(","reattach_token":")" +
            token + "\"}");
  again.announce("w", kV1);
  again.serve("b::t");
  EXPECT_THAT(states(again.take()), IsEmpty());  // nothing before its observeresult
  again.say(
      R"({"type":"observe","id":"o","source":{"function_id":"a::f"},"target":{"function_id":"b::t"}})");
  EXPECT_THAT(states(again.take()), ElementsAre("=active"));
  EXPECT_THAT(host->take(), IsEmpty());
  bus.timers.advance(Observers::kGrace);
  EXPECT_NE(bus.engine.observers().find("o"), nullptr);
}

TEST(ObserverLife, O24_WithoutATokenTheSameIdTakesTheObserverOver) {
  TestBus bus;
  Observing host(bus, "h");
  host.serve("a::f");
  {
    Observing(bus, "w").observe("o", "a::f", "b::t");
  }
  Observing other(bus, "other");
  other.serve("b::t");
  other.observe("o", "a::f", "b::t");
  host.ack("a::f", "o", 2);
  EXPECT_THAT(states(other->take()), ElementsAre("=pending", "active"));
  bus.timers.advance(Observers::kGrace);
  EXPECT_NE(bus.engine.observers().find("o"), nullptr);
}

TEST(ObserverLife, O25_TheNextHostIsToldTheSetAndAcknowledgesItAgain) {
  TestBus bus;
  Observing worker(bus, "w");
  worker.serve("b::t");
  worker.observe("o", "a::f", "b::t");
  {
    Observing host(bus, "h");
    host.serve("a::f");
    host.ack("a::f", "o", 1);
    EXPECT_THAT(states(worker->take()), ElementsAre("=pending", "active"));
  }
  EXPECT_THAT(states(worker->take()), ElementsAre("pending/OWNER_UNAVAILABLE"));
  Observing next(bus, "n");
  next.serve("a::f");
  EXPECT_THAT(states(worker->take()), ElementsAre("pending"));
  next.ack("a::f", "o", 2);
  EXPECT_THAT(states(worker->take()), ElementsAre("active"));
}

TEST(ObserverLife, O27_ArgsAreCheckedAgainWhenTheSourceAppears) {
  TestBus bus;
  Observing worker(bus, "w");
  worker.observe("good", "a::f", "b::t", R"(,"args":{"topic":"x"})");
  worker.observe("bad", "a::f", "b::t", R"(,"args":{"topic":1})");
  worker->take();
  Observing host(bus, "h", kV2);
  host.serve("a::f",
             R"(,"args_format":{"type":"object","properties":{"topic":{"type":"string"}}})");
  EXPECT_THAT(states(worker->take()), ElementsAre("error/INVALID_ARGS"));
  const auto told = host->take_one();
  ASSERT_EQ(told.find("observers")->as_array()->size(), 1U);
  EXPECT_EQ(text_at(told.find("observers")->as_array()->front(), "id"), "good");
}

TEST(ObserverLife, O31_ObserversOfAConnectionAreLimited) {
  EngineLimits limits;
  limits.max_stored_bytes_per_worker = 3 * Ledger::kEntryBytes;
  TestBus bus(limits);
  Observing worker(bus, "w");
  for (const char* id : {"1", "2", "3"}) worker.observe(id, "a::f", "b::t");
  EXPECT_THAT(states(worker->take()), ElementsAre("=pending", "=pending", "=error/LIMIT_EXCEEDED"));
  worker.unobserve("1");
  worker->take();
  worker.observe("3", "a::f", "b::t");
  EXPECT_THAT(states(worker->take()), ElementsAre("=pending"));
}

TEST(ObserverLife, O31_ObserversOfAFunctionAreLimited) {
  TestBus bus;
  Observing worker(bus, "w");
  for (size_t i = 0; i < Source::kMostObservers; ++i) {
    worker.observe("o" + std::to_string(i), "a::f", "b::t");
  }
  worker->take();
  worker.observe("more", "a::f", "b::t");
  worker.observe("elsewhere", "a::g", "b::t");
  EXPECT_THAT(states(worker->take()), ElementsAre("=error/LIMIT_EXCEEDED", "=pending"));
}

TEST(ObserverFunctions, O26_PrivateFunctionsAreForTheirOwnConnection) {
  TestBus bus;
  Observing host(bus, "h", kV2);
  Observing other(bus, "o", kV2);
  host.serve("a::p", R"(,"private":true)");
  host->take();
  EXPECT_TRUE(other->refusal_of("a::p").starts_with("FORBIDDEN: "));
  other.observe("o", "b::f", "a::p");
  EXPECT_THAT(states(other->take()), ElementsAre("=error/FORBIDDEN"));
  other.observe("o", "a::p", "b::t");
  EXPECT_THAT(states(other->take()), ElementsAre("=pending"));
  host->invoke(1, "a::p");
  EXPECT_EQ(of_type(host->take(), "invokefunction").size(), 1U);
}

TEST(ObserverFunctions, O28_NewRefusalsGoOnlyToPeersThatKnowThem) {
  TestBus bus;
  Observing v2(bus, "v2", kV2);
  Observing v1(bus, "v1", kV1);
  v2.serve("a::f", R"(,"args_format":{"type":7})");
  const auto rejected = v2->take_one();
  EXPECT_EQ(text_at(rejected, "type"), "registrationrejected");
  EXPECT_EQ(text_at(rejected, "code"), "INVALID_ARGS_FORMAT");
  v1.serve("b::f", R"(,"private":true)");
  EXPECT_THAT(v1->take(), IsEmpty());
  EXPECT_EQ(bus.engine.functions().find("default", "b::f"), nullptr);
  // Without features the key means nothing, as ever.
  Peer old(bus, "old");
  old.say(R"({"type":"registerfunction","id":"c::f","private":true})");
  v1->invoke(1, "c::f");
  EXPECT_EQ(of_type(old.take(), "invokefunction").size(), 1U);
}

TEST(ObserverFunctions, WhyAnArgsFormatIsRefusedIsLogged) {
  TestBus bus;
  Observing v2(bus, "v2", kV2);
  Observing v1(bus, "v1", kV1);
  const auto logged = [](Observing& host, const std::string& extra) {
    ::testing::internal::CaptureStderr();
    host.serve("a::f", extra);
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_THAT(logged(v2, R"(,"args_format":{"type":7})"),
              AllOf(HasSubstr("worker v2"), HasSubstr("a::f"), HasSubstr("args_format")));
  EXPECT_THAT(logged(v2, R"(,"args_format":{"title":")" + std::string(70'000, 'x') + "\"}"),
              HasSubstr("65536"));
  EXPECT_THAT(logged(v1, R"(,"observe":{"delivery":"owner","args_format":5})"),
              HasSubstr("args_format"));
}

std::vector<std::string> warnings_of(const json::Value& result) {
  std::vector<std::string> found;
  const json::Value* warnings = result.find("warnings");
  if (warnings == nullptr) return found;
  for (const json::Value& each : *warnings->as_array()) found.push_back(*each.as_string());
  return found;
}

TEST(ObserverWarnings, ARepetitionHasThoseOfTheFirst) {
  TestBus bus;
  Peer host(bus, "host");
  host.say(R"({"type":"registerfunction","id":"a::f","request_format":{"type":"object"}})");
  Observing worker(bus, "w");
  for (int i = 0; i < 2; ++i) {
    worker.observe("o", "a::f", "b::t", R"(,"filters":{"input.n":{"$eq":1}})");
    EXPECT_THAT(warnings_of(worker->take_one()), SizeIs(1));
  }
}

TEST(ObserverWarnings, WhatCannotBeUsedIsNamed) {
  TestBus bus;
  Observing worker(bus, "w");
  const auto warned = [&worker](std::string_view in_source) {
    worker.observe("o", "a::f", "b::t", in_source);
    const auto result = worker->take_one();
    EXPECT_EQ(text_at(result, "state"), "pending") << in_source;
    return warnings_of(result);
  };
  EXPECT_THAT(warned(R"(,"on":"failure")"), ElementsAre(HasSubstr("`source.on`")));
  EXPECT_THAT(warned(R"(,"on":5)"), ElementsAre(HasSubstr("`source.on`")));
  EXPECT_THAT(warned(R"(,"deliver":"zzz")"), ElementsAre(HasSubstr("`source.deliver`")));
  EXPECT_THAT(warned(R"(,"capture":"input")"), ElementsAre(HasSubstr("`source.capture`")));
  EXPECT_THAT(warned(R"(,"capture":["input","inptu",7])"), ElementsAre(HasSubstr("inptu")));
  EXPECT_THAT(warned(R"(,"on":"error","deliver":"input","capture":[])"), IsEmpty());
}

TEST(ObserverWarnings, GetShowsWhatCounts) {
  TestBus bus;
  Observing worker(bus, "w");
  worker.observe("o", "a::f", "b::t", R"(,"on":"error","deliver":"input","capture":["error"])",
                 R"(,"max_fires":3,"expires_in_ms":9000)");
  worker->take();
  const auto row = worker->result_of("engine::observers::get", R"({"id":"o"})");
  EXPECT_EQ(text_at(row, "on"), "error");
  EXPECT_EQ(text_at(row, "deliver"), "input");
  EXPECT_EQ(text_at(row, "capture"), R"(["error"])");
  EXPECT_EQ(text_at(row, "max_fires"), "3");
  EXPECT_EQ(text_at(row, "expires_in_ms"), "9000");
  EXPECT_EQ(text_at(row, "max_in_flight"), "64");
}

// `message` of the error or the reason of the last frame that has one.
std::string last_message(const Frames& frames) {
  std::string message;
  for (const std::string& text : frames) {
    const json::Value frame = parsed(text);
    for (const std::string_view key : {"error", "reason"}) {
      if (const json::Value* error = frame.find(key)) message = text_at(*error, "message");
    }
  }
  return message;
}

TEST(ObserverMessages, SayWhatHappened) {
  EngineLimits limits;
  limits.max_stored_bytes_per_worker = 4 * Ledger::kEntryBytes;
  TestBus bus(limits);
  Peer host(bus, "host");
  host.serve("a::f");
  Observing worker(bus, "w");
  worker.serve("b::t");
  worker.observe("n", "a::f", "b::t", R"(,"namespace":5)");
  EXPECT_THAT(last_message(worker->take()), HasSubstr("must be a string"));
  worker.observe("o", "a::f", "b::t", "", R"(,"max_fires":1)");
  worker.observe("e", "a::f", "b::t", "", R"(,"expires_in_ms":10)");
  worker.observe("p", "a::f", "b::t");
  EXPECT_EQ(last_message(worker->take()),
            "This connection has 2 observers, and more do not fit. Next: end those that are not "
            "needed.");
  worker->invoke(1, "a::f");
  answer_all(host);
  bus.turn();
  EXPECT_EQ(last_message(worker->take()), "`max_fires` (1) was reached.");
  bus.timers.advance(Millis(20));
  EXPECT_EQ(last_message(worker->take()), "`expires_in_ms` has passed.");
}

}  // namespace
}  // namespace iii::engine
