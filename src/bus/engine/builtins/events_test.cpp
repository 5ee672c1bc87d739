// Trigger types about the bus itself (engine-functions §3, §6.1).
#include "bus/engine/builtins/events.h"

#include "bus/engine/testing.h"

namespace iii::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class BusEventTest : public ::testing::Test {
 protected:
  BusEventTest() { watcher_.serve("watch"); }

  // The payloads of the events since the last look.
  std::vector<std::string> events() {
    std::vector<std::string> out;
    for (const std::string& frame : watcher_.take()) {
      const json::Value call = parsed(frame);
      EXPECT_EQ(text_at(call, "type"), "invokefunction") << frame;
      EXPECT_TRUE(Uuid::parse(text_at(call, "invocation_id"))) << frame;
      out.push_back(text_at(call, "data"));
    }
    return out;
  }
  static std::string about(std::string_view event, const Peer& worker) {
    return R"({"event":")" + std::string(event) + R"(","worker_id":")" + worker.id() + R"("})";
  }

  TestBus bus_;
  Peer watcher_{bus_, "watcher"};
};

TEST_F(BusEventTest, WorkersAvailableTellsConnectMetadataAndDisconnectAtOnce) {
  watcher_.bind("b", "engine::workers-available", "watch");
  Peer a(bus_);
  EXPECT_THAT(events(), ElementsAre(about("worker_connected", a)));
  a.announce("a");
  EXPECT_THAT(events(), ElementsAre(about("worker_metadata_updated", a)));
  a.announce("a");
  EXPECT_THAT(events(), ElementsAre(about("worker_metadata_updated", a)));
  a.leave();
  EXPECT_THAT(events(), ElementsAre(about("worker_disconnected", a)));
}

TEST_F(BusEventTest, EventsCarryTheBindingsMetadataAndNoCaller) {
  watcher_.bind("b", "engine::workers-available", "watch", R"(,"metadata":{"m":1})");
  Peer a(bus_);
  const json::Value call = watcher_.take_one();
  EXPECT_EQ(text_at(call, "metadata"), R"({"m":1})");
  EXPECT_EQ(call.find("data")->find("_caller_worker_id"), nullptr);
  EXPECT_EQ(call.find("traceparent"), nullptr);
}

TEST_F(BusEventTest, EveryBindingIsServedEvenIfTheTargetOfAnotherIsMissing) {
  watcher_.bind("a", "engine::workers-available", "missing");
  watcher_.bind("b", "engine::workers-available", "watch");
  watcher_.bind("c", "engine::workers-available", "watch");
  Peer a(bus_);
  EXPECT_EQ(events().size(), 2U);
  watcher_.unbind("b");
  Peer b(bus_);
  EXPECT_EQ(events().size(), 1U);
}

TEST_F(BusEventTest, AConfigOfAnyKindIsAccepted) {
  watcher_.say(
      R"({"type":"registertrigger","id":"b","trigger_type":"engine::workers-available","function_id":"watch","config":[1]})");
  Peer a(bus_);
  EXPECT_EQ(events().size(), 1U);
}

TEST_F(BusEventTest, FunctionsAvailableFiresOncePerPollWhenTheSetOfIdsChanged) {
  watcher_.bind("b", "engine::functions-available", "watch");
  bus_.timers.advance(protocol::kFunctionsPoll);
  events();
  bus_.timers.advance(protocol::kFunctionsPoll * 3);
  EXPECT_THAT(events(), IsEmpty());
  watcher_.serve("new::one");
  watcher_.serve("new::two");
  EXPECT_THAT(events(), IsEmpty());
  bus_.timers.advance(protocol::kFunctionsPoll);
  const auto fired = events();
  ASSERT_EQ(fired.size(), 1U);
  const json::Value event = parsed(fired[0]);
  EXPECT_EQ(text_at(event, "event"), "functions_changed");
  EXPECT_THAT(text_at(event, "functions"), HasSubstr("new::two"));
  EXPECT_THAT(text_at(event, "functions"), HasSubstr("engine::functions::list"))
      << "internal ones included";
}

TEST_F(BusEventTest, FunctionsAvailableIgnoresEditsAndIdsThatCameBack) {
  watcher_.bind("b", "engine::functions-available", "watch");
  watcher_.serve("f");
  bus_.timers.advance(protocol::kFunctionsPoll);
  events();
  watcher_.say(R"({"type":"registerfunction","id":"f","description":"edited"})");
  watcher_.say(R"({"type":"unregisterfunction","id":"f"})");
  watcher_.serve("f");
  bus_.timers.advance(protocol::kFunctionsPoll);
  EXPECT_THAT(events(), IsEmpty());
  watcher_.say(R"({"type":"unregisterfunction","id":"f"})");
  bus_.timers.advance(protocol::kFunctionsPoll);
  EXPECT_EQ(events().size(), 1U);
}

TEST_F(BusEventTest, ChangesBeforeTheBindingAreNotReported) {
  watcher_.serve("f");
  bus_.timers.advance(protocol::kFunctionsPoll);
  watcher_.bind("b", "engine::functions-available", "watch");
  bus_.timers.advance(protocol::kFunctionsPoll);
  EXPECT_THAT(events(), IsEmpty());
}

