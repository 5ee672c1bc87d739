#include "bus/engine/observers/fixture_for_test.h"

namespace iii::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// An old host with `a::f`, an observing worker with the targets `b::t` and `b::u`.
struct Scene {
  TestBus bus;
  Peer host{bus, "host"};
  Observing worker{bus, "w"};
  Peer caller{bus, "caller"};
  uint64_t calls = 0;

  Scene() {
    host.serve("a::f");
    worker.serve("b::t");
    worker.serve("b::u");
    worker->take();
  }
  // One call of `a::f`, answered; what the worker has got after that.
  Frames call(std::string_view data = R"({"n":1})", std::string_view outcome = R"("result":2)",
              std::string_view extra = "") {
    caller.invoke(++calls, "a::f", data, extra);
    answer_all(host, outcome);
    bus.turn();
    caller.take();
    return worker->take();
  }
  json::Value only_activation(const Frames& frames) {
    const auto found = of_type(frames, "invokefunction");
    EXPECT_EQ(found.size(), 1U) << ::testing::PrintToString(frames);
    return found.size() == 1 ? found.front() : json::Value{};
  }
  const Observer& observer(std::string_view id) { return *bus.engine.observers().find(id); }
};

TEST(Activation, O14_HasTheFrameOfTheProtocol) {
  Scene s;
  s.worker.observe("o", "a::f", "b::t", R"(,"capture":["input","output","caller","metadata"])",
                   R"(,"metadata":{"m":1})");
  s.worker->take();
  const auto frame = s.only_activation(s.call(R"({"n":1})", R"("result":2)", R"(,"metadata":"x")"));
  EXPECT_EQ(text_at(frame, "function_id"), "b::t");
  EXPECT_EQ(text_at(frame, "metadata"), R"({"m":1})");
  EXPECT_EQ(text_at(frame, "observe_depth"), "1");
  EXPECT_EQ(text_at(*frame.find("activation"), "observer_id"), "o");
  EXPECT_EQ(text_at(*frame.find("caller"), "worker_name"), "iii-engine");
  EXPECT_EQ(text_at(*frame.find("caller"), "function_id"), "a::f");
  EXPECT_EQ(text_at(*frame.find("caller"), "invocation_id"), uuid(1));
  const auto data = data_of(frame);
  EXPECT_EQ(text_at(data, "observer_id"), "o");
  EXPECT_EQ(text_at(data, "activation_id"), text_at(*frame.find("activation"), "activation_id"));
  EXPECT_EQ(text_at(data, "function_id"), "a::f");
  EXPECT_EQ(text_at(data, "namespace"), "default");
  EXPECT_EQ(text_at(data, "invocation_id"), uuid(1));
  EXPECT_EQ(text_at(data, "status"), "success");
  EXPECT_EQ(text_at(data, "input"), R"({"n":1})");
  EXPECT_EQ(text_at(data, "output"), "2");
  EXPECT_EQ(text_at(data, "metadata"), "x");
  EXPECT_EQ(text_at(*data.find("caller"), "worker_name"), "caller");
  EXPECT_EQ(text_at(*data.find("caller"), "worker_id"), s.caller.id());
}

TEST(Activation, O14_ATargetWithoutFeaturesGetsNoNewKeys) {
  Scene s;
  s.host.serve("old::t");
  s.worker.observe("o", "a::f", "old::t", R"(,"deliver":"input")");
  s.call();
  const auto frame = s.host.take_one();
  EXPECT_EQ(text_at(frame, "data"), R"({"n":1})");
  for (const char* key : {"caller", "observe_depth", "activation"}) {
    EXPECT_EQ(frame.find(key), nullptr) << key;
  }
}

