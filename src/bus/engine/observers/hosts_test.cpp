#include "bus/engine/observers/fixture_for_test.h"

namespace iii::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A v2 (or v1) host of `a::f`, observed by `o` with target `b::t`.
struct Scene {
  TestBus bus;
  Observing host;
  Observing worker{bus, "w"};
  Peer caller{bus, "caller"};

  explicit Scene(std::string_view features = kV2, std::string_view registration = "")
      : host(bus, "host", features) {
    host.serve("a::f", registration);
    worker.serve("b::t");
    worker.observe("o", "a::f", "b::t", R"(,"capture":["input","output"])",
                   R"(,"metadata":{"m":1})");
    host.ack("a::f", "o", 2);
    host->take();
    worker->take();
  }
  size_t activations() {
    bus.turn();
    return of_type(worker->take(), "invokefunction").size();
  }
  void report(std::string_view item) {
    host->say(
        R"({"type":"invocationsobserved","items":[{"function_id":"a::f","invocation_id":"i",)" +
        std::string(item) + R"(,"status":"success","started_at_ms":5,"duration_ms":1.5}]})");
  }
};

TEST(ObserverHost, O23_RoutedCallsCarryTheCallerAsTheEngineKnowsIt) {
  Scene s;
  s.caller.invoke(
      1, "a::f", "{}",
      R"(,"caller":{"worker_id":"forged","function_id":"x::y","n":1,"parent":{"worker_id":"p","parent":{}}})");
  const auto frame = s.host->take_one();
  EXPECT_EQ(text_at(frame, "caller"),
            R"({"function_id":"x::y","parent":{"worker_id":"p"},"worker_id":")" + s.caller.id() +
                R"(","worker_name":"caller"})");
}

TEST(ObserverHost, O21_MatchedAndDeliveredAreObeyedAndNotForwarded) {
  Scene s;
  s.caller.invoke(1, "a::f");
  answer_all(s.host.peer, R"("result":1,"matched":[])");
  EXPECT_EQ(s.activations(), 0U);
  const auto answer = s.caller.take_one();
  EXPECT_EQ(answer.find("matched"), nullptr);
  s.caller.invoke(2, "a::f");
  answer_all(s.host.peer, R"("result":1,"matched":["o","other"])");
  EXPECT_EQ(s.activations(), 1U);
  s.caller.take();
  s.caller.invoke(3, "a::f");
  answer_all(s.host.peer, R"("result":1,"matched":["o"],"delivered":true)");
  EXPECT_EQ(s.activations(), 0U);
  EXPECT_EQ(s.caller.take_one().find("delivered"), nullptr);
}

TEST(ObserverHost, O21_MatchedAndDeliveredOfOthersAreIgnored) {
  Scene s(kV1);
  s.caller.invoke(1, "a::f");
  answer_all(s.host.peer, R"("result":1,"matched":[],"delivered":true)");
  EXPECT_EQ(s.activations(), 1U);
}

TEST(ObserverHost, O20_RoutedCallsOfOwnerDeliveredFunctionsAreNoEvents) {
  Scene s(kV1, R"(,"observe":{"delivery":"owner"})");
  s.caller.invoke(1, "a::f");
  answer_all(s.host.peer);
  EXPECT_EQ(s.activations(), 0U);
  s.report(R"("matched":["o"],"input":{"e":1})");
  EXPECT_EQ(s.activations(), 1U);
}

TEST(ObserverReports, O19_OnlyFromTheHostOnlyActiveIds) {
  Scene s;
  s.worker->say(
      R"({"type":"invocationsobserved","items":[{"function_id":"a::f","invocation_id":"i","matched":["o"],"input":1}]})");
  EXPECT_EQ(s.activations(), 0U);
  s.worker.observe("pending", "a::f", "b::t");
  s.report(R"("matched":["o","pending","unknown"],"input":1)");
  EXPECT_EQ(s.activations(), 1U);
  EXPECT_EQ(s.bus.engine.observers().find("pending")->dropped.at("INACTIVE"), 1U);
}

