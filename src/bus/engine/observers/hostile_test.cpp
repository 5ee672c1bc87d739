// What peers can do to observers of others, or to the memory of the engine.
#include <malloc.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "bus/engine/observers/fixture_for_test.h"
#include "foundation/base/discard.h"

namespace iii::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr size_t kMegabyte = 1024UL * 1024;

// An old host with `a::f` and `a::g`, an observing worker with the target `b::t`.
struct Scene {
  explicit Scene(EngineLimits limits = {}) : bus(limits) {
    host.serve("a::f");
    host.serve("a::g");
    worker.serve("b::t");
    worker->take();
  }
  void turns(int n = 20) {
    for (int i = 0; i < n; ++i) bus.turn();
  }
  const Observer& observer(std::string_view id) { return *bus.engine.observers().find(id); }
  uint64_t dropped(std::string_view id, const std::string& code = "OVERFLOW") {
    const auto& all = observer(id).dropped;
    const auto found = all.find(code);
    return found == all.end() ? 0 : found->second;
  }
  size_t activations(Observing& at) {
    turns();
    return of_type(at->take(), "invokefunction").size();
  }

  TestBus bus;
  Peer host{bus, "host"};
  Observing worker{bus, "w"};
  Peer caller{bus, "caller"};
};

// An observing host with `a::f`, which reports.
struct Reporting {
  Reporting() {
    host.serve("a::f");
    worker.serve("b::t");
    host->take();
    worker->take();
  }
  void observe(std::string_view id, uint64_t revision, std::string_view beside = "") {
    worker.observe(id, "a::f", "b::t", R"(,"capture":["input","caller"])", beside);
    host.ack("a::f", id, revision);
    worker->take();
  }
  void report(std::string_view items) {
    host->say(R"({"type":"invocationsobserved","items":[)" + std::string(items) + "]}");
  }
  std::vector<json::Value> activations() {
    std::vector<json::Value> all;
    for (int i = 0; i < 200; ++i) {
      bus.turn();
      const auto calls = of_type(worker->take(), "invokefunction");
      for (const json::Value& call : calls) {
        all.push_back(data_of(call));
        worker->answer(text_at(call, "invocation_id"), R"("result":1)");
      }
    }
    return all;
  }

  TestBus bus;
  Observing host{bus, "host"};
  Observing worker{bus, "w"};
};

// One message, without the turn of the loop that follows.
void receive(TestBus& bus, Worker& from, std::string_view frame) {
  std::vector<char> padded(frame.begin(), frame.end());
  padded.resize(frame.size() + ws::kPadding);
  bus.engine.received(from, {padded.data(), frame.size()});
}

std::string item(std::string_view more, std::string_view matched = R"(["o"])") {
  return R"({"function_id":"a::f","invocation_id":"i","matched":)" + std::string(matched) +
         std::string(more) + "}";
}

TEST(HostileReports, ManyItemsAreReadAFewAtATime) {
  Reporting s;
  s.observe("o", 2);
  std::string items;
  for (int i = 0; i < 600; ++i) {
    if (i > 0) items += ',';
    items += i % 2 == 0 ? "{}" : item(R"(,"input":)" + std::to_string(i));
  }
  const size_t jobs = s.bus.background.jobs;
  s.report(items + std::string(kInlineBytes, ' '));
  const auto seen = s.activations();
  ASSERT_THAT(seen, SizeIs(300));
  EXPECT_EQ(text_at(seen.front(), "input"), "1");
  EXPECT_EQ(text_at(seen.back(), "input"), "599");
  EXPECT_EQ(s.bus.background.jobs - jobs, 3U);  // 256 items, the rest, the end
  EXPECT_FALSE(s.host->paused());
}

TEST(HostileReports, AnIdCountsOnce) {
  Reporting s;
  s.observe("o", 2);
  s.report(item("", R"(["o","o",7,"o","nobody"])"));
  EXPECT_THAT(s.activations(), SizeIs(1));
}