// Regression: 2 000 bindings and a listing of 8 MB stopped everybody for 8 s.
TEST_F(BusEventTest, AListingIsMadeInSlicesSharedAndHeldBackAndOnlyTheNewestWaits) {
  for (int i = 0; i < 100; ++i) {
    watcher_.bind("b" + std::to_string(i), "engine::functions-available", "watch");
  }
  bus_.timers.advance(protocol::kFunctionsPoll);
  events();
  watcher_.unread = 2 * 1024 * 1024;
  for (const char* id : {"f1", "f2", "f3"}) {
    watcher_.serve(id);
    bus_.timers.advance(protocol::kFunctionsPoll);
  }
  EXPECT_THAT(events(), IsEmpty());
  EXPECT_LE(watcher_.worker().ledger.events.used(), 300U);
  watcher_.read_all();
  bus_.timers.advance(Millis(100));
  const auto fired = events();
  EXPECT_EQ(fired.size(), 200U) << "the one that was under way and the newest, for each";
  EXPECT_THAT(fired.back(), HasSubstr(R"("f3")"));
  EXPECT_EQ(watcher_.worker().ledger.events.used(), 0U);
}

TEST_F(BusEventTest, NothingIsSentForAPeerThatIsGone) {
  Peer other(bus_, "other");
  other.bind("b", "engine::functions-available", "watch");
  watcher_.unread = 2 * 1024 * 1024;
  watcher_.serve("f");
  bus_.timers.advance(protocol::kFunctionsPoll);
  other.leave();
  watcher_.read_all();
  bus_.timers.advance(Millis(100));
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(BusEventTest, AListingThatIsTooLargeIsCutAndSaysSo) {
  watcher_.bind("b", "engine::functions-available", "watch");
  const std::string metadata(BusEvents::kMostListingBytes / 3, 'x');
  for (const char* id : {"a1", "a2", "a3", "a4"}) {
    watcher_.say(R"({"type":"registerfunction","id":")" + std::string(id) + R"(","metadata":")" +
                 metadata + R"("})");
  }
  bus_.timers.advance(protocol::kFunctionsPoll);
  const auto fired = events();
  ASSERT_EQ(fired.size(), 1U);
  EXPECT_LE(fired[0].size(), BusEvents::kMostListingBytes + 100);
  EXPECT_EQ(text_at(parsed(fired[0]), "truncated"), "true");
}

// ---- `worker` ----

TEST_F(BusEventTest, WorkerAddIsDoneWhenAWorkerFirstTellsItsName) {
  watcher_.bind("b", "worker", "watch");
  Peer a(bus_);
  EXPECT_THAT(events(), IsEmpty());
  a.announce("a", R"(,"version":"1.0")");
  const auto fired = events();
  ASSERT_EQ(fired.size(), 1U);
  EXPECT_EQ(
      parsed(fired[0]),
      parsed(
          R"({"operation":"add","stage":"done","worker":"a","caller_mode":"trigger","timestamp_ms":)" +
          std::to_string(bus_.timers.wall_ms()) + R"(,"version":"1.0"})"));
  a.announce("a");
  EXPECT_THAT(events(), IsEmpty()) << "once";
  a.leave();
  EXPECT_THAT(events(), ElementsAre(HasSubstr(R"("operation":"remove")")));
}

TEST_F(BusEventTest, ANamelessOrRefusedWorkerIsNoNews) {
  watcher_.bind("b", "worker", "watch");
  {
    Peer nameless(bus_);
    nameless.result_of("engine::workers::register", R"({"pid":1})");
  }
  Peer refused(bus_, "watcher");
  EXPECT_TRUE(refused.was_ended());
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(BusEventTest, WorkerFiltersHoldTogetherAndEmptyMeansAll) {
  const auto bind = [&](const std::string& config) {
    watcher_.say(
        R"({"type":"registertrigger","id":"b","trigger_type":"worker","function_id":"watch","config":)" +
        config + "}");
  };
  const auto fires = [&](const std::string& config) {
    bind(config);
    {
      Peer a(bus_, "a");
    }
    return events().size();
  };
  EXPECT_EQ(fires("null"), 2U);
  EXPECT_EQ(fires("{}"), 2U);
  EXPECT_EQ(fires(R"({"operations":[],"stages":[],"workers":[]})"), 2U);
  EXPECT_EQ(fires(R"({"operations":["add"],"stages":["done"]})"), 1U);
  EXPECT_EQ(fires(R"({"operations":["add","remove"],"workers":["a"]})"), 2U);
  EXPECT_EQ(fires(R"({"workers":["b"]})"), 0U);
  EXPECT_EQ(fires(R"({"stages":["started"]})"), 0U);
}

TEST(BusEventsEnd, CancelsItsPoll) {
  FakeTimers timers;
  CountingIds ids;
  FakeBackground background(timers);
  Engine engine(timers, ids, background, {});
  Catalog catalog(engine, "0");
  {
    BusEvents events(engine, catalog, Millis(10));
  }
  EXPECT_EQ(timers.pending(), 0U);
}

}  // namespace
}  // namespace iii::engine