TEST(ObserverReports, O19_EachGetsWhatItCaptures) {
  Scene s;
  s.report(R"("matched":["o"],"input":{"_caller_worker_id":"x","a":1},"output_is_input":true,)"
           R"("caller":{"function_id":"c"},"metadata":1)");
  const auto data = data_of(of_type(s.worker->take(), "invokefunction").at(0));
  EXPECT_EQ(text_at(data, "input"), R"({"a":1})");
  EXPECT_EQ(text_at(data, "output"), R"({"a":1})");
  EXPECT_EQ(text_at(data, "invocation_id"), "i");
  EXPECT_EQ(text_at(data, "started_at_ms"), "5");
  EXPECT_EQ(text_at(data, "duration_ms"), "1.5");
  EXPECT_EQ(data.find("caller"), nullptr);
  EXPECT_EQ(data.find("metadata"), nullptr);
}

TEST(ObserverReports, O19_TheCallerIsStampedForV2AndKeptForV1) {
  for (const bool v2 : {true, false}) {
    Scene s(v2 ? kV2 : kV1);
    s.worker.observe("c", "a::f", "b::t", R"(,"capture":["caller"])");
    s.host.ack("a::f", "c", 3);
    s.worker->take();
    s.report(R"("matched":["c"],"caller":{"worker_id":"said","function_id":"f"})");
    const auto data = data_of(of_type(s.worker->take(), "invokefunction").at(0));
    EXPECT_EQ(text_at(*data.find("caller"), "worker_id"), v2 ? s.host->id() : "said");
    EXPECT_EQ(text_at(*data.find("caller"), "function_id"), "f");
    // The crate leaves it out for a call that was made outside of a handler.
    s.report(R"("matched":["c"],"input":1)");
    const auto bare = data_of(of_type(s.worker->take(), "invokefunction").at(0));
    EXPECT_EQ(bare.find("caller") != nullptr, v2);
    if (v2) EXPECT_EQ(text_at(*bare.find("caller"), "worker_id"), s.host->id());
  }
}

TEST(ObserverReports, ALargeReportIsTakenApartElsewhere) {
  Scene s;
  std::string items;
  for (int i = 0; i < 100; ++i) {
    items += std::string(i == 0 ? "" : ",") +
             R"({"function_id":"a::f","invocation_id":"i","matched":["o"],"input":")" +
             std::string(1000, 'x') + "\"}";
  }
  s.host->say(R"({"type":"invocationsobserved","items":[)" + items + "]}");
  size_t seen = 0;
  for (int i = 0; i < 20; ++i) {
    s.bus.turn();
    seen += answer_all(s.worker.peer);
  }
  EXPECT_EQ(seen, 100U);
  EXPECT_FALSE(s.host->paused());
}

TEST(ObserverThrough, O22_CallsTheStoredTargetWithTheSidecar) {
  Scene s;
  s.host->invoke(7, "whatever", R"({"a":1})", R"(,"activation":{"observer_id":"o"},"metadata":2)");
  const auto frame = of_type(s.worker->take(), "invokefunction").at(0);
  EXPECT_EQ(text_at(frame, "function_id"), "b::t");
  EXPECT_EQ(text_at(frame, "invocation_id"), uuid(7));
  EXPECT_EQ(text_at(frame, "metadata"), R"({"m":1})");
  EXPECT_EQ(text_at(frame, "observe_depth"), "1");
  EXPECT_EQ(text_at(*frame.find("activation"), "observer_id"), "o");
  EXPECT_EQ(s.bus.engine.observers().find("o")->in_flight, 1U);
  s.worker->answer(uuid(7), R"("result":"yes")");
  EXPECT_EQ(text_at(s.host->take_one(), "result"), "yes");
  EXPECT_EQ(s.bus.engine.observers().find("o")->in_flight, 0U);
  EXPECT_EQ(s.bus.engine.observers().find("o")->fires, 1U);
}