TEST(HostileReports, WhatIsQueuedIsCharged) {
  Reporting s;
  s.observe("o", 2, R"(,"max_in_flight":1)");
  const Quota& events = s.worker->worker().ledger.events;
  const std::string baggage(kMegabyte, 'b');
  for (int i = 0; i < 3; ++i) s.report(item(R"(,"input":1,"baggage":")" + baggage + '"'));
  for (int i = 0; i < 10; ++i) s.bus.turn();
  // The first has been started; a trace context of that size is none.
  EXPECT_EQ(s.bus.engine.observers().find("o")->queue.size(), 2U);
  for (const Observer::Queued& each : s.bus.engine.observers().find("o")->queue) {
    EXPECT_EQ(each.event->baggage, "");
  }
  EXPECT_LT(events.used_bytes(), 100U);
}

TEST(HostileReports, ACallerThatIsNoObjectIsNone) {
  Reporting s;
  s.observe("o", 2);
  for (const char* caller : {"\"evil\"", "[1]", "null", "7"}) {
    s.report(item(R"(,"caller":)" + std::string(caller)));
    const auto seen = s.activations();
    ASSERT_THAT(seen, SizeIs(1));
    EXPECT_EQ(seen[0].find("caller"), nullptr) << caller;
  }
}

TEST(HostileHost, ALongReasonIsCut) {
  Reporting s;
  s.worker.observe("o", "a::f", "b::t");
  s.host.ack("a::f", "o", 2,
             R"(,"error":{"code":"NO","message":")" + std::string(kMegabyte, 'm') + "\"}");
  EXPECT_LE(s.bus.engine.observers().find("o")->reason->message.size(), 4096U);
}

TEST(HostileHost, ManySelectedIdsAreAllRead) {
  TestBus bus;
  Observing host(bus, "host", kV2);
  Observing worker(bus, "w");
  host.serve("a::f");
  worker.serve("b::t");
  std::string matched;
  for (int i = 0; i < 800; ++i) {
    const std::string id = std::string(90, 'x') + std::to_string(i);
    worker.observe(id, "a::f", "b::t");
    host.ack("a::f", id, static_cast<uint64_t>(i) + 2);
    matched += (i == 0 ? "\"" : ",\"") + id + '"';
  }
  worker->take();
  host->take();
  Peer caller(bus, "c");
  caller.invoke(1, "a::f");
  answer_all(host.peer, R"("result":1,"matched":[)" + matched + "]");
  size_t seen = 0;
  for (int i = 0; i < 60; ++i) {
    bus.turn();
    seen += answer_all(worker.peer);
  }
  EXPECT_EQ(seen, 800U);
}

TEST(HostileCalls, ALargeMessageIsChargedWhole) {
  Scene s;
  s.worker.observe("o", "a::f", "b::t");
  s.worker->take();
  s.caller.say_large(R"({"type":"invokefunction","function_id":"a::f","data":{},"unknown":")" +
                     std::string(8 * kMegabyte, 'x') + R"(","action":{"type":"void"}})");
  s.turns();
  EXPECT_GE(s.worker->worker().ledger.events.used_bytes(), 8 * kMegabyte);
}

TEST(HostileCalls, AHugeDepthIsDeep) {
  Scene s;
  s.worker.observe("o", "a::f", "b::t");
  s.worker->take();
  s.caller.invoke(1, "a::f", "{}", R"(,"observe_depth":18446744073709551615)");
  answer_all(s.host);
  EXPECT_EQ(s.activations(s.worker), 0U);
  EXPECT_EQ(s.dropped("o", "LOOP_GUARD"), 1U);
}

TEST(HostileObserver, ASlowOneDoesNotCostOthersTheirEvents) {
  EngineLimits limits;
  limits.max_event_bytes_per_owner = 4 * kMegabyte;
  Scene s(limits);
  Observing quick(s.bus, "quick");
  quick.serve("q::t");
  s.worker.observe("slow", "a::f", "b::t", "", R"(,"max_in_flight":1)");
  quick.observe("quick", "a::f", "q::t");
  s.worker->take();
  quick->take();
  const std::string answer = "\"result\":\"" + std::string(kMegabyte, 'x') + '"';
  size_t seen = 0;
  for (uint64_t i = 1; i <= 20; ++i) {
    s.caller.invoke(i, "a::f");
    answer_all(s.host, answer);
    s.turns();
    seen += answer_all(quick.peer);
    s.caller.take();
  }
  EXPECT_EQ(seen, 20U);
  EXPECT_GT(s.dropped("slow"), 10U);
  EXPECT_EQ(s.dropped("quick"), 0U);
}

