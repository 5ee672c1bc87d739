// Rows O40 to O45: the worker's side of observers, without a socket.
#include "sdk/session_fixture.h"

namespace iii::sdk {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Observing : public SessionTest {
 protected:
  void greet_with(const std::string& features) {
    transport.deliver(R"({"type":"workerregistered","worker_id":"w","reattach_token":"t")" +
                      features + "}");
  }
  void connect_with(const std::string& features) {
    open();
    greet_with(features);
    answer_announce();
  }
  ObserveSpec spec(const std::string& id) {
    return {.id = id, .function_id = "a::f", .target = "b::t", .on_state = [this](const auto& now) {
              states.push_back(now.state + (now.reason ? "/" + now.reason->code : ""));
            }};
  }
  void result(const std::string& id) {
    transport.deliver(R"({"type":"observeresult","id":")" + id + R"(","state":"pending"})");
  }
  void state(const std::string& id, const std::string& name) {
    transport.deliver(R"({"type":"observerstatechanged","id":")" + id + R"(","state":")" + name +
                      R"(","fires":3})");
  }
  std::string announcement() {
    for (const std::string& text : transport.sent) {
      if (const auto frame = parsed(text); is_announce(frame)) {
        return json::to_text(*frame.find("data"));
      }
    }
    return "";
  }

  const std::string v1 = R"(,"features":["observe.v1","new.thing"])";
  std::vector<std::string> states;
};

