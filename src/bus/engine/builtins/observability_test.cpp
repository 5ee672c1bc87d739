// engine::log::*, engine::baggage::*, engine::health::check, the `log` trigger type
// (engine-functions §7.1–7.2).
#include "bus/engine/builtins/observability.h"

#include "bus/engine/testing.h"

namespace iii::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class ObservabilityTest : public ::testing::Test {
 protected:
  TestBus bus_;
  Peer a_{bus_, "talker"};
};

TEST_F(ObservabilityTest, LogLinesGoToOurLogAndHaveNoResult) {
  ::testing::internal::CaptureStderr();
  const json::Value answer =
      a_.ask("engine::log::warn", R"({"message":"one\ntwo","data":{"k":1}})");
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(answer.find("result"), nullptr);
  EXPECT_EQ(answer.find("error"), nullptr);
  EXPECT_THAT(log, HasSubstr("warn  [talker] one\\x0atwo {\"k\":1}"));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << "no forged second line";
}

TEST_F(ObservabilityTest, EveryLevelExistsAndNeedsAMessage) {
  for (const char* level : {"trace", "debug"}) {
    EXPECT_EQ(a_.ask("engine::log::" + std::string(level), R"({"message":"m"})").find("error"),
              nullptr);
  }
  for (const char* level : {"trace", "debug", "info", "warn", "error"}) {
    EXPECT_THAT(a_.refusal_of("engine::log::" + std::string(level), "{}"),
                StartsWith("deserialization_error"))
        << level;
  }
}

TEST_F(ObservabilityTest, TheLogTriggerDeliversRecordsFromALevelUpwards) {
  Peer watcher(bus_, "watcher");
  watcher.serve("watch");
  watcher.say(
      R"({"type":"registertrigger","id":"b","trigger_type":"log","function_id":"watch","config":{"level":"warn"}})");
  ::testing::internal::CaptureStderr();
  a_.ask("engine::log::info", R"({"message":"quiet"})");
  EXPECT_THAT(watcher.take(), IsEmpty());
  a_.ask("engine::log::error", R"({"message":"loud","service_name":"s","data":[1]})");
  ::testing::internal::GetCapturedStderr();
  const json::Value call = watcher.take_one();
  const json::Value& record = *call.find("data");
  EXPECT_EQ(text_at(record, "severity_number"), "17");
  EXPECT_EQ(text_at(record, "severity_text"), "ERROR");
  EXPECT_EQ(text_at(record, "body"), "loud");
  EXPECT_EQ(text_at(record, "service_name"), "s");
  EXPECT_EQ(text_at(record, "attributes"), R"({"data":[1]})");
  EXPECT_EQ(text_at(record, "trace_id"), "null");
}

TEST_F(ObservabilityTest, TheLogTriggerTakesAllByDefaultAndRefusesABrokenConfig) {
  a_.serve("watch");
  a_.bind("b", "log", "watch");
  Peer other(bus_, "other");
  other.ask("engine::log::trace", R"({"message":"m"})");
  EXPECT_EQ(a_.take().size(), 1U);
  a_.say(
      R"({"type":"registertrigger","id":"c","trigger_type":"log","function_id":"watch","config":{"level":5}})");
  EXPECT_THAT(text_at(a_.take_one(), "error"), HasSubstr("trigger_registration_failed"));
}

TEST_F(ObservabilityTest, BaggageIsWhatTheCallItselfCarried) {
  const std::string baggage = R"(,"baggage":"user=J%C3%BCrgen,plan=free;p=1,broken")";
  a_.invoke(1, "engine::baggage::get", R"({"key":"user"})", baggage);
  EXPECT_EQ(text_at(*a_.take_one().find("result"), "value"), "Jürgen");
  a_.invoke(2, "engine::baggage::get", R"({"key":"nope"})", baggage);
  EXPECT_EQ(text_at(*a_.take_one().find("result"), "value"), "null");
  a_.invoke(3, "engine::baggage::get_all", "{}", baggage);
  EXPECT_EQ(*a_.take_one().find("result"),
            parsed(R"({"baggage":{"user":"Jürgen","plan":"free"}})"));
  EXPECT_EQ(a_.result_of("engine::baggage::get_all"), parsed(R"({"baggage":{}})"));
  EXPECT_EQ(text_at(a_.result_of("engine::baggage::set", R"({"key":"k","value":"v"})"), "success"),
            "true");
}

TEST_F(ObservabilityTest, HealthNamesItsComponentsTimeAndVersion) {
  const json::Value health = a_.result_of("engine::health::check");
  EXPECT_EQ(text_at(health, "status"), "healthy");
  EXPECT_EQ(text_at(health, "version"), "0.0.0-test");
  EXPECT_EQ(text_at(health, "timestamp"), std::to_string(bus_.timers.wall_ms()));
  for (const char* component : {"otel", "metrics", "logs", "spans"}) {
    EXPECT_NE(health.find("components")->find(component), nullptr) << component;
  }
}

}  // namespace
}  // namespace iii::engine