// The event happened before they asked for it.
TEST(ObserverRace, WhoComesDuringTheEvaluationGetsNothing) {
  Scene s;
  s.worker.observe("first", "a::f", "b::t", R"(,"filters":{"input.n":{"$eq":1}})");
  s.worker->take();
  const std::string large = R"({"n":1,"x":")" + std::string(100'000, 'x') + "\"}";
  s.caller.invoke(1, "a::f", large);
  const auto calls = of_type(s.host.take(), "invokefunction");
  // What follows the answer is not run yet.
  receive(s.bus, s.host.worker(),
          R"({"type":"invocationresult","invocation_id":")" +
              text_at(calls.at(0), "invocation_id") + R"(","function_id":"?","result":1})");
  s.worker.observe("late", "a::f", "b::t", R"(,"filters":{"input.n":{"$eq":"never"}})");
  s.turns();
  std::vector<std::string> fired;
  for (const json::Value& call : of_type(s.worker->take(), "invokefunction")) {
    fired.push_back(text_at(data_of(call), "observer_id"));
  }
  EXPECT_THAT(fired, ElementsAre("first"));
}

TEST(ObserverRace, AReattachmentThatIsCutOffLeaksNothing) {
  Scene s;
  {
    Observing holder(s.bus, "holder");
    for (int i = 0; i < 200; ++i) holder.observe("o" + std::to_string(i), "a::f", "b::t");
    const std::string previous = holder->id();
    const std::string token = holder->token();
    holder->leave();
    Peer next(s.bus);
    receive(s.bus, next.worker(),
            R"({"type":"reattach","previous_worker_id":")" + previous + R"(","reattach_token":")" +
                token + "\"}");
    next.leave();
  }
  s.turns();
  s.bus.timers.advance(Observers::kGrace + std::chrono::seconds(1));
  s.turns();
  s.bus.timers.advance(Observers::kGrace + std::chrono::seconds(1));
  s.turns();
  EXPECT_EQ(s.bus.engine.observers().size(), 0U);
}

TEST(ObserverFrames, EveryObserveWithAnIdIsAnswered) {
  Scene s;
  const auto answer = [&s](std::string_view rest) {
    s.worker->say(R"({"type":"observe","id":"o")" + std::string(rest) + "}");
    return states(s.worker->take());
  };
  const std::string both = R"(,"source":{"function_id":"a::f"},"target":{"function_id":"b::t"})";
  for (const char* number : {"-1", "1.5", "\"3\"", "3.0", "1e30", "[]", "99999999999999999999"}) {
    for (const char* key : {"max_fires", "expires_in_ms", "max_in_flight"}) {
      EXPECT_THAT(answer(both + ",\"" + key + "\":" + number), ElementsAre("=error/INVALID_ARGS"))
          << key << " " << number;
    }
  }
  EXPECT_THAT(answer(""), ElementsAre("=error/INVALID_ARGS"));
  EXPECT_THAT(answer(R"(,"source":"a::f","target":{"function_id":"b::t"})"),
              ElementsAre("=error/INVALID_ARGS"));
  EXPECT_THAT(answer(R"(,"source":{"function_id":"a::f"})"), ElementsAre("=error/INVALID_ARGS"));
  EXPECT_THAT(answer(both), ElementsAre("=active"));
}

TEST(ObserverFrames, AReplayBelowItsFiresEndsIt) {
  Scene s;
  s.worker.observe("o", "a::f", "b::t");
  s.worker->take();
  for (uint64_t i = 1; i <= 2; ++i) s.caller.invoke(i, "a::f");
  answer_all(s.host);
  EXPECT_EQ(s.activations(s.worker), 2U);
  s.worker.observe("o", "a::f", "b::t", "", R"(,"max_fires":1)");
  EXPECT_THAT(states(s.worker->take()), ElementsAre("=active", "disposed/MAX_FIRES"));
  EXPECT_EQ(s.bus.engine.observers().size(), 0U);
}

