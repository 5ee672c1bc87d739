// Rows O40 to O45: the worker's side of observers, without a socket.
#include "bus/sdk/session_fixture.h"
#include "foundation/base/log_sink.h"

namespace iii::sdk {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
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

  Result<void> add_function(FunctionSpec spec) {
    return session->add_function(std::move(spec), [](const Invocation&) {});
  }
  static FunctionSpec plain(const std::string& id) {
    return {.id = id,
            .description = "",
            .request_format = {},
            .response_format = {},
            .metadata = {},
            .invocation = {}};
  }
  static FunctionSpec secret(const std::string& id) {
    FunctionSpec spec = plain(id);
    spec.is_private = true;
    return spec;
  }
  // What is logged until the end of the test.
  std::vector<std::string>& logged() {
    set_log_sink([this](LogLevel, std::string_view text) { lines.emplace_back(text); });
    return lines;
  }
  void TearDown() override { set_log_sink({}); }

  std::vector<std::string> lines;
  const std::string v2 = R"(,"features":["observe.v1","observe.v2"])";
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

TEST_F(Observing, AnObserverThatIsMadeDuringTheAnnounceNamesTheFeatureFirst) {
  open();
  ASSERT_TRUE(session->add_observer(spec("o")));
  greet_with(v1);
  answer_announce();
  EXPECT_THAT(summaries(), ElementsAre("announce", "announce", "observe:o"));
}

TEST_F(Observing, TextThatIsNotJsonIsRefusedAtOnce) {
  connect_with(v1);
  taken();
  const std::string deep = std::string(126, '[') + std::string(126, ']');
  for (const std::string& wrong : {std::string("{bad"), std::string(), std::string("1,2"), deep}) {
    for (auto member : {&ObserveSpec::args, &ObserveSpec::filters, &ObserveSpec::metadata}) {
      ObserveSpec made = spec("o");
      made.*member = json::Raw{wrong};
      const Result<std::string> id = session->add_observer(std::move(made));
      ASSERT_FALSE(id) << wrong;
      EXPECT_EQ(id.error().code, "invalid_observer");
      EXPECT_THAT(id.error().message, HasSubstr("is not valid JSON"));
    }
  }
  EXPECT_THAT(summaries(), IsEmpty());
  ObserveSpec right = spec("o");
  right.filters = json::Raw{R"( {"input.a":{"$eq":1}} )"};
  EXPECT_TRUE(session->add_observer(std::move(right))) << "the id is free";
}

TEST_F(Observing, WarningsAreKeptAndLoggedOnce) {
  logged();
  ASSERT_TRUE(session->add_observer(spec("o")));
  const std::string answer =
      R"({"type":"observeresult","id":"o","state":"pending","warnings":["input.a","input.b"]})";
  connect_with(v1);
  transport.deliver(answer);
  EXPECT_THAT(lines, ElementsAre("the engine warns about observer o: input.a; input.b"));
  state("o", "active");
  EXPECT_THAT(session->observer_status("o")->warnings, ElementsAre("input.a", "input.b"));
  session->on_closed("gone");
  timers.advance(Millis(60'000));
  lines.clear();
  connect_with(v1);
  transport.deliver(answer);
  EXPECT_THAT(lines, IsEmpty());
  EXPECT_THAT(session->observer_status("o")->warnings, ElementsAre("input.a", "input.b"));
}

TEST_F(Observing, WhyAnActivationFailedIsLoggedBecauseNobodyReadsIt) {
  ASSERT_TRUE(session->add_function(plain("b::t"), [this](const Invocation& in) {
    session->answer(in, std::unexpected(remote_error("NO", "cannot")));
  }));
  connect_with(v1);
  logged();
  const std::string call =
      R"({"type":"invokefunction","invocation_id":"11111111-1111-4111-8111-000000000001","function_id":"b::t","data":{})";
  transport.deliver(call + "}");
  EXPECT_THAT(lines, IsEmpty());
  for (int i = 0; i < 3; ++i) transport.deliver(call + R"(,"activation":{"observer_id":"o"}})");
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines[0], "b::t failed when an observer called it: NO: cannot");
}

TEST_F(Observing, WhatNeedsV2IsOfferedOnlyToAnEngineWithV2) {
  ASSERT_TRUE(add_function(plain("a::open")));
  ASSERT_TRUE(add_function(secret("a::secret")));
  open();
  EXPECT_EQ(announcement(), R"({"features":["observe.v1","observe.v2"],"runtime":"cpp"})");
  greet_with(v2);
  answer_announce();
  EXPECT_THAT(summaries(),
              ElementsAre("registerfunction:a::open", "announce", "registerfunction:a::secret"));
  session->on_closed("gone");
  timers.advance(Millis(60'000));
  logged();
  connect_with(v1);
  EXPECT_THAT(summaries(), ElementsAre("reattach:w", "registerfunction:a::open", "announce"));
  EXPECT_THAT(lines, ElementsAre(HasSubstr("function a::secret is not offered")));
}

TEST_F(Observing, AFunctionThatNeedsV2AndComesLaterNamesTheFeatureFirst) {
  connect_with(v2);
  taken();
  ASSERT_TRUE(session->add_observer(spec("o")));
  EXPECT_THAT(summaries(), ElementsAre("announce", "observe:o"));
  ASSERT_TRUE(add_function(secret("a::secret")));
  EXPECT_THAT(summaries(), ElementsAre("announce", "registerfunction:a::secret"));
  ASSERT_TRUE(add_function(secret("a::other")));
  EXPECT_THAT(summaries(), ElementsAre("registerfunction:a::other"));
}

TEST_F(Observing, AFunctionThatIsRefusedForItsArgsFormatDoesNotEndTheSession) {
  FunctionSpec wrong = plain("a::f");
  wrong.args_format = "{bad";
  const Result<void> added = add_function(wrong);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, "invalid_function");
  wrong.args_format = "5";
  ASSERT_TRUE(add_function(wrong));
  connect_with(v2);
  logged();
  for (const std::string code : {"INVALID_ARGS_FORMAT", "UNSUPPORTED"}) {
    transport.deliver(R"({"type":"registrationrejected","code":")" + code +
                      R"(","namespace":"default","function_id":"a::f","owner_worker_id":""})");
  }
  EXPECT_THAT(lines, ElementsAre(HasSubstr("function a::f was refused: its args_format"),
                                 HasSubstr("function a::f was refused: the engine")));
  EXPECT_EQ(session->state(), SessionState::kReady);
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

TEST_F(Observing, AHookMayReplaceItself) {
  auto witness = std::make_shared<int>(0);
  const std::weak_ptr<int> alive = witness;
  bool lived = false;
  session->set_observe_hooks(
      "a::f", {.on_added = [session = &*session, &alive, &lived,
                            kept = std::move(witness)](const HostedObserver&) -> Result<void> {
        // What the hook has captured may be gone after the next line.
        const std::weak_ptr<int>& still = alive;
        bool& told = lived;
        session->set_observe_hooks("a::f", {});
        told = !still.expired();
        return {};
      }});
  connect_with(v1);
  transport.deliver(
      R"({"type":"functionregistered","id":"a::f","revision":1,"observers":[{"id":"x"}]})");
  EXPECT_TRUE(lived);
  EXPECT_EQ(session->hosted_observers("a::f").size(), 1U);
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