TEST(ObserverThrough, O22_RefusalsHaveTheirCodes) {
  Scene s(kV1);
  const auto code = [](Peer& peer, std::string_view function, std::string_view extra) {
    peer.invoke(9, function, "{}", extra);
    const auto answer = of_type(peer.take(), "invocationresult");
    return answer.size() == 1 && answer[0].find("error") != nullptr
               ? text_at(*answer[0].find("error"), "code")
               : "(none)";
  };
  EXPECT_EQ(code(s.host.peer, "b::t", R"(,"activation":{"observer_id":"x"})"),
            "OBSERVER_NOT_FOUND");
  EXPECT_EQ(code(s.worker.peer, "b::t", R"(,"activation":{"observer_id":"o"})"),
            "NOT_FUNCTION_OWNER");
  EXPECT_EQ(code(s.host.peer, "b::x", R"(,"activation":{"observer_id":"o"})"), "TARGET_MISMATCH");
  EXPECT_EQ(code(s.host.peer, "b::t", R"(,"activation":{"observer_id":"o"},"observe_depth":8)"),
            "LOOP_GUARD");
  s.worker.observe("one", "a::f", "b::t", "", R"(,"max_in_flight":1)");
  EXPECT_EQ(code(s.host.peer, "b::t", R"(,"activation":{"observer_id":"one"})"),
            "OBSERVER_NOT_ACTIVE");
  s.host.ack("a::f", "one", 3);
  EXPECT_EQ(code(s.host.peer, "b::t", R"(,"activation":{"observer_id":"one"})"), "(none)");
  s.host->invoke(10, "b::t", "{}", R"(,"activation":{"observer_id":"one"})");
  EXPECT_EQ(text_at(*s.host->take_one().find("error"), "code"), "OVERFLOW");
}

// A function that stands in for the trigger type `lab::changed`.
void serve_stand_in(Observing& source) {
  source.serve("lab::on-changed",
               R"(,"observe":{"delivery":"owner","legacy_trigger_type":"lab::changed"})");
}

TEST(ObserverLegacy, O29_ABindingWithoutAProviderBecomesAnObserver) {
  TestBus bus;
  Peer binder(bus, "binder");
  binder.serve("app::on");
  binder.bind("t1", "lab::changed", "app::on", R"(,"metadata":{"m":1})");
  Observing source(bus, "source");
  serve_stand_in(source);
  const auto added = of_type(source->take(), "observeradded");
  ASSERT_EQ(added.size(), 1U);
  const json::Value& view = *added[0].find("observer");
  EXPECT_EQ(text_at(view, "id"), "t1");
  EXPECT_EQ(text_at(*view.find("legacy"), "trigger_type"), "lab::changed");
  source.ack("lab::on-changed", "t1", 2);
  source->say(
      R"({"type":"invocationsobserved","items":[{"function_id":"lab::on-changed","invocation_id":"i","matched":["t1"],"input":{"op":"add"}}]})");
  const auto frame = of_type(binder.take(), "invokefunction").at(0);
  EXPECT_EQ(text_at(frame, "data"), R"({"op":"add"})");
  EXPECT_EQ(text_at(frame, "metadata"), R"({"m":1})");
  binder.unbind("t1");
  EXPECT_EQ(of_type(source->take(), "observerremoved").size(), 1U);
}

TEST(ObserverLegacy, O29_AProviderOrTheBindersEndRemovesIt) {
  TestBus bus;
  Observing source(bus, "source");
  serve_stand_in(source);
  {
    Peer binder(bus, "binder");
    binder.serve("app::on");
    binder.bind("t1", "lab::changed", "app::on");
    EXPECT_EQ(of_type(source->take(), "observeradded").size(), 1U);
  }
  EXPECT_EQ(of_type(source->take(), "observerremoved").size(), 1U);
  Peer provider(bus, "provider");
  Peer binder(bus, "binder2");
  binder.bind("t2", "lab::changed", "app::on");
  provider.provide("lab::changed");
  bus.turn();
  EXPECT_EQ(bus.engine.observers().size(), 0U);
  binder.bind("t3", "lab::changed", "app::on");
  EXPECT_EQ(bus.engine.observers().size(), 0U);
}

TEST(ObserverLegacy, O29_AProviderThatLeavesIsStoodInForAgain) {
  TestBus bus;
  Observing source(bus, "source");
  serve_stand_in(source);
  Peer binder(bus, "binder");
  binder.serve("app::on");
  binder.bind("t1", "lab::changed", "app::on");
  {
    Peer provider(bus, "provider");
    provider.provide("lab::changed");
    bus.turn();
    EXPECT_EQ(bus.engine.observers().size(), 0U);
  }
  bus.turn();
  ASSERT_NE(bus.engine.observers().find("t1"), nullptr);
  EXPECT_EQ(of_type(source->take(), "observeradded").size(), 2U);
}