TEST(Activation, O14_ATargetThatLeavesFreesItsPlaces) {
  Scene s;
  auto target = std::make_unique<Observing>(s.bus, "target");
  target->serve("x::t");
  s.worker.observe("o", "a::f", "x::t");
  s.call();
  EXPECT_EQ(s.observer("o").in_flight, 1U);
  target.reset();
  EXPECT_EQ(s.observer("o").in_flight, 0U);
  EXPECT_THAT(states(s.worker->take()), ElementsAre("suspended/TARGET_UNAVAILABLE"));
}

TEST(Activation, O10_FollowsTheAnswerAlsoOfVoidCalls) {
  Scene s;
  s.worker.observe("o", "a::f", "b::t");
  s.worker->take();
  s.caller.say(
      R"({"type":"invokefunction","function_id":"a::f","data":{"v":1},"action":{"type":"void"}})");
  EXPECT_THAT(s.worker->take(), IsEmpty());
  EXPECT_EQ(answer_all(s.host), 1U);
  s.bus.turn();
  EXPECT_EQ(text_at(data_of(s.only_activation(s.worker->take())), "input"), R"({"v":1})");
  EXPECT_THAT(s.caller.take(), IsEmpty());
}

TEST(Activation, O10_ErrorsOfTheEngineAreNoEvents) {
  Scene s;
  s.worker.observe("o", "a::f", "b::t", R"(,"on":"complete")");
  s.worker->take();
  s.caller.invoke(9, "a::f");
  s.host.leave();
  s.bus.turn();
  EXPECT_THAT(of_type(s.worker->take(), "invokefunction"), IsEmpty());
}

TEST(Activation, O11_TheDocumentHasNoCallerIdAndKeepsNull) {
  Scene s;
  s.worker.observe("o", "a::f", "b::t");
  s.worker.observe("p", "a::f", "b::u", R"(,"deliver":"output")");
  s.worker->take();
  const auto frames = of_type(s.call(R"({"_caller_worker_id":"forged","n":1})",
                                     R"("result":{"_caller_worker_id":"x","y":1})"),
                              "invokefunction");
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(text_at(data_of(frames[0]), "input"), R"({"n":1})");
  EXPECT_EQ(text_at(data_of(frames[0]), "output"), R"({"y":1})");
  EXPECT_EQ(json::to_text(data_of(frames[1])), R"({"y":1})");
  const auto nothing = of_type(s.call("1", R"("result":null)"), "invokefunction");
  ASSERT_EQ(nothing.size(), 2U);
  EXPECT_TRUE(data_of(nothing[0]).find("output")->is_null());
}

TEST(Activation, O11_CaptureIsHonouredForEach) {
  Scene s;
  s.worker.observe("a", "a::f", "b::t", R"(,"capture":[])");
  s.worker.observe("b", "a::f", "b::t", R"(,"capture":["output"])");
  s.worker->take();
  const auto frames = of_type(s.call(), "invokefunction");
  ASSERT_EQ(frames.size(), 2U);
  for (const char* key : {"input", "output", "error", "caller", "metadata"}) {
    EXPECT_EQ(data_of(frames[0]).find(key), nullptr) << key;
    EXPECT_EQ(data_of(frames[1]).find(key) != nullptr, std::string_view(key) == "output") << key;
  }
}

TEST(Activation, O12_OnIsLookedAtBeforeFilters) {
  Scene s;
  s.worker.observe("s", "a::f", "b::t");
  s.worker.observe("e", "a::f", "b::t", R"(,"on":"error","filters":{"error.code":{"$eq":"X"}})");
  s.worker.observe("c", "a::f", "b::t", R"(,"on":"complete")");
  s.worker.observe("u", "a::f", "b::t", R"(,"on":"someday")");
  s.worker->take();
  const auto fired = [&](const Frames& frames) {
    std::vector<std::string> ids;
    for (const auto& frame : of_type(frames, "invokefunction")) {
      ids.push_back(text_at(*frame.find("activation"), "observer_id"));
    }
    return ids;
  };
  EXPECT_THAT(fired(s.call()), ElementsAre("c", "s"));
  EXPECT_THAT(fired(s.call("{}", R"("error":{"code":"X","message":"m"})")), ElementsAre("c", "e"));
  EXPECT_THAT(fired(s.call("{}", R"("error":{"code":"Y","message":"m"})")), ElementsAre("c"));
}

