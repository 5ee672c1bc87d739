// engine::stats, and what counts as a call.
#include "bus/engine/builtins/stats.h"

#include <gmock/gmock.h>

#include "bus/engine/testing.h"

namespace iii::engine {
namespace {

using testing::HasSubstr;

class StatsTest : public testing::Test {
 protected:
  json::Value stats(std::string_view input = "{}") {
    return reader.result_of("engine::stats", input);
  }
  // The row of a function in engine::stats; null when it has none.
  json::Value row(std::string_view id) {
    const json::Value found = stats(R"({"functions":")" + std::string(id) + "\"}");
    const auto* rows = found.find("functions")->as_array();
    return rows->size() == 1 ? rows->front() : json::Value();
  }
  // Calls f, which takes so long, and answers with `outcome`.
  void call(std::string_view outcome = R"("result":1)", Millis takes = Millis(4)) {
    caller.invoke(++id_, "f");
    bus.timers.advance(takes);
    worker.answer(uuid(id_), outcome);
  }

  TestBus bus;
  Peer worker{bus, "worker"};
  Peer caller{bus, "caller"};
  Peer reader{bus, "reader"};

 private:
  uint64_t id_ = 0;
};

TEST_F(StatsTest, CountsCallsErrorsAndTime) {
  worker.serve("f");
  call();
  call(R"("error":{"code":"broken","message":"m"})");
  caller.invoke(77, "f");
  EXPECT_EQ(bus.engine.in_flight(), 1U);
  const json::Value f = row("f");
  EXPECT_EQ(text_at(f, "calls"), "2");
  EXPECT_EQ(text_at(f, "errors"), "1");
  EXPECT_EQ(text_at(f, "error_rate"), "0.5");
  EXPECT_EQ(text_at(f, "namespace"), "default");
  EXPECT_NEAR(*f.find("p50_ms")->as_double(), 4, 1.1);
  EXPECT_EQ(f.find("points")->as_array()->size(), 40U);
  bus.timers.advance(Millis(1'000));
  const json::Value now = stats(R"({"window":1})");
  EXPECT_EQ(text_at(now, "in_flight"), "2");  // the one above, and this one
  EXPECT_EQ(text_at(now, "connections"), "3");
  EXPECT_EQ(now.find("samples")->as_array()->size(), 1U);
  EXPECT_EQ(text_at(now, "errors_total"), "1");
  EXPECT_EQ(bus.engine.calls().errors_by_code(),
            (std::vector<std::pair<std::string_view, uint64_t>>{{"broken", 1}}));
}

TEST_F(StatsTest, TheSampleOfTheLastSecond) {
  worker.serve("f");
  call();
  bus.timers.advance(Millis(1'000));
  const auto samples = bus_samples(bus.engine, std::nullopt);
  ASSERT_EQ(samples.size(), 1U);
  const BusSample& sample = samples.front();
  EXPECT_GE(sample.calls, 1U);
  EXPECT_EQ(sample.errors, 0U);
  EXPECT_EQ(sample.connections, 3U);
  EXPECT_EQ(sample.in_flight, 0U);
  EXPECT_TRUE(sample.p50_ms);
}

TEST_F(StatsTest, NoSecondIsLeftOutOrToldTwice) {
  worker.serve("f");
  bus.timers.advance(Millis(1'000));
  uint64_t next = bus_samples(bus.engine, std::nullopt).back().second + 1;
  EXPECT_TRUE(bus_samples(bus.engine, next).empty());
  call();
  // Somebody looks late.
  bus.timers.advance(Millis(2'100));
  const auto late = bus_samples(bus.engine, next);
  ASSERT_EQ(late.size(), 2U);
  EXPECT_EQ(late[0].second, next);
  EXPECT_GE(late[0].calls, 1U);
  EXPECT_EQ(late[1].calls, 0U);
  EXPECT_EQ(late[1].at - late[0].at, 1'000);
  // Who was away for long gets the last ten.
  bus.timers.advance(Millis(60'000));
  EXPECT_EQ(bus_samples(bus.engine, next).size(), 10U);
}

TEST_F(StatsTest, CallsThatReachNoFunctionAreErrors) {
  caller.invoke(1, "nobody::has-this");
  caller.invoke(2, "nobody::has-this", "{}", R"(,"action":{"type":"void"})");
  EXPECT_EQ(bus.engine.calls().errors_by_code(),
            (std::vector<std::pair<std::string_view, uint64_t>>{{"function_not_found", 2}}));
  EXPECT_EQ(stats().find("functions")->as_array()->size(), 1U);  // announces only
}

TEST_F(StatsTest, CountsVoidCallsAndBuiltIns) {
  worker.serve("f");
  caller.invoke(1, "f", "{}", R"(,"action":{"type":"void"})");
  EXPECT_EQ(text_at(row("f"), "calls"), "1");
  EXPECT_EQ(row("f").find("p50_ms"), nullptr);  // nobody waited
  caller.ask("engine::baggage::get", R"({"key":"k"})");
  EXPECT_EQ(text_at(row("engine::baggage::get"), "calls"), "1");
  caller.refusal_of("engine::baggage::get", R"({"key":5})");
  EXPECT_EQ(text_at(row("engine::baggage::get"), "errors"), "1");
}

TEST_F(StatsTest, ACallWhoseWorkerLeavesIsAnError) {
  worker.serve("f");
  caller.invoke(1, "f");
  worker.leave();
  EXPECT_EQ(bus.engine.calls().errors_by_code(),
            (std::vector<std::pair<std::string_view, uint64_t>>{{"invocation_stopped", 1}}));
  EXPECT_EQ(bus.engine.in_flight(), 0U);
}

TEST_F(StatsTest, CountersGoWithTheFunctionAndStayWhenItIsRegisteredAgain) {
  worker.serve("f");
  call();
  worker.serve("f");  // with another description, say
  EXPECT_EQ(text_at(row("f"), "calls"), "1");
  const uint64_t before = bus.engine.calls().calls();
  worker.say(R"({"type":"unregisterfunction","id":"f"})");
  EXPECT_TRUE(row("f").is_null());
  EXPECT_GE(bus.engine.calls().calls(), before);
}

TEST_F(StatsTest, CountsWhatTriggerTypesFire) {
  worker.serve("on_log");
  worker.bind("b", "log", "on_log");
  caller.ask("engine::log::info", R"({"message":"hello"})");
  bus.turn();
  const json::Value now = stats();
  std::string fired;
  for (const json::Value& type : *now.find("trigger_types")->as_array()) {
    if (text_at(type, "id") == "log") fired = text_at(type, "fired");
  }
  EXPECT_EQ(fired, "1");
  EXPECT_EQ(text_at(row("on_log"), "calls"), "1");
}

TEST_F(StatsTest, AsksForWhatItIsGiven) {
  worker.serve("a::one");
  worker.serve("b::two");
  caller.invoke(1, "a::one");
  worker.answer(uuid(1), R"("result":1)");
  caller.invoke(2, "b::two");
  worker.answer(uuid(2), R"("result":1)");
  EXPECT_EQ(stats(R"({"functions":"b::"})").find("functions")->as_array()->size(), 1U);
  EXPECT_EQ(stats(R"({"functions":false})").find("functions")->as_array()->size(), 0U);
  EXPECT_EQ(stats(R"({"limit":1})").find("functions")->as_array()->size(), 1U);
  EXPECT_THAT(reader.refusal_of("engine::stats", R"({"functions":5})"),
              HasSubstr("deserialization_error"));
  EXPECT_THAT(reader.refusal_of("engine::stats", R"({"window":301})"),
              HasSubstr("deserialization_error"));
}

TEST_F(StatsTest, IsNotListed) {
  EXPECT_THAT(
      json::to_text(reader.result_of("engine::functions::list", R"({"include_internal":true})")),
      testing::Not(HasSubstr("engine::stats")));
}

}  // namespace
}  // namespace iii::engine