TEST(ObserverLegacy, AFunctionThatNoLongerStandsInIsForgotten) {
  TestBus bus;
  Observing source(bus, "source");
  serve_stand_in(source);
  Peer binder(bus, "binder");
  binder.serve("app::on");
  binder.bind("t1", "lab::changed", "app::on");
  EXPECT_EQ(bus.engine.observers().size(), 1U);
  source.serve("lab::on-changed", R"(,"observe":{"delivery":"owner"})");
  EXPECT_EQ(bus.engine.observers().size(), 0U);
  binder.bind("t2", "lab::changed", "app::on");
  EXPECT_EQ(bus.engine.observers().size(), 0U);
  // Another function takes over what waits.
  source.serve("lab::other",
               R"(,"observe":{"delivery":"owner","legacy_trigger_type":"lab::changed"})");
  bus.turn();
  EXPECT_EQ(bus.engine.observers().size(), 2U);
  source->say(R"({"type":"unregisterfunction","id":"lab::other"})");
  binder.bind("t3", "lab::changed", "app::on");
  EXPECT_EQ(bus.engine.observers().size(), 2U);
}

TEST(ObserverLegacy, AnotherStandInTakesOver) {
  TestBus bus;
  Observing source(bus, "source");
  serve_stand_in(source);
  source.serve("lab::other",
               R"(,"observe":{"delivery":"owner","legacy_trigger_type":"lab::changed"})");
  Peer binder(bus, "binder");
  binder.bind("t1", "lab::changed", "app::on");
  ASSERT_NE(bus.engine.observers().find("t1"), nullptr);
  EXPECT_EQ(bus.engine.observers().find("t1")->spec.source.id, "lab::on-changed");
  source.serve("lab::on-changed", R"(,"observe":{"delivery":"owner"})");
  bus.turn();
  ASSERT_NE(bus.engine.observers().find("t1"), nullptr);
  EXPECT_EQ(bus.engine.observers().find("t1")->spec.source.id, "lab::other");
}

// A binding and its observer: what happens to the one happens to the other.
struct Bound {
  Bound() {
    serve_stand_in(source);
    for (const char* id : {"app::on", "app::other"}) binder.serve(id);
  }
  const Observer* observer(std::string_view id) { return bus.engine.observers().find(id); }

  TestBus bus;
  Observing source{bus, "source"};
  Peer binder{bus, "binder"};
};

TEST(ObserverLegacy, ABindingThatAFunctionRemovesEndsItsObserver) {
  Bound s;
  s.binder.bind("t1", "lab::changed", "app::on");
  ASSERT_NE(s.observer("t1"), nullptr);
  s.source->take();
  Peer stranger(s.bus, "stranger");
  EXPECT_EQ(text_at(stranger.result_of("engine::unregister_trigger", R"({"id":"t1"})"), "removed"),
            "true");
  EXPECT_EQ(s.observer("t1"), nullptr);
  EXPECT_EQ(of_type(s.source->take(), "observerremoved").size(), 1U);
}

TEST(ObserverLegacy, ABindingThatIsSentAgainIsFollowed) {
  Bound s;
  s.binder.bind("t1", "lab::changed", "app::on");
  s.source->take();
  s.binder.bind("t1", "lab::changed", "app::on");
  EXPECT_THAT(s.source->take(), IsEmpty()) << "nothing has changed";
  s.binder.bind("t1", "lab::changed", "app::other", R"(,"metadata":{"m":2})");
  ASSERT_NE(s.observer("t1"), nullptr);
  EXPECT_EQ(s.observer("t1")->spec.target.id, "app::other");
  EXPECT_EQ(s.observer("t1")->spec.metadata->view(), R"({"m":2})");
  const Frames told = s.source->take();
  EXPECT_EQ(of_type(told, "observerremoved").size(), 1U);
  EXPECT_EQ(of_type(told, "observeradded").size(), 1U);
  s.binder.bind("t1", "elsewhere", "app::other");
  EXPECT_EQ(s.observer("t1"), nullptr) << "another type";
  EXPECT_EQ(s.bus.engine.observers().size(), 0U);
}