TEST(Activation, O13_FiltersSelectCalls) {
  Scene s;
  s.worker.observe("o", "a::f", "b::t",
                   R"(,"filters":{"input.n":{"$gte":5},"caller.worker_name":{"$eq":"caller"}})");
  s.worker->take();
  EXPECT_THAT(s.call(R"({"n":4})"), IsEmpty());
  EXPECT_EQ(of_type(s.call(R"({"n":5})"), "invokefunction").size(), 1U);
}

TEST(Activation, O13_LargeEventsAreEvaluatedElsewhereAndStayInOrder) {
  Scene s;
  s.worker.observe("o", "a::f", "b::t", R"(,"filters":{"input.n":{"$lt":3}},"capture":["input"])");
  s.worker->take();
  const std::string large(kInlineBytes, 'x');
  std::vector<std::string> seen;
  for (const int n : {1, 2, 4}) {
    const std::string padding = n == 1 ? large : "";
    s.caller.invoke(static_cast<uint64_t>(n), "a::f",
                    R"({"n":)" + std::to_string(n) + R"(,"p":")" + padding + "\"}");
  }
  answer_all(s.host);
  for (int i = 0; i < 5; ++i) s.bus.turn();
  for (const auto& frame : of_type(s.worker->take(), "invokefunction")) {
    seen.push_back(text_at(*data_of(frame).find("input"), "n"));
  }
  EXPECT_THAT(seen, ElementsAre("1", "2"));
}

TEST(Activation, O15_MaxFiresIsExact) {
  Scene s;
  s.worker.observe("o", "a::f", "b::t", "", R"(,"max_fires":2)");
  s.worker->take();
  for (uint64_t id = 11; id < 15; ++id) s.caller.invoke(id, "a::f");
  answer_all(s.host);
  s.bus.turn();
  const Frames frames = s.worker->take();
  EXPECT_EQ(of_type(frames, "invokefunction").size(), 2U);
  EXPECT_THAT(states(frames), ElementsAre("disposed/MAX_FIRES"));
  EXPECT_EQ(text_at(parsed(frames.back()), "fires"), "2");
  EXPECT_EQ(s.bus.engine.observers().size(), 0U);
}

TEST(Activation, O16_OneInFlightNeverOverlaps) {
  Scene s;
  s.worker.observe("o", "a::f", "b::t", "", R"(,"max_in_flight":1)");
  s.worker->take();
  size_t fired = of_type(s.call(), "invokefunction").size();
  const Frames none = s.call();
  EXPECT_THAT(none, IsEmpty());
  EXPECT_EQ(s.observer("o").queue.size(), 1U);
  EXPECT_EQ(fired, 1U);
}

TEST(Activation, O16_TheNextStartsWhenTheLastIsAnswered) {
  Scene s;
  s.worker.observe("o", "a::f", "b::t", "", R"(,"max_in_flight":1)");
  s.worker->take();
  const auto first = s.only_activation(s.call());
  s.call();
  s.worker->answer(text_at(first, "invocation_id"), R"("error":{"code":"x","message":"y"})");
  s.bus.turn();
  EXPECT_EQ(of_type(s.worker->take(), "invokefunction").size(), 1U);
  EXPECT_EQ(s.observer("o").in_flight, 1U);
}

TEST(Activation, O16_TheQueueIsBoundedAndOverflowIsCounted) {
  Scene s;
  s.worker.observe("o", "a::f", "b::t", "", R"(,"max_in_flight":1)");
  s.worker->take();
  for (size_t i = 0; i < Observer::kMostQueued + 3; ++i) s.call("1");
  EXPECT_EQ(s.observer("o").queue.size(), Observer::kMostQueued);
  EXPECT_EQ(s.observer("o").dropped.at("OVERFLOW"), 2U);
}