// `svc::pay` of an SDK worker calls `a::f` from its handler, so events of `a::f` name the running
// call of `svc::pay`.
struct Nested : Scene {
  Nested() {
    service.serve("svc::pay");
    worker.observe("o", "a::f", "b::t");
    worker->take();
    caller.invoke(1, "svc::pay");
    service->take();
  }
  void call_from_handler(std::string_view function) {
    service->invoke(2, function, "{}",
                    R"(,"caller":{"function_id":"svc::pay","invocation_id":")" + uuid(1) + "\"}");
  }
  // What the caller is told in the end.
  std::string result() {
    service->answer(uuid(1), R"("result":"genuine")");
    const auto results = of_type(caller.take(), "invocationresult");
    return results.size() == 1 ? text_at(results[0], "result") : std::to_string(results.size());
  }

  Observing service{bus, "service"};
};

TEST(HostileAnswer, AnObserverCannotAnswerTheCallBehindTheObservedOne) {
  Nested s;
  s.call_from_handler("a::f");
  answer_all(s.host);
  s.turns();
  const auto seen = of_type(s.worker->take(), "invokefunction");
  ASSERT_THAT(seen, SizeIs(1));
  EXPECT_EQ(text_at(*data_of(seen[0]).find("caller"), "invocation_id"), uuid(1));
  s.worker->answer(uuid(1), R"("result":"forged")");
  EXPECT_EQ(s.result(), "genuine");
}

TEST(HostileAnswer, ACalleeThatIsToldTheCallBehindItsOwnCannotAnswerIt) {
  Nested s;
  s.worker.serve("b::callee");
  s.worker->take();
  s.call_from_handler("b::callee");
  s.worker->answer(uuid(1), R"("result":"forged")");
  EXPECT_EQ(s.result(), "genuine");
}

// Calls by one id follow each other (wire §6.1), but an id that others were told is not theirs.
TEST(HostileAnswer, AnIdThatWasToldCannotBeTakenOver) {
  Nested s;
  s.call_from_handler("a::f");
  answer_all(s.host);
  s.turns();
  s.worker->take();
  const size_t calls = s.worker->worker().ledger.calls.used();
  s.worker->invoke(1, "b::t");
  const auto refused = s.worker->take_one();
  EXPECT_EQ(text_at(*refused.find("error"), "code"), "invocation_error");
  EXPECT_EQ(s.worker->worker().ledger.calls.used(), calls);
  EXPECT_EQ(s.result(), "genuine");
}

TEST(HostileAnswer, ACallThatAReportNamesIsAnsweredByItsCallee) {
  Reporting s;
  s.observe("o", 2);
  Peer caller(s.bus, "caller");
  caller.invoke(1, "a::f");
  s.report(R"({"function_id":"a::f","matched":["o"],"invocation_id":")" + uuid(1) + "\"}");
  EXPECT_THAT(s.activations(), SizeIs(1));
  s.worker->answer(uuid(1), R"("result":"forged")");
  s.host->answer(uuid(1), R"("result":"genuine")");
  EXPECT_EQ(text_at(caller.take_one(), "result"), "genuine");
}

TEST(HostileAnswer, OnlyTheTargetFreesAPlace) {
  Scene s;
  s.worker.observe("o", "a::f", "b::t", "", R"(,"max_in_flight":1)");
  s.worker->take();
  for (uint64_t i = 1; i <= 2; ++i) s.caller.invoke(i, "a::f");
  answer_all(s.host);
  s.turns();
  const auto running = of_type(s.worker->take(), "invokefunction");
  ASSERT_THAT(running, SizeIs(1));
  const std::string id = text_at(running[0], "invocation_id");
  s.caller.answer(id, R"("result":1)");
  EXPECT_EQ(s.activations(s.worker), 0U);
  EXPECT_EQ(s.observer("o").in_flight, 1U);
  s.worker->answer(id, R"("result":1)");
  EXPECT_EQ(s.activations(s.worker), 1U);
}

