// Rows W06–W12, W16 and W17: calls in both directions, without a socket.
#include "bus/protocol/limits.h"
#include "bus/sdk/session_fixture.h"

namespace iii::sdk {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Calling : public SessionTest {
 protected:
  std::string last_call_id() { return text_at(parsed(transport.sent.back()), "invocation_id"); }
  void reply(const std::string& id, const std::string& rest) {
    transport.deliver(R"({"type":"invocationresult","invocation_id":")" + id +
                      R"(","function_id":"f::a")" + rest + "}");
  }
};

TEST_F(Calling, ACallAlwaysCarriesDataAndALowerCaseUuid) {
  connect();
  call("f::a");
  EXPECT_EQ(
      parsed(transport.sent.back()),
      parsed(
          R"({"type":"invokefunction","invocation_id":"00000000-0000-4000-8000-000000000002","function_id":"f::a","data":null})"));
}

TEST_F(Calling, ResultsOfEveryKindArriveAsTheyAre) {
  connect();
  for (const char* value : {R"({"a":1})", "0", "false", R"("")", "[]"}) {
    call("f::a");
    reply(last_call_id(), std::string(R"(,"result":)") + value);
    ASSERT_TRUE(replies.back());
    EXPECT_EQ(replies.back()->text, value);
  }
}

TEST_F(Calling, NeitherResultNorErrorIsNull) {
  connect();
  call("f::a");
  reply(last_call_id(), "");
  ASSERT_TRUE(replies.back());
  EXPECT_EQ(replies.back()->text, "null");
}

TEST_F(Calling, AnErrorWinsOverAResultAndKeepsItsStackTrace) {
  connect();
  call("f::a");
  reply(last_call_id(), R"(,"result":1,"error":{"code":"c","message":"m","stacktrace":"s"})");
  ASSERT_FALSE(replies.back());
  EXPECT_EQ(replies.back().error(), (RemoteError{{"c", "m"}, "s"}));
}

TEST_F(Calling, ANullStackTraceIsNone) {
  connect();
  call("f::a");
  reply(last_call_id(), R"(,"error":{"code":"c","message":"m","stacktrace":null})");
  EXPECT_EQ(replies.back().error(), remote_error("c", "m"));
}

