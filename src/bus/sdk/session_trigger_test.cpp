// Row W13: the provider's and the binder's side of triggers, without a socket.
#include "bus/sdk/session_fixture.h"

namespace iii::sdk {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Triggers : public SessionTest {
 protected:
  void provide() {
    TriggerTypeSpec spec;
    spec.id = "tick";
    spec.description = "d";
    spec.bind = [this](const BindingRequest& request, Verdict verdict) {
      bound.push_back(request.id);
      requests.push_back(request);
      if (request.config == R"("later")") {
        open_verdicts.push_back(std::move(verdict));
      } else if (request.config == R"("bad")") {
        verdict(fail("", "bad config"));
      } else if (request.config == R"("coded")") {
        verdict(fail("MY_CODE", "no"));
      } else {
        verdict({});
      }
    };
    spec.unbind = [this](const std::string& id) { unbound.push_back(id); };
    ASSERT_TRUE(session->add_trigger_type(std::move(spec)));
  }
  void bind(const std::string& id, const std::string& config, const std::string& type = "tick") {
    transport.deliver(R"({"type":"registertrigger","id":")" + id + R"(","trigger_type":")" + type +
                      R"(","function_id":"f::t","config":)" + config + "}");
  }
  void unbind(const std::string& id) {
    transport.deliver(R"({"type":"unregistertrigger","id":")" + id + R"(","trigger_type":"tick"})");
  }
  void come_back() {
    session->on_closed("gone");
    timers.advance(Millis(1'000));
    transport.sent.clear();
    session->on_open();
  }

  std::vector<std::string> configs() const {
    std::vector<std::string> out;
    for (const BindingRequest& request : requests) out.push_back(request.config);
    return out;
  }

  std::vector<std::string> bound;
  std::vector<BindingRequest> requests;
  std::vector<std::string> unbound;
  std::vector<Verdict> open_verdicts;
};

TEST_F(Triggers, VerdictsAreSpelledAsTheOtherSdksSpellThem) {
  provide();
  connect();
  bind("b1", "{}");
  bind("b2", R"("bad")");
  bind("b3", R"("coded")");
  bind("b4", "null", "nobody");
  EXPECT_THAT(
      taken(),
      ElementsAre(
          parsed(
              R"({"type":"triggerregistrationresult","id":"b1","trigger_type":"tick","function_id":"f::t"})"),
          parsed(
              R"({"type":"triggerregistrationresult","id":"b2","trigger_type":"tick","function_id":"f::t","error":{"code":"trigger_registration_failed","message":"bad config"}})"),
          parsed(
              R"({"type":"triggerregistrationresult","id":"b3","trigger_type":"tick","function_id":"f::t","error":{"code":"MY_CODE","message":"no"}})"),
          parsed(
              R"({"type":"triggerregistrationresult","id":"b4","trigger_type":"nobody","function_id":"f::t","error":{"code":"trigger_type_not_found","message":"Trigger type not found"}})")));
}

TEST_F(Triggers, UnregisterIsKeyedByIdAndIgnoredForWhatIsNotBound) {
  provide();
  connect();
  bind("b1", "{}");
  bind("b2", R"("bad")");
  unbind("b2");
  unbind("never");
  transport.deliver(R"({"type":"unregistertrigger","id":"b1"})");
  transport.deliver(R"({"type":"unregistertrigger","id":"b1","trigger_type":"nobody"})");
  EXPECT_THAT(unbound, IsEmpty());
  unbind("b1");
  unbind("b1");
  EXPECT_THAT(unbound, ElementsAre("b1"));
}

TEST_F(Triggers, BindingsThatDoNotComeBackWithTheEngineAreUnbound) {
  provide();
  connect();
  bind("stays", "{}");
  bind("goes", "{}");
  come_back();
  bind("stays", "{}");
  answer_announce();
  EXPECT_THAT(bound, ElementsAre("stays", "goes", "stays"));
  EXPECT_THAT(unbound, ElementsAre("goes"));
}

TEST_F(Triggers, ABindingThatCameBackIsNotUnboundWhileItsVerdictIsOpen) {
  provide();
  connect();
  bind("b1", "{}");
  come_back();
  bind("b1", R"("later")");
  answer_announce();
  EXPECT_THAT(unbound, IsEmpty());
  open_verdicts.at(0)({});
  unbind("b1");
  EXPECT_THAT(unbound, ElementsAre("b1"));
}

TEST_F(Triggers, AVerdictForAnEngineThatIsGoneIsNotSentAndTheBindingIsTakenBack) {
  provide();
  connect();
  bind("b1", R"("later")");
  come_back();
  answer_announce();
  transport.sent.clear();
  open_verdicts.at(0)({});
  EXPECT_THAT(transport.sent, IsEmpty());
  EXPECT_THAT(unbound, ElementsAre("b1"));
}

TEST_F(Triggers, AVerdictMayComeAfterTheSession) {
  provide();
  connect();
  bind("b1", R"("later")");
  session.reset();
  open_verdicts.at(0)({});
  EXPECT_THAT(unbound, IsEmpty());
}

TEST_F(Triggers, AnUnbindWaitsForTheOpenVerdictAndIsToldOnce) {
  provide();
  connect();
  bind("b1", R"("later")");
  unbind("b1");
  unbind("b1");
  EXPECT_THAT(unbound, IsEmpty());
  EXPECT_FALSE(*requests.at(0).bound);
  open_verdicts.at(0)({});
  EXPECT_THAT(unbound, ElementsAre("b1"));
  EXPECT_THAT(transport.sent, IsEmpty());  // nobody waits for the verdict
  unbind("b1");
  EXPECT_THAT(unbound, ElementsAre("b1"));
}

TEST_F(Triggers, AnUnbindBeforeARefusalIsNotTold) {
  provide();
  connect();
  bind("b1", R"("later")");
  unbind("b1");
  open_verdicts.at(0)(fail("", "no"));
  EXPECT_THAT(unbound, IsEmpty());
  EXPECT_THAT(transport.sent, IsEmpty());
  bind("b1", "{}");
  EXPECT_EQ(taken().size(), 1U);
}

TEST_F(Triggers, TheSameIdAgainWaitsForTheUnbindBeforeIt) {
  provide();
  connect();
  bind("b1", R"("later")");
  unbind("b1");
  bind("b1", "{}");
  EXPECT_THAT(bound, ElementsAre("b1"));
  open_verdicts.at(0)({});
  EXPECT_THAT(unbound, ElementsAre("b1"));
  EXPECT_THAT(bound, ElementsAre("b1", "b1"));
  EXPECT_FALSE(*requests.at(0).bound);
  EXPECT_TRUE(*requests.at(1).bound);
  EXPECT_EQ(taken().size(), 1U);  // the second one's verdict
  unbind("b1");
  EXPECT_THAT(unbound, ElementsAre("b1", "b1"));
}

TEST_F(Triggers, OfSeveralRequestsForOneIdTheLastOneCounts) {
  provide();
  connect();
  bind("b1", R"("later")");
  bind("b1", R"("coded")");
  bind("b1", R"("last")");
  open_verdicts.at(0)({});
  EXPECT_THAT(configs(), ElementsAre(R"("later")", R"("last")"));
  EXPECT_THAT(unbound, IsEmpty());  // replaced, not ended
  EXPECT_FALSE(*requests.at(0).bound);
  EXPECT_TRUE(*requests.at(1).bound);
  EXPECT_EQ(taken().size(), 1U);
}

TEST_F(Triggers, ARefusedReplacementEndsWhatWasThere) {
  provide();
  connect();
  bind("b1", "{}");
  bind("b1", R"("bad")");
  EXPECT_THAT(unbound, ElementsAre("b1"));
  unbind("b1");
  EXPECT_THAT(unbound, ElementsAre("b1"));
}

TEST_F(Triggers, ABindingThatDidNotComeBackEndsAfterItsOpenVerdict) {
  provide();
  connect();
  bind("b1", R"("later")");
  come_back();
  open_verdicts.at(0)({});
  EXPECT_THAT(unbound, IsEmpty());  // the engine may still name it
  answer_announce();
  EXPECT_THAT(unbound, ElementsAre("b1"));
}

TEST_F(Triggers, ATypeThatIsRemovedEndsItsBindings) {
  provide();
  connect();
  bind("b1", "{}");
  bind("b2", R"("later")");
  session->remove_trigger_type("tick");
  EXPECT_THAT(unbound, ElementsAre("b1"));
  open_verdicts.at(0)({});
  EXPECT_THAT(unbound, ElementsAre("b1", "b2"));
}

TEST_F(Triggers, NothingIsSentToABindingThatHasEnded) {
  provide();
  connect();
  bind("b1", "{}");
  bind("b2", "{}");
  transport.sent.clear();
  const auto fire = [this](size_t request) {
    OutgoingCall call{.function_id = "f::t"};
    call.bound = requests.at(request).bound;
    session->call(call, [this](Reply<json::Raw> reply) { replies.push_back(std::move(reply)); });
    return session->send_void(call);
  };
  unbind("b1");
  EXPECT_EQ(fire(0).error().code, kBindingEnded);
  EXPECT_TRUE(fire(1));
  timers.advance(Millis(0));
  EXPECT_EQ(transport.sent.size(), 2U);
  EXPECT_EQ(replies.at(0).error().code, kBindingEnded);

  // Fired while the engine was away, and not named by it when it came back.
  session->on_closed("gone");
  transport.sent.clear();
  EXPECT_TRUE(fire(1));
  timers.advance(Millis(1'000));
  session->on_open();
  answer_announce();
  EXPECT_THAT(summaries(), ElementsAre("registertriggertype:tick", "announce"));
  EXPECT_THAT(unbound, ElementsAre("b1", "b2"));
  EXPECT_EQ(replies.size(), 3U);
  EXPECT_EQ(replies.at(1).error().code, kConnectionLost);
  EXPECT_EQ(replies.at(2).error().code, kBindingEnded);
  EXPECT_EQ(session->pending_calls(), 0U);
}

TEST_F(Triggers, AForgottenTypeAnswersNotFound) {
  provide();
  connect();
  EXPECT_TRUE(session->remove_trigger_type("tick"));
  EXPECT_FALSE(session->remove_trigger_type("tick"));
  bind("b1", "{}");
  EXPECT_EQ(text_at(*taken().at(0).find("error"), "code"), kTriggerTypeNotFound);
}

TEST_F(Triggers, ABinderAlwaysSendsConfigAndHearsOfARefusal) {
  connect();
  std::vector<std::string> refused;
  TriggerSpec spec;
  spec.trigger_type = "cron";
  spec.function_id = "f::t";
  spec.on_rejected = [&](const RemoteError& error) { refused.push_back(error.code); };
  const std::string id = session->add_trigger(spec).value();
  EXPECT_EQ(taken().at(0),
            parsed(R"({"type":"registertrigger","id":")" + id +
                   R"(","trigger_type":"cron","function_id":"f::t","config":null})"));
  transport.deliver(R"({"type":"triggerregistrationresult","id":")" + id +
                    R"(","trigger_type":"cron","function_id":"f::t"})");
  EXPECT_THAT(refused, IsEmpty());
  transport.deliver(
      R"({"type":"triggerregistrationresult","id":")" + id +
      R"(","trigger_type":"cron","function_id":"f::t","error":{"code":"FORBIDDEN","message":"m"}})");
  EXPECT_THAT(refused, ElementsAre("FORBIDDEN"));
  EXPECT_TRUE(session->remove_trigger(id));
  EXPECT_FALSE(session->remove_trigger(id));
  EXPECT_EQ(taken().at(0),
            parsed(R"({"type":"unregistertrigger","id":")" + id + R"(","trigger_type":"cron"})"));
}

}  // namespace
}  // namespace iii::sdk