TEST(HostileAnswer, OnlyTheHostSelectsObservers) {
  Scene s;
  Observing v2(s.bus, "v2", kV2);
  v2.serve("v::f");
  s.worker.observe("o", "v::f", "b::t");
  v2.ack("v::f", "o", 2);
  s.worker->take();
  s.caller.invoke(1, "v::f");
  s.host.answer(uuid(1), R"("result":1,"delivered":true)");
  EXPECT_THAT(of_type(s.caller.take(), "invocationresult"), SizeIs(0));
  v2->answer(uuid(1), R"("result":2,"matched":["o"])");
  EXPECT_EQ(text_at(s.caller.take_one(), "result"), "2");
  EXPECT_EQ(s.activations(s.worker), 1U);
}

// An observer of a worker that has left, and a stranger who has registered as much as it may.
struct Abandoned : Scene {
  static EngineLimits two_entries() {
    EngineLimits limits;
    limits.max_stored_bytes_per_worker = 3 * Ledger::kEntryBytes;
    return limits;
  }
  Abandoned() : Scene(two_entries()) {
    worker.observe("o", "a::f", "b::t", "", R"(,"max_fires":5)");
    caller.invoke(1, "a::f");
    answer_all(host);
    turns();
    worker->leave();
    stranger.serve("s::own");
    stranger.observe("mine", "a::f", "s::t");
    stranger->take();
  }
  void expect_untouched() {
    ASSERT_NE(bus.engine.observers().find("o"), nullptr);
    EXPECT_EQ(observer("o").state, ObserverState::kSuspended);
    EXPECT_EQ(observer("o").fires, 1U);
    EXPECT_EQ(observer("o").spec.target.id, "b::t");
  }

  Observing stranger{bus, "stranger"};
};

TEST(HostileObserver, ARefusedObserveOfAStrangerChangesNothing) {
  Abandoned s;
  s.stranger.observe("o", "a::f", "b::t", R"(,"filters":{"input":5})");
  EXPECT_THAT(states(s.stranger->take()), ElementsAre("=error/INVALID_FILTER"));
  s.expect_untouched();
  s.stranger.observe("o", "a::f", "s::t");
  EXPECT_THAT(states(s.stranger->take()), ElementsAre("=error/LIMIT_EXCEEDED"));
  s.expect_untouched();
  s.stranger.observe("o", "a::g", "s::t");
  EXPECT_THAT(states(s.stranger->take()), ElementsAre("=error/LIMIT_EXCEEDED"));
  s.expect_untouched();
}

TEST(HostileObserver, ARefusedRepetitionOfTheHolderEndsIt) {
  Scene s;
  s.worker.observe("o", "a::f", "b::t");
  s.worker.observe("o", "a::f", "b::t", R"(,"filters":{"input":5})");
  EXPECT_THAT(states(s.worker->take()), ElementsAre("=active", "=error/INVALID_FILTER"));
  EXPECT_EQ(s.bus.engine.observers().size(), 0U);
}

TEST(HostileObserver, ARepetitionCannotBeLargerThanTheFirst) {
  Scene s;
  const std::string large = R"(,"args":{"x":")" + std::string(60'000, 'x') + "\"}";
  for (int i = 0; i < 100; ++i) s.worker.observe("o" + std::to_string(i), "x::f", "b::t");
  s.worker->take();
  for (int i = 0; i < 100; ++i) s.worker.observe("o" + std::to_string(i), "x::f", "b::t", large);
  const auto answers = states(s.worker->take());
  EXPECT_EQ(std::ranges::count(answers, "=error/LIMIT_EXCEEDED"), 31);
  EXPECT_EQ(s.bus.engine.observers().size(), 69U);
}

