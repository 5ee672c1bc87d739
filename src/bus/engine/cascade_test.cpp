// Events that cause events: they end, whoever made the bindings pays, nobody else waits.
#include "bus/engine/stored_bus.h"

namespace iii::engine {
namespace {

using ::testing::HasSubstr;

std::string log_of(const std::function<void()>& action) {
  ::testing::internal::CaptureStderr();
  action();
  return ::testing::internal::GetCapturedStderr();
}

TEST(Cascade, AStateTriggerBoundToStateDeleteEndsAtTheDocumentedDepth) {
  StoredBus bus;
  Peer watcher(bus, "watcher");
  Peer a(bus, "a");
  watcher.serve("watch");
  watcher.bind("w", "state", "watch");
  a.bind("b", "state", "state::delete");
  const std::string log = log_of([&] {
    EXPECT_NE(a.ask("state::set", R"({"scope":"s","key":"k","value":1})").find("result"), nullptr);
  });
  EXPECT_EQ(watcher.take().size(), bus.engine.limits().max_cascade_depth);
  EXPECT_EQ(std::ranges::count(log, '\n'), 1) << log;
  EXPECT_THAT(log, HasSubstr("levels deep"));
  EXPECT_EQ(a.worker().ledger.events.used(), 0U);
}

TEST(Cascade, AConfigurationTriggerBoundToItsOwnRegisterEnds) {
  EngineLimits limits;
  limits.max_cascade_depth = 3;
  StoredBus bus(limits);
  Peer a(bus, "a");
  a.result_of("engine::register_trigger",
              R"({"trigger_type":"configuration","function_id":"configuration::register",)"
              R"("config":{}})");
  const uint64_t before = bus.store->counters().writes;
  log_of([&] {
    a.ask("configuration::register", R"({"id":"c","name":"","description":"","schema":true})");
  });
  EXPECT_EQ(bus.store->counters().writes - before, 1 + limits.max_cascade_depth);
}

// 2 000 of them took the engine down for good: every event was multiplied by 2 000 again.
TEST(Cascade, BindingsThatMultiplyTheirOwnEventsShareOneBudget) {
  constexpr size_t kBindings = 200;
  EngineLimits limits;
  limits.max_cascade_calls = 1'000;
  StoredBus bus(limits);
  Peer other(bus, "other");
  {
    Peer a(bus, "a");
    for (size_t i = 0; i < kBindings; ++i) {
      a.result_of("engine::register_trigger",
                  R"({"trigger_type":"configuration","function_id":"configuration::register",)"
                  R"("config":{}})");
    }
    log_of([&] {
      a.say(R"({"type":"invokefunction","function_id":"configuration::register","data":)"
            R"({"id":"c","name":"","description":"","schema":true},"action":{"type":"void"}})");
    });
  }
  EXPECT_LE(bus.store->counters().writes, 10 + kBindings + limits.max_cascade_calls);
  EXPECT_GE(bus.store->counters().writes, kBindings);
  EXPECT_EQ(text_at(other.result_of("configuration::get", R"({"id":"c","raw":true})"), "id"), "c");
}

TEST(Cascade, EventsOfFunctionsOutsideTheEngineStartAtTheTop) {
  EngineLimits limits;
  limits.max_cascade_depth = 1;
  StoredBus bus(limits);
  Peer a(bus, "a");
  a.serve("f");
  a.bind("b", "state", "f");
  for (int i = 0; i < 5; ++i) {
    a.say(R"({"type":"invokefunction","function_id":"state::set",)"
          R"("data":{"scope":"s","key":"k","value":1},"action":{"type":"void"}})");
    EXPECT_EQ(a.take().size(), 1U);
  }
}

}  // namespace
}  // namespace iii::engine