TEST_F(Observing, O40_FeaturesAreNamedOnlyWhenTheyAreUsed) {
  open();
  EXPECT_EQ(announcement(), R"({"runtime":"cpp"})");
  transport.sent.clear();
  session->on_closed("gone");
  timers.advance(Millis(60'000));
  ASSERT_TRUE(session->add_observer(spec("o")));
  session->on_open();
  EXPECT_EQ(announcement(), R"({"features":["observe.v1"],"runtime":"cpp"})");
}

TEST_F(Observing, O40_WithoutTheFeatureTheErrorSaysSo) {
  ASSERT_TRUE(session->add_observer(spec("o")));
  connect_with("");
  EXPECT_THAT(states, ElementsAre("error/UNSUPPORTED"));
  EXPECT_THAT(summaries(), ElementsAre("announce"));
  EXPECT_FALSE(session->engine_observes());
}

TEST_F(Observing, O44_IsSentAfterTheAnnounceAndAgainAfterAReconnect) {
  ASSERT_TRUE(session->add_observer(spec("o")));
  connect_with(v1);
  EXPECT_THAT(summaries(), ElementsAre("announce", "observe:o"));
  result("o");
  state("o", "active");
  state("o", "hibernating");
  EXPECT_THAT(states, ElementsAre("pending", "active", "pending"));
  EXPECT_EQ(session->observer_status("o")->fires, 3U);
  session->on_closed("gone");
  timers.advance(Millis(60'000));
  connect_with(v1);
  EXPECT_THAT(summaries(), ElementsAre("reattach:w", "announce", "observe:o"));
}

TEST_F(Observing, O44_WhatIsDisposedOfOrRefusedIsNotSentAgain) {
  ASSERT_TRUE(session->add_observer(spec("over")));
  ASSERT_TRUE(session->add_observer(spec("no")));
  ASSERT_TRUE(session->add_observer(spec("ended")));
  connect_with(v1);
  taken();
  result("over");
  state("over", "disposed");
  transport.deliver(
      R"({"type":"observeresult","id":"no","state":"error","error":{"code":"X","message":"m"}})");
  EXPECT_EQ(session->observer_status("over"), nullptr);
  session->on_closed("gone");
  EXPECT_TRUE(session->remove_observer("ended"));
  timers.advance(Millis(60'000));
  connect_with(v1);
  EXPECT_THAT(summaries(), ElementsAre("reattach:w", "announce", "unobserve:ended"));
}

TEST_F(Observing, O44_AnIdIsFreeAtOnceAndTheNextObserverHearsOnlyOfItself) {
  connect_with(v1);
  ASSERT_TRUE(session->add_observer(spec("o")));
  EXPECT_TRUE(session->remove_observer("o"));
  ASSERT_TRUE(session->add_observer(spec("o")));
  result("o");  // of the first, and then its end
  state("o", "disposed");
  EXPECT_THAT(states, IsEmpty());
  result("o");
  state("o", "active");
  EXPECT_THAT(states, ElementsAre("pending", "active"));
}

TEST_F(Observing, AnObserverThatComesLaterNamesTheFeatureFirst) {
  connect_with(v1);
  taken();
  ASSERT_TRUE(session->add_observer(spec("o")));
  EXPECT_THAT(summaries(), ElementsAre("announce", "observe:o"));
  ASSERT_TRUE(session->add_observer(spec("p")));
  EXPECT_THAT(summaries(), ElementsAre("observe:p"));
  EXPECT_FALSE(session->add_observer(spec("p")));
  EXPECT_TRUE(session->remove_observer("p"));
  EXPECT_THAT(summaries(), ElementsAre("unobserve:p"));
}

TEST_F(Observing, O43_EveryObserverOfOurFunctionsIsAcknowledgedInItsRevision) {
  std::vector<std::string> heard;
  session->set_observe_hooks(
      "a::f", {.on_added = [&](const HostedObserver& o) -> Result<void> {
                 heard.push_back("+" + o.id);
                 if (o.args.text == R"({"bad":1})") return fail("NO", "no");
                 return {};
               },
               .on_removed = [&](const HostedObserver& o) { heard.push_back("-" + o.id); }});
  connect_with(v1);
  taken();
  transport.deliver(
      R"({"type":"functionregistered","id":"a::f","namespace":"default","revision":3,"observers":[{"id":"x","args":{},"target":"t"}]})");
  transport.deliver(
      R"({"type":"observeradded","function_id":"a::f","namespace":"default","revision":4,"observer":{"id":"y","args":{"bad":1}}})");
  transport.deliver(
      R"({"type":"observeradded","function_id":"a::f","revision":4,"observer":{"id":"old"}})");
  transport.deliver(
      R"({"type":"observerremoved","function_id":"a::f","namespace":"default","revision":5,"id":"x"})");
  std::vector<std::string> acks;
  for (const auto& frame : taken()) acks.push_back(json::to_text(frame));
  EXPECT_THAT(
      acks,
      ElementsAre(
          R"({"function_id":"a::f","id":"x","namespace":"default","revision":3,"type":"observerack"})",
          R"({"error":{"code":"NO","message":"no"},"function_id":"a::f","id":"y","namespace":"default","revision":4,"type":"observerack"})"));
  EXPECT_THAT(heard, ElementsAre("+x", "+y", "-x"));
  EXPECT_THAT(session->hosted_observers("a::f"), IsEmpty());
}

TEST_F(Observing, O43_AfterAReconnectKnownObserversAreAcknowledgedWithoutAHook) {
  std::vector<std::string> heard;
  session->set_observe_hooks(
      "a::f", {.on_added = [&](const HostedObserver& o) -> Result<void> {
                 heard.push_back("+" + o.id);
                 return {};
               },
               .on_removed = [&](const HostedObserver& o) { heard.push_back("-" + o.id); }});
  connect_with(v1);
  transport.deliver(
      R"({"type":"functionregistered","id":"a::f","revision":1,"observers":[{"id":"x"},{"id":"y"}]})");
  session->on_closed("gone");
  timers.advance(Millis(60'000));
  connect_with(v1);
  taken();
  transport.deliver(
      R"({"type":"functionregistered","id":"a::f","revision":1,"observers":[{"id":"y"}]})");
  EXPECT_EQ(taken().size(), 1U);
  EXPECT_THAT(heard, ElementsAre("+x", "+y", "-x"));
}

TEST_F(Observing, O45_TheDepthIsPassedOnOnlyWhereItIsKnown) {
  for (const std::string& features : {v1, std::string()}) {
    connect_with(features);
    taken();
    OutgoingCall call{.function_id = "x::y"};
    call.observe_depth = 2;
    ASSERT_TRUE(session->send_void(call));
    const auto frame = taken().at(0);
    EXPECT_EQ(frame.find("observe_depth") != nullptr, !features.empty());
    session->on_closed("gone");
    timers.advance(Millis(60'000));
  }
}

}  // namespace
}  // namespace iii::sdk