TEST(HostileObserver, ASetThatIsTooLargeForOneMessageIsToldInParts) {
  EngineLimits limits;
  limits.max_message_bytes = 8'000;
  Scene s(limits);
  const std::string filter = R"(,"filters":{"input.n":{"$eq":")" + std::string(500, 'x') + "\"}}";
  for (int i = 0; i < 20; ++i) {
    s.worker.observe("o" + std::to_string(i), "x::f", "b::t", filter);
  }
  Observing late(s.bus, "late");
  late.serve("x::f");
  s.turns();
  const Frames frames = late->take();
  for (const std::string& frame : frames) EXPECT_LT(frame.size(), limits.max_message_bytes);
  const auto confirmed = of_type(frames, "functionregistered");
  ASSERT_THAT(confirmed, SizeIs(1));
  const size_t listed = confirmed[0].find("observers")->as_array()->size();
  EXPECT_GT(listed, 0U);
  const auto added = of_type(frames, "observeradded");
  EXPECT_EQ(listed + added.size(), 20U);
  for (const json::Value& frame : added) {
    late.ack("x::f", text_at(*frame.find("observer"), "id"),
             std::stoull(text_at(frame, "revision")));
    EXPECT_EQ(s.observer(text_at(*frame.find("observer"), "id")).state, ObserverState::kActive);
  }
}

std::string logged(const std::function<void()>& action) {
  ::testing::internal::CaptureStderr();
  action();
  return ::testing::internal::GetCapturedStderr();
}

TEST(HostileObserver, CrossingALimitIsLoggedOnce) {
  Scene s(Abandoned::two_entries());
  s.worker.observe("o", "a::f", "b::t");
  const std::string refused = logged([&s] {
    for (int i = 0; i < 3; ++i) s.worker.observe("more", "a::g", "b::t");
  });
  EXPECT_THAT(refused, ::testing::HasSubstr("worker w"));
  EXPECT_THAT(refused, ::testing::HasSubstr("observer"));
  EXPECT_EQ(std::ranges::count(refused, '\n'), 1) << refused;
}

TEST(HostileObserver, LostEventsAreLoggedOnce) {
  EngineLimits limits;
  limits.max_events_per_owner = 4;
  Scene s(limits);
  s.worker.observe("o", "a::f", "b::t");
  const std::string lost = logged([&s] {
    for (uint64_t i = 1; i <= 5; ++i) s.caller.invoke(i, "a::f");
  });
  EXPECT_THAT(lost, ::testing::HasSubstr("OVERFLOW"));
  EXPECT_EQ(std::ranges::count(lost, '\n'), 1) << lost;
}

TEST(HostileObserver, EventsThatComeTooLateAreLoggedOnce) {
  Reporting s;
  s.worker.observe("pending", "a::f", "b::t");
  const std::string lost = logged([&s] {
    for (int i = 0; i < 3; ++i) s.report(item("", R"(["pending"])"));
  });
  EXPECT_THAT(lost, ::testing::HasSubstr("INACTIVE"));
  EXPECT_EQ(std::ranges::count(lost, '\n'), 1) << lost;
}

TEST(PrivateFunction, IsNotCalledThroughABindingOfSomebodyElse) {
  Scene s;
  Observing owner(s.bus, "owner", kV2);
  owner.serve("own::hidden", R"(,"private":true)");
  owner->take();
  Peer other(s.bus, "other");
  other.bind("theirs", "engine::functions-available", "own::hidden");
  owner->bind("mine", "engine::functions-available", "own::hidden");
  other.serve("other::new");
  s.bus.timers.advance(std::chrono::seconds(10));
  s.turns();
  // Once, for the binding of its own worker.
  EXPECT_THAT(of_type(owner->take(), "invokefunction"), SizeIs(1));
  // What waits for an answer, such as the condition of a binding, is told.
  std::string code;
  s.bus.engine.call(
      {.function_id = "own::hidden", .data = "{}", .owner = other.worker().owner()},
      [&code](const Outcome& outcome) { code = outcome ? "" : outcome.error().code; });
  s.turns();
  EXPECT_EQ(code, "FORBIDDEN");
}

TEST(HostileObserver, MaxInFlightIsLimited) {
  Scene s;
  const auto asked = [&s](size_t most) {
    s.worker.observe("o", "a::f", "b::t", "", R"(,"max_in_flight":)" + std::to_string(most));
    const bool warned = s.worker->take_one().find("warnings") != nullptr;
    return std::pair(warned, s.observer("o").spec.max_in_flight);
  };
  EXPECT_EQ(asked(ObserverSpec::kMostInFlight), std::pair(false, ObserverSpec::kMostInFlight));
  EXPECT_EQ(asked(ObserverSpec::kMostInFlight + 1), std::pair(true, ObserverSpec::kMostInFlight));
  EXPECT_EQ(asked(SIZE_MAX), std::pair(true, ObserverSpec::kMostInFlight));
}

