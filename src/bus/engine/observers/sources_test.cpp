// Event sources of the engine (observers §7.2).
#include "bus/engine/observers/fixture_for_test.h"

namespace iii::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Scene {
  TestBus bus;
  Observing worker{bus, "w", kV2};

  Scene() {
    worker.serve("b::t");
    worker->take();
  }
  // `data` of each activation that has arrived.
  std::vector<std::string> activations() {
    bus.turn();
    std::vector<std::string> found;
    for (const auto& frame : of_type(worker->take(), "invokefunction")) {
      found.push_back(json::to_text(data_of(frame)));
    }
    return found;
  }
};

TEST(EventSource, IsActiveAtOnceAndGivesThePayloadOfTheTriggerType) {
  Scene s;
  s.worker.observe("o", "engine::on-workers-changed", "b::t", R"(,"deliver":"output")");
  EXPECT_THAT(states(s.worker->take()), ElementsAre("=active"));
  Peer other(s.bus);
  EXPECT_THAT(s.activations(),
              ElementsAre(R"({"event":"worker_connected","worker_id":")" + other.id() + "\"}"));
  s.worker.unobserve("o");
  s.worker->take();
  other.announce("other");
  EXPECT_THAT(s.activations(), IsEmpty());
}

TEST(EventSource, TheEnvelopeHasTheEventAsInputAndOutput) {
  Scene s;
  s.worker.observe("o", "observability::on-log", "b::t",
                   R"(,"filters":{"output.body":{"$prefix":"he"}})");
  s.worker->take();
  Peer other(s.bus, "other");
  other.invoke(1, "engine::log::info", R"({"message":"bye"})");
  other.invoke(2, "engine::log::info", R"({"message":"hello"})");
  s.bus.turn();
  const auto frames = of_type(s.worker->take(), "invokefunction");
  ASSERT_EQ(frames.size(), 1U);
  const auto data = data_of(frames[0]);
  EXPECT_EQ(text_at(data, "function_id"), "observability::on-log");
  EXPECT_EQ(text_at(*data.find("output"), "body"), "hello");
  EXPECT_EQ(text_at(data, "input"), text_at(data, "output"));
  EXPECT_EQ(text_at(data, "status"), "success");
  EXPECT_EQ(text_at(*data.find("caller"), "worker_name"), "iii-engine");
}

TEST(EventSource, FunctionsThatComeAreLookedForOnlyWhenSomebodyObserves) {
  Scene s;
  s.worker.observe("o", "engine::on-functions-changed", "b::t", R"(,"deliver":"output")");
  s.worker->take();
  Peer other(s.bus, "other");
  other.serve("new::f");
  s.bus.timers.advance(EngineLimits{}.functions_poll);
  const auto seen = s.activations();
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_NE(seen[0].find(R"("event":"functions_changed")"), std::string::npos);
  EXPECT_NE(seen[0].find("new::f"), std::string::npos);
}

TEST(EventSource, ObserversThatBeginChangeAndEnd) {
  Scene s;
  s.worker.observe("o", "engine::on-observers-changed", "b::t",
                   R"(,"deliver":"output","filters":{"output.observer_id":{"$ne":"o"}})");
  Observing other(s.bus, "other");
  other.observe("p", "x::f", "x::t");
  other.unobserve("p");
  EXPECT_THAT(
      s.activations(),
      ElementsAre(
          R"({"function_id":"x::f","observer_id":"p","state":"pending","target":"x::t"})",
          R"({"function_id":"x::f","observer_id":"p","reason":{"code":"UNOBSERVED","message":"Ended by the observing worker."},"state":"disposed","target":"x::t"})"));
}

TEST(EventSource, EveryEndOfAnObserverIsAnEvent) {
  Scene s;
  s.worker.observe("o", "engine::on-observers-changed", "b::t",
                   R"(,"deliver":"output","filters":{"output.state":{"$eq":"disposed"}})");
  Observing other(s.bus, "other");
  other.observe("p", "x::f", "x::t");
  other.observe("p", "x::f", "x::t", R"(,"filters":{"input":5})");
  other.observe("q", "x::f", "x::t");
  other.observe("q", "x::g", "x::t");
  std::vector<std::string> ended;
  for (const std::string& event : s.activations()) {
    const json::Value payload = parsed(event);
    ended.push_back(text_at(payload, "observer_id") + " " + text_at(payload, "function_id") + " " +
                    text_at(*payload.find("reason"), "code"));
  }
  EXPECT_THAT(ended, ElementsAre("p x::f INVALID_FILTER", "q x::f UNOBSERVED"));
}

TEST(EventSource, NobodyCallsItListsItOrHasItAsATarget) {
  Scene s;
  for (const char* id : {"engine::on-workers-changed", "engine::on-functions-changed",
                         "engine::on-observers-changed", "observability::on-log"}) {
    EXPECT_TRUE(s.worker->refusal_of(id).starts_with("FORBIDDEN: ")) << id;
    s.worker.observe("t", "a::f", id);
    EXPECT_THAT(states(s.worker->take()), ElementsAre("=error/FORBIDDEN")) << id;
    const auto list =
        s.worker->result_of("engine::functions::list", R"({"include_internal":true})");
    EXPECT_EQ(json::to_text(list).find(id), std::string::npos) << id;
  }
}

TEST(EventSource, ATargetThatCausesItsOwnEventsEnds) {
  Scene s;
  s.worker.observe("o", "observability::on-log", "b::t");
  s.worker->take();
  s.worker->invoke(1, "engine::log::info", R"({"message":"again"})");
  size_t runs = 0;
  for (uint64_t id = 100; id < 130; ++id) {
    s.bus.turn();
    const auto calls = of_type(s.worker->take(), "invokefunction");
    runs += calls.size();
    for (const auto& call : calls) {
      s.worker->invoke(id, "engine::log::info", R"({"message":"again"})",
                       R"(,"observe_depth":)" + text_at(call, "observe_depth"));
    }
  }
  EXPECT_EQ(runs, Observers::kMaxDepth);
}

}  // namespace
}  // namespace iii::engine