TEST(ObserverLegacy, ABindingThatAnotherConnectionReplacesIsItsOwn) {
  Bound s;
  s.binder.bind("t1", "lab::changed", "app::on");
  Peer other(s.bus, "other");
  other.bind("t1", "lab::changed", "app::on");
  ASSERT_NE(s.observer("t1"), nullptr);
  EXPECT_EQ(s.observer("t1")->holder, &other.worker());
  s.binder.leave();
  EXPECT_NE(s.observer("t1"), nullptr);
}

TEST(ObserverLegacy, ABindingThatIsRefusedIsNoObserver) {
  TestBus bus(EngineLimits{.max_stored_bytes_per_worker = 4 * Ledger::kEntryBytes});
  Observing source(bus, "source");
  serve_stand_in(source);
  Peer binder(bus, "binder");
  binder.serve("app::on");
  binder.bind("t1", "lab::changed", "app::on");
  binder.bind("t2", "lab::changed", "app::on");
  EXPECT_NE(bus.engine.observers().find("t1"), nullptr);
  EXPECT_EQ(bus.engine.observers().find("t2"), nullptr);
  EXPECT_EQ(bus.engine.observers().size(), bus.engine.triggers().bindings().size());
}

TEST(ObserverLegacy, AReattachKeepsAllOfThem) {
  constexpr int kMany = 100;
  TestBus bus;
  Observing source(bus, "source");
  serve_stand_in(source);
  Peer before(bus, "binder");
  before.serve("app::on");
  for (int i = 0; i < kMany; ++i) before.bind("t" + std::to_string(i), "lab::changed", "app::on");
  ASSERT_EQ(bus.engine.observers().size(), size_t{kMany});
  Peer after(bus);
  const auto say = [&](const std::string& frame) {
    const std::string padded = frame + std::string(ws::kPadding, ' ');
    bus.engine.received(after.worker(), std::string_view(padded).substr(0, frame.size()));
  };
  // All of this comes in one turn of the loop.
  say(R"({"type":"reattach","previous_worker_id":")" + before.id() + R"(","reattach_token":")" +
      before.token() + "\"}");
  say(R"({"type":"invokefunction","function_id":"engine::workers::register",)"
      R"("data":{"name":"binder","pid":7},"action":{"type":"void"}})");
  for (int i = 0; i < kMany; ++i) {
    say(R"({"type":"registertrigger","id":"t)" + std::to_string(i) +
        R"(","trigger_type":"lab::changed","function_id":"app::on","config":{}})");
  }
  bus.turn();
  EXPECT_EQ(bus.engine.observers().size(), size_t{kMany});
  for (int i = 0; i < kMany; ++i) {
    const Observer* observer = bus.engine.observers().find("t" + std::to_string(i));
    ASSERT_NE(observer, nullptr) << i;
    EXPECT_EQ(observer->holder, &after.worker());
  }
}

// As many functions as bindings: each binding is looked at once, not once for each function.
TEST(ObserverLegacy, ManyStandInsCostOneLookAtEachBinding) {
  constexpr int kMany = 200;
  TestBus bus;
  Observing source(bus, "source");
  Peer provider(bus, "provider");
  provider.provide("lab::changed");
  for (int i = 0; i < kMany; ++i) {
    source.serve("lab::f" + std::to_string(i),
                 R"(,"observe":{"delivery":"owner","legacy_trigger_type":"lab::changed"})");
  }
  Peer binder(bus, "binder");
  binder.serve("app::on");
  for (int i = 0; i < kMany; ++i) binder.bind("t" + std::to_string(i), "lab::changed", "app::on");
  bus.turn();
  EXPECT_EQ(bus.engine.observers().size(), 0U);
  bus.engine.disconnected(provider.release());
  const Slices& slices = bus.engine.slices();
  EXPECT_LE(slices.waiting(source->worker().owner()) + slices.waiting(kEngineOwner), 2U);
  bus.turn();
  EXPECT_EQ(bus.engine.observers().size(), size_t{kMany});
}

}  // namespace
}  // namespace iii::engine