TEST(Activation, O17_DepthEightRunsNineDoesNot) {
  Scene s;
  s.worker.observe("o", "a::f", "b::t");
  s.worker->take();
  const auto frame = s.only_activation(s.call("{}", R"("result":1)", R"(,"observe_depth":7)"));
  EXPECT_EQ(text_at(frame, "observe_depth"), "8");
  EXPECT_THAT(s.call("{}", R"("result":1)", R"(,"observe_depth":8)"), IsEmpty());
  EXPECT_EQ(s.observer("o").dropped.at("LOOP_GUARD"), 1U);
  EXPECT_EQ(s.observer("o").state, ObserverState::kActive);
  const auto row = s.caller.result_of("engine::observers::get", R"({"id":"o"})");
  EXPECT_EQ(text_at(row, "dropped"), R"({"LOOP_GUARD":1})");
  EXPECT_EQ(text_at(row, "fires"), "1");
  EXPECT_TRUE(s.caller.refusal_of("engine::observers::get", R"({"id":"x"})")
                  .starts_with("OBSERVER_NOT_FOUND: "));
}

TEST(Activation, O17_TargetsThatObserveEachOtherEnd) {
  Scene s;
  s.worker.observe("o", "a::f", "b::t");
  s.worker.observe("p", "b::t", "b::u");
  s.worker.observe("q", "b::u", "b::t");
  s.worker.ack("b::t", "p", 2);
  s.worker.ack("b::u", "q", 2);
  s.worker->take();
  s.caller.invoke(1, "a::f");
  answer_all(s.host);
  size_t activations = 0;
  for (int i = 0; i < 40; ++i) {
    s.bus.turn();
    activations += answer_all(s.worker.peer);
  }
  EXPECT_EQ(activations, 8U);
}

TEST(Activation, ATargetThatDoesNotReadIsWaitedFor) {
  Scene s;
  s.worker.observe("o", "a::f", "b::t");
  s.worker->take();
  s.worker->unread = 2 * 1024 * 1024;
  EXPECT_THAT(s.call(), IsEmpty());
  s.worker->read_all();
  EXPECT_EQ(of_type(s.worker->take(), "invokefunction").size(), 1U);
}

TEST(Activation, WhatIsKeptIsGivenBack) {
  Scene s;
  s.worker.observe("o", "a::f", "b::t");
  s.worker->take();
  s.caller.invoke(1, "a::f");
  EXPECT_EQ(s.worker->worker().ledger.events.used(), 1U);
  answer_all(s.host);
  s.bus.turn();
  EXPECT_EQ(s.worker->worker().ledger.events.used(), 0U);
  EXPECT_EQ(s.worker->worker().ledger.events.used_bytes(), 0U);
  answer_all(s.worker.peer);
  EXPECT_EQ(s.observer("o").in_flight, 0U);
  s.worker.unobserve("o");
  EXPECT_EQ(s.worker->worker().observers.size(), 0U);
}

TEST(Activation, O31_CallsThatNobodyCanPayForAreForwardedUnobserved) {
  EngineLimits limits;
  limits.max_events_per_owner = 1;
  TestBus bus(limits);
  Peer host(bus, "host");
  host.serve("a::f");
  Observing worker(bus, "w");
  worker.serve("b::t");
  worker.observe("o", "a::f", "b::t");
  worker->take();
  Peer caller(bus, "c");
  caller.invoke(1, "a::f");
  caller.invoke(2, "a::f");
  EXPECT_EQ(answer_all(host), 2U);
  bus.turn();
  EXPECT_EQ(of_type(worker->take(), "invokefunction").size(), 1U);
  EXPECT_EQ(of_type(caller.take(), "invocationresult").size(), 2U);
}

}  // namespace
}  // namespace iii::engine