// Of ten observers with ten places each, whose target never answers.
TEST(HostileObserver, ActivationsInFlightCountAgainstTheirHolder) {
  EngineLimits limits;
  limits.max_events_per_owner = 40;
  Scene s(limits);
  for (int i = 0; i < 10; ++i) {
    s.worker.observe("o" + std::to_string(i), "a::f", "b::t", "", R"(,"max_in_flight":10)");
  }
  s.worker->take();
  for (uint64_t i = 1; i <= 10; ++i) {
    s.caller.invoke(i, "a::f");
    answer_all(s.host);
    s.turns();
  }
  size_t in_flight = 0;
  uint64_t dropped = 0;
  for (int i = 0; i < 10; ++i) {
    in_flight += s.observer("o" + std::to_string(i)).in_flight;
    dropped += s.dropped("o" + std::to_string(i));
  }
  EXPECT_LE(in_flight, 40U + 10U) << "the first of each observer is free";
  EXPECT_GT(in_flight, 30U);
  EXPECT_EQ(in_flight + dropped, 100U);
  EXPECT_LE(s.worker->worker().ledger.events.used(), 40U);
  EXPECT_EQ(answer_all(s.worker.peer), in_flight);
  s.turns();
  EXPECT_EQ(s.worker->worker().ledger.events.used(), 0U);
  EXPECT_EQ(s.worker->worker().ledger.events.used_bytes(), 0U);
}

TEST(HostileObserver, CallsThroughItCountAgainstItsHolder) {
  EngineLimits limits;
  limits.max_events_per_owner = 3;
  TestBus bus(limits);
  Observing host(bus, "host");
  Observing worker(bus, "w");
  host.serve("a::f");
  worker.serve("b::t");
  worker.observe("o", "a::f", "b::t");
  host.ack("a::f", "o", 2);
  host->take();
  for (uint64_t i = 1; i <= 5; ++i) {
    host->invoke(i, "b::t", "{}", R"(,"activation":{"observer_id":"o"})");
  }
  EXPECT_EQ(bus.engine.observers().find("o")->in_flight, 4U) << "the first is free";
  EXPECT_EQ(text_at(*host->take_one().find("error"), "code"), "OVERFLOW");
  EXPECT_EQ(answer_all(worker.peer), 4U);
  EXPECT_EQ(worker->worker().ledger.events.used(), 0U);
}

TEST(HostileFilter, DoesNotLookAtAPartThatIsTooLarge) {
  Scene s;
  s.worker.observe("input", "a::f", "b::t", R"(,"filters":{"input.n":{"$eq":1}},"capture":[])");
  s.worker.observe("caller", "a::f", "b::t",
                   R"(,"filters":{"caller.worker_name":{"$eq":"caller"}},"capture":[])");
  s.worker.observe("all", "a::f", "b::t", R"(,"capture":[])");
  s.worker->take();
  uint64_t id = 0;
  const auto fired = [&](size_t bytes) {
    std::string input = R"({"n":1,"x":")";
    input.append(bytes - input.size() - 2, 'x');
    s.caller.invoke(++id, "a::f", input + "\"}");
    answer_all(s.host);
    return s.activations(s.worker);
  };
  EXPECT_EQ(fired(ObservedEvent::kMostFiltered), 3U);
  EXPECT_EQ(s.dropped("input", "TOO_LARGE"), 0U);
  EXPECT_EQ(fired(ObservedEvent::kMostFiltered + 1), 2U);
  EXPECT_EQ(s.dropped("input", "TOO_LARGE"), 1U);
  EXPECT_EQ(s.dropped("caller", "TOO_LARGE") + s.dropped("all", "TOO_LARGE"), 0U);
}