TEST_F(Calling, ACallTimesOutAfterThirtySecondsAndALateAnswerIsIgnored) {
  connect();
  call("f::a");
  const std::string id = last_call_id();
  timers.advance(Millis(29'999));
  EXPECT_THAT(replies, IsEmpty());
  timers.advance(Millis(1));
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[0].error(), remote_error("TIMEOUT", "invocation timed out after 30000ms"));
  reply(id, R"(,"result":1)");
  EXPECT_EQ(replies.size(), 1u);
  EXPECT_EQ(session->pending_calls(), 0u);
}

TEST_F(Calling, ATimeoutOfZeroFailsOnTheNextTurnNotInsideTheCall) {
  connect();
  call("f::a", Millis(0));
  EXPECT_THAT(replies, IsEmpty());
  timers.advance(Millis(0));
  EXPECT_EQ(replies.at(0).error().code, "TIMEOUT");
}

TEST_F(Calling, WithoutAnEngineACallDoesNotWaitForOne) {
  SessionOptions options;
  options.offline = true;
  make(options);
  call("f::a");
  timers.advance(Millis(0));
  ASSERT_EQ(replies.size(), 1U);
  EXPECT_EQ(replies.back().error().code, kNoEngine);
  EXPECT_EQ(timers.pending(), 0U) << "nothing is left to wait for";
}

TEST_F(Calling, AnAbsurdTimeoutIsCutNotOverflown) {
  connect();
  call("f::a", Millis::max());
  timers.advance(Millis(59'000));
  EXPECT_THAT(replies, IsEmpty());
}

TEST_F(Calling, VoidHasNoIdAndTheActionSaysSo) {
  connect();
  OutgoingCall outgoing{.function_id = "f::a", .data = "{}"};
  outgoing.metadata = R"({"m":1})";
  ASSERT_TRUE(session->send_void(outgoing));
  EXPECT_EQ(
      parsed(transport.sent.back()),
      parsed(
          R"({"type":"invokefunction","function_id":"f::a","data":{},"action":{"type":"void"},"metadata":{"m":1}})"));
}

TEST_F(Calling, TheWorkersNamespaceGoesWithCallsExceptToTheEngine) {
  SessionOptions options;
  options.name_space = "orders";
  make(options);
  connect();
  call("f::a");
  call("engine::functions::list");
  OutgoingCall elsewhere{.function_id = "f::a"};
  elsewhere.name_space = "billing";
  ASSERT_TRUE(session->send_void(elsewhere));
  const auto frames = taken();
  EXPECT_EQ(text_at(frames[0], "namespace"), "orders");
  EXPECT_EQ(frames[1].find("namespace"), nullptr);
  EXPECT_EQ(text_at(frames[2], "namespace"), "billing");
}

TEST_F(Calling, CallsThatWereSentFailWhenTheConnectionIsLostAndAreNeverSentAgain) {
  connect();
  call("f::sent");
  session->on_closed("gone");
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[0].error().code, kConnectionLost);
  call("f::queued");
  timers.advance(Millis(1'000));
  transport.sent.clear();
  session->on_open();
  answer_announce();
  EXPECT_THAT(summaries(), ElementsAre("announce", "invokefunction:f::queued"));
}

TEST_F(Calling, ACallThatTimedOutWhileQueuedIsNotSent) {
  session->start();
  call("f::late", Millis(50));
  ASSERT_TRUE(session->send_void({.function_id = "f::void"}));
  timers.advance(Millis(50));
  EXPECT_EQ(replies.at(0).error().code, "TIMEOUT");
  session->on_open();
  answer_announce();
  EXPECT_THAT(summaries(), ElementsAre("announce", "invokefunction:f::void"));
}

TEST_F(Calling, TheOfflineQueueIsBounded) {
  SessionOptions options;
  options.max_queued_bytes = 300;
  make(options);
  session->start();
  call("f::a");
  call("f::b");
  call("f::c");
  EXPECT_THAT(replies, IsEmpty());  // never from inside call()
  timers.advance(Millis(0));
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[0].error().code, kQueueFull);
  EXPECT_EQ(session->send_void({.function_id = "f::d"}).error().code, kQueueFull);
}

TEST_F(Calling, TheNumberOfPendingCallsIsBounded) {
  SessionOptions options;
  options.max_pending_calls = 1;
  make(options);
  connect();
  call("f::a");
  call("f::b");
  timers.advance(Millis(0));
  EXPECT_EQ(replies.at(0).error().code, kTooManyCalls);
}

TEST_F(Calling, AMessageThatNoEngineWouldTakeFailsHere) {
  connect();
  const std::string big = '"' + std::string(protocol::kMaxMessageBytes, 'x') + '"';
  session->call({.function_id = "f::a", .data = big},
                [this](Reply<json::Raw> reply) { replies.push_back(std::move(reply)); });
  timers.advance(Millis(0));
  EXPECT_EQ(replies.at(0).error().code, kPayloadTooLarge);
  EXPECT_THAT(transport.sent, IsEmpty());
}

TEST_F(Calling, AnAnswerThatIsTooLargeBecomesAnError) {
  ASSERT_TRUE(session->add_function(
      {.id = "f::big",
       .description = "",
       .request_format = {},
       .response_format = {},
       .metadata = {},
       .invocation = {}},
      [this](const Invocation& in) {
        session->answer(in,
                        std::optional('"' + std::string(protocol::kMaxMessageBytes, 'x') + '"'));
      }));
  connect();
  transport.deliver(
      R"({"type":"invokefunction","invocation_id":"11111111-1111-4111-8111-000000000001","function_id":"f::big","data":null})");
  EXPECT_EQ(text_at(*taken().at(0).find("error"), "code"), kPayloadTooLarge);
}

TEST_F(Calling, AnswersEchoTheTraceContextAndTolerateNewKeys) {
  ASSERT_TRUE(add_echo("f::a"));
  connect();
  transport.deliver(
      R"({"type":"invokefunction","invocation_id":"11111111-1111-4111-8111-000000000001","function_id":"f::a","data":{"_caller_worker_id":"w"},"traceparent":"00-x-y-01","baggage":"k=v","caller":{"function_id":"z"},"observe_depth":1,"activation":{"observer_id":"o"}})");
  EXPECT_EQ(
      taken().at(0),
      parsed(
          R"({"type":"invocationresult","invocation_id":"11111111-1111-4111-8111-000000000001","function_id":"f::a","result":{"_caller_worker_id":"w"},"traceparent":"00-x-y-01","baggage":"k=v"})"));
}

TEST_F(Calling, AnUnknownFunctionIsAnsweredAndWithoutAnIdNothingIs) {
  ASSERT_TRUE(add_echo("f::a"));
  connect();
  transport.deliver(R"({"type":"invokefunction","function_id":"f::a","data":1})");
  transport.deliver(
      R"({"type":"invokefunction","invocation_id":null,"function_id":"f::unknown","data":1})");
  EXPECT_THAT(transport.sent, IsEmpty());
  transport.deliver(
      R"({"type":"invokefunction","invocation_id":"11111111-1111-4111-8111-000000000001","function_id":"f::unknown","data":1})");
  EXPECT_EQ(*taken().at(0).find("error"),
            parsed(R"({"code":"function_not_found","message":"Function not found"})"));
}

TEST_F(Calling, FramesThatMakeNoSenseAreIgnored) {
  connect();
  for (const char* text :
       {"", "  ", "null", "[]", "{", R"({"type":5})", R"({"type":"observe","x":1})",
        R"({"type":"pong"})", R"({"type":"invokefunction"})",
        R"({"type":"invocationresult","invocation_id":"nonsense","function_id":"x"})"}) {
    transport.deliver(text);
  }
  EXPECT_THAT(transport.sent, IsEmpty());
  EXPECT_EQ(session->state(), SessionState::kReady);
}

TEST_F(Calling, AJsonPingGetsAJsonPong) {
  connect();
  transport.deliver(R"({"type":"ping"})");
  EXPECT_THAT(summaries(), ElementsAre("pong"));
}

TEST_F(Calling, BlankAndRepeatedIdsAreRefusedHere) {
  EXPECT_EQ(add_echo(" ").error().code, "invalid_id");
  ASSERT_TRUE(add_echo("f::a"));
  EXPECT_EQ(add_echo("f::a").error().code, "already_registered");
  EXPECT_TRUE(session->remove_function("f::a"));
  EXPECT_FALSE(session->remove_function("f::a"));
  EXPECT_TRUE(add_echo("f::a"));
}

TEST_F(Calling, AHandlerMayUnregisterItsOwnFunction) {
  ASSERT_TRUE(session->add_function({.id = "f::once",
                                     .description = "",
                                     .request_format = {},
                                     .response_format = {},
                                     .metadata = {},
                                     .invocation = {}},
                                    [this](const Invocation& in) {
                                      session->remove_function("f::once");
                                      session->answer(in, std::optional<std::string>("1"));
                                    }));
  connect();
  transport.deliver(
      R"({"type":"invokefunction","invocation_id":"11111111-1111-4111-8111-000000000001","function_id":"f::once","data":1})");
  EXPECT_THAT(summaries(), ElementsAre("unregisterfunction:f::once", "invocationresult:f::once"));
}

class AnsweringTwice : public Calling {
 protected:
  AnsweringTwice() {
    SessionOptions options;
    options.answer_repeat = Millis(50);
    make(options);
    EXPECT_TRUE(add_echo("f::echo"));
    connect();
  }

  void invoke(char digit, const std::string& data = "1") {
    transport.deliver(
        R"({"type":"invokefunction","invocation_id":"00000000-0000-4000-8000-00000000000)" +
        std::string(1, digit) + R"(","function_id":"f::echo","data":)" + data + "}");
  }
};

TEST_F(AnsweringTwice, AQuickAnswerLeavesAtOnceAndOnceMoreWhenTheEngineHasRecordedTheCall) {
  invoke('a');
  ASSERT_EQ(transport.sent.size(), 1U);
  timers.advance(Millis(49));
  EXPECT_EQ(transport.sent.size(), 1U);
  timers.advance(Millis(11));
  ASSERT_EQ(transport.sent.size(), 2U);
  EXPECT_EQ(transport.sent[0], transport.sent[1]);
  timers.advance(Millis(1000));
  EXPECT_EQ(transport.sent.size(), 2U);
}

TEST_F(AnsweringTwice, AnAnswerThatTookLongerIsSentOnce) {
  std::optional<Invocation> waiting;
  ASSERT_TRUE(session->add_function({.id = "f::slow",
                                     .description = "",
                                     .request_format = {},
                                     .response_format = {},
                                     .metadata = {},
                                     .invocation = {}},
                                    [&](const Invocation& in) { waiting = in; }));
  transport.sent.clear();
  transport.deliver(
      R"({"type":"invokefunction","invocation_id":"11111111-1111-4111-8111-000000000001","function_id":"f::slow","data":1})");
  timers.advance(Millis(50));
  session->answer(waiting.value(), std::optional<std::string>("1"));
  timers.advance(Millis(1000));
  EXPECT_EQ(transport.sent.size(), 1U);
}

TEST_F(AnsweringTwice, ALargeAnswerIsHeldForAMomentAndSentOnce) {
  const std::string large = '"' + std::string(kRepeatedAnswerBytes, 'x') + '"';
  invoke('a', large);
  EXPECT_THAT(transport.sent, IsEmpty());
  timers.advance(Millis(1));
  EXPECT_EQ(transport.sent.size(), 1U);
  timers.advance(Millis(1000));
  EXPECT_EQ(transport.sent.size(), 1U);
}

TEST_F(AnsweringTwice, ALargeAnswerDoesNotWaitForTheSecondCopiesBeforeIt) {
  invoke('a');
  invoke('b', '"' + std::string(kRepeatedAnswerBytes, 'x') + '"');
  timers.advance(Millis(1));
  EXPECT_EQ(transport.sent.size(), 2U);
}

TEST_F(AnsweringTwice, TheCopiesAreBounded) {
  const std::string data = '"' + std::string(kRepeatedAnswerBytes / 2, 'x') + '"';
  const size_t fit = kHeldAnswersBytes / data.size();
  for (size_t i = 0; i < fit; ++i) invoke('a', data);
  const size_t at_once = transport.sent.size();
  EXPECT_LE(at_once, fit);
  invoke('b', data);
  EXPECT_EQ(transport.sent.size(), at_once);  // held: there is no room for another copy
  timers.advance(Millis(1));
  EXPECT_GT(transport.sent.size(), at_once);
}

TEST_F(AnsweringTwice, NothingIsRepeatedOnAnotherConnection) {
  invoke('a');
  transport.events().on_closed("gone");
  timers.advance(Millis(60'000));
  EXPECT_EQ(std::ranges::count_if(transport.sent,
                                  [](const std::string& text) {
                                    return text.find("invocationresult") != std::string::npos;
                                  }),
            1);
}

TEST_F(AnsweringTwice, WhatIsHeldWhenTheWorkerStopsIsSent) {
  invoke('a', '"' + std::string(kRepeatedAnswerBytes, 'x') + '"');
  EXPECT_THAT(transport.sent, IsEmpty());
  session->stop();
  EXPECT_EQ(transport.sent.size(), 1U);
}

}  // namespace
}  // namespace iii::sdk