TEST(HostileFilter, ManyFiltersAreEvaluatedElsewhere) {
  Scene s;
  constexpr int kMany = 100;
  for (int i = 0; i < kMany; ++i) {
    s.worker.observe("o" + std::to_string(i), "a::f", "b::t",
                     R"(,"filters":{"input.n":{"$lt":)" + std::to_string(i) + "}}");
  }
  s.worker->take();
  const size_t jobs = s.bus.background.jobs;
  s.caller.invoke(1, "a::f", R"({"n":9})");
  answer_all(s.host);
  EXPECT_EQ(s.activations(s.worker), 90U);
  EXPECT_EQ(s.bus.background.jobs, jobs + 1);
}

// What the process has allocated and not freed.
size_t allocated() {
  wait_for_discards();
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

TEST(HostileSchema, IsNotKeptAfterItsFunctionIsGone) {
  Scene s;
  const auto observe = [&s](std::string_view id) {
    s.worker.observe(id, "a::large", "b::t", R"(,"filters":{"input.n":{"$eq":1}})");
    s.worker->take();
    s.worker.unobserve(id);
    s.worker->take();
  };
  const size_t before = allocated();
  {
    Peer host(s.bus, "large");
    host.say_large(R"({"type":"registerfunction","id":"a::large","request_format":{"x":")" +
                   std::string(16 * kMegabyte, 'x') + R"("}})");
    s.turns();
    observe("o");
    EXPECT_LT(allocated(), before + 24 * kMegabyte) << "it is not copied";
  }
  s.turns();
  EXPECT_LT(allocated(), before + 8 * kMegabyte) << "it is freed";
}

// Other threads hold bindings and functions for the lists that they write; connections, and what
// observes, belong to the loop thread.
TEST(HostileLists, ABindingDoesNotKeepItsConnection) {
  Scene s;
  BindingPtr kept;
  std::weak_ptr<Worker> worker;
  {
    Peer binder(s.bus, "binder");
    binder.bind("b", "log", "b::t");
    kept = s.bus.engine.triggers().bindings().find("b")->second.binding;
    worker = binder.worker().shared_from_this();
  }
  s.turns();
  EXPECT_TRUE(worker.expired());
  EXPECT_EQ(kept->function_id, "b::t");
}

TEST(HostileLists, AFunctionThatIsGoneDoesNotKeepItsSource) {
  Scene s;
  s.worker.observe("o", "a::f", "b::t");
  const FunctionPtr first = *s.bus.engine.functions().find_default("a::f");
  EXPECT_NE(first->source, nullptr);
  s.host.serve("a::f");
  EXPECT_EQ(first->source, nullptr) << "replaced";
  const FunctionPtr second = *s.bus.engine.functions().find_default("a::f");
  EXPECT_NE(second->source, nullptr);
  s.host.leave();
  EXPECT_EQ(second->source, nullptr) << "gone";
  EXPECT_NE(s.bus.engine.observers().find("o"), nullptr);
}

// A call that holds the place of an activation waits in a slice, and the observer has more to do.
TEST(HostileEnd, TheEngineMayEndDuringActivations) {
  std::vector<Reply> held;
  auto s = std::make_unique<Scene>();
  BuiltinFunction target;
  target.id = "test::hold";
  target.handler = [&held](const CallInfo&, std::string_view, Reply reply) {
    held.push_back(std::move(reply));
  };
  s->bus.engine.add(target);
  s->worker.observe("o", "a::f", "test::hold", "", R"(,"max_in_flight":1)");
  s->worker->take();
  for (uint64_t i = 1; i <= 3; ++i) s->caller.invoke(i, "a::f");
  const auto calls = of_type(s->host.take(), "invokefunction");
  const auto answer = [&](size_t index) {
    receive(s->bus, s->host.worker(),
            R"({"type":"invocationresult","invocation_id":")" +
                text_at(calls.at(index), "invocation_id") + R"(","function_id":"?","result":1})");
  };
  answer(0);
  answer(1);
  s->turns();
  ASSERT_EQ(held.size(), 1U);
  ASSERT_EQ(s->observer("o").queue.size(), 1U);
  answer(2);  // this event waits in a slice and keeps the observer
  s->bus.engine.slices().add(kEngineOwner,
                             [reply = std::move(held.front())] { return reply == nullptr; });
  for (Peer* peer : {&s->host, &s->worker.peer, &s->caller}) peer->release();
  s.reset();
}

}  // namespace
}  // namespace iii::engine
