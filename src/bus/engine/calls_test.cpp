// Calls and their answers (wire §6; rows E06–E09, E16, E17, E21, E23, E24).
#include "bus/engine/testing.h"

namespace iii::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class EngineCalls : public ::testing::Test {
 protected:
  EngineCalls() { callee_.serve("f"); }

  std::string invoked(uint64_t id, const std::string& rest) const {
    return R"({"type":"invokefunction","invocation_id":")" + uuid(id) + R"(","function_id":"f",)" +
           rest + "}";
  }
  static std::string answered(uint64_t id, const std::string& rest = "") {
    return R"({"type":"invocationresult","invocation_id":")" + uuid(id) + R"(","function_id":"f")" +
           rest + "}";
  }
  std::string caller_key() const { return R"("_caller_worker_id":")" + caller_.id() + '"'; }

  TestBus bus_;
  Peer callee_{bus_, "callee"};
  Peer caller_{bus_, "caller"};
};

// ---- the way there ----

TEST_F(EngineCalls, E06_ReachTheOwnerWithTheCallersIdInTheObject) {
  caller_.invoke(1, "f", R"({"a":1})");
  EXPECT_THAT(callee_.take(), ElementsAre(invoked(1, R"("data":{)" + caller_key() + R"(,"a":1})")));
  EXPECT_THAT(caller_.take(), IsEmpty());
}

TEST_F(EngineCalls, E06_AnEmptyObjectGetsTheCallerToo) {
  caller_.invoke(1, "f", "{ }");
  const json::Value frame = callee_.take_one();
  EXPECT_EQ(json::to_text(*frame.find("data")), "{" + caller_key() + "}");
}

TEST_F(EngineCalls, E06_AnythingButAnObjectPassesUntouched) {
  uint64_t id = 0;
  for (const char* data : {"null", "0", "-0.0", "\"x\"", "[]", R"([{"a":1}])", "true"}) {
    caller_.invoke(++id, "f", data);
    EXPECT_THAT(callee_.take(), ElementsAre(invoked(id, R"("data":)" + std::string(data))));
  }
}

TEST_F(EngineCalls, E06_AForgedCallerNeverSurvives) {
  caller_.invoke(1, "f", R"({"_caller_worker_id":"me","a":1,"_caller_worker_id":"me too"})");
  caller_.invoke(2, "f", R"({"a":1,"_caller\u005fworker_id":"me"})");
  for (const std::string& frame : callee_.take()) {
    EXPECT_THAT(frame, Not(HasSubstr("me"))) << frame;
    EXPECT_THAT(frame, HasSubstr(R"("data":{)" + caller_key() + R"(,"a":1})"));
  }
}

TEST_F(EngineCalls, E06_ANestedKeyOfThatNameIsJustData) {
  caller_.invoke(1, "f", R"({"in":{"_caller_worker_id":"x"}})");
  EXPECT_THAT(callee_.take(), ElementsAre(HasSubstr(R"("in":{"_caller_worker_id":"x"})")));
}

TEST_F(EngineCalls, E06_KeysTheEngineDoesNotKnowNeverReachTheTarget) {
  caller_.invoke(
      1, "f", "1",
      R"(,"caller":{"worker_id":"x"},"activation":{},"observe_depth":3,"namespace":"default")");
  EXPECT_THAT(callee_.take(), ElementsAre(invoked(1, R"("data":1)")));
}

TEST_F(EngineCalls, E24_PayloadBytesPassUntouchedBothWays) {
  const std::string bytes = R"({ "z":1.10, "a" : 1e2,"a":18446744073709551616,"u":"\u0041/\/" })";
  caller_.invoke(1, "f", bytes, R"(,"metadata": { "b":1 , "a":2.50 } )");
  const Frames there = callee_.take();
  ASSERT_EQ(there.size(), 1U);
  EXPECT_THAT(there[0], HasSubstr(bytes.substr(1)));
  EXPECT_THAT(there[0], HasSubstr(R"("metadata":{ "b":1 , "a":2.50 })"));
  callee_.answer(uuid(1), R"("result": [1.0,  {"b":1,"a":2}])");
  EXPECT_THAT(caller_.take(), ElementsAre(answered(1, R"(,"result":[1.0,  {"b":1,"a":2}])")));
}

TEST_F(EngineCalls, E21_MissingDataIsNull) {
  caller_.say(R"({"type":"invokefunction","invocation_id":")" + uuid(1) +
              R"(","function_id":"f"})");
  EXPECT_THAT(callee_.take(), ElementsAre(invoked(1, R"("data":null)")));
}

TEST_F(EngineCalls, E23_EverySpellingOfAnIdComesOutLowerCaseAndHyphenated) {
  const char* spellings[] = {
      "0190A5DA-C967-74BB-CCEB-302099A80571", "0190a5dac96774bbcceb302099a80571",
      "{0190a5da-c967-74bb-cceb-302099a80571}", "urn:uuid:0190a5da-c967-74bb-cceb-302099a80571"};
  for (const char* spelling : spellings) {
    caller_.say(R"({"type":"invokefunction","invocation_id":")" + std::string(spelling) +
                R"(","function_id":"f","data":1})");
    EXPECT_EQ(text_at(callee_.take_one(), "invocation_id"), "0190a5da-c967-74bb-cceb-302099a80571");
    callee_.answer(spelling, R"("result":1)");
    EXPECT_EQ(text_at(caller_.take_one(), "invocation_id"), "0190a5da-c967-74bb-cceb-302099a80571");
  }
}

TEST_F(EngineCalls, E23_NestingPassesUpTo127LevelsOfTheFrame) {
  const auto nested = [](int levels) {
    return std::string(static_cast<size_t>(levels), '[') +
           std::string(static_cast<size_t>(levels), ']');
  };
  caller_.invoke(1, "f", nested(126));
  EXPECT_EQ(callee_.take().size(), 1U);
  caller_.invoke(2, "f", nested(127));
  EXPECT_THAT(callee_.take(), IsEmpty());
}

TEST_F(EngineCalls, SelfCallsComeBackOnTheSameSocket) {
  callee_.invoke(1, "f", "1");
  EXPECT_THAT(callee_.take(), ElementsAre(invoked(1, R"("data":1)")));
  callee_.answer(uuid(1), R"("result":2)");
  EXPECT_THAT(callee_.take(), ElementsAre(answered(1, R"(,"result":2)")));
}

// ---- the way back ----

TEST_F(EngineCalls, E17_AnswerNeverOvertakesTheRecordedCall) {
  // When the call leaves, its record is already there.
  caller_.invoke(1, "f");
  EXPECT_EQ(caller_.worker().ledger.calls.used(), 1U);
  EXPECT_EQ(callee_.worker().running, 1U);
  for (uint64_t id = 2; id < 2000; ++id) {
    caller_.invoke(id, "f");
    callee_.answer(uuid(id), R"("result":1)");
  }
  EXPECT_EQ(caller_.take().size(), 1998U);
  EXPECT_EQ(caller_.worker().ledger.calls.used(), 1U);
}

TEST_F(EngineCalls, E17_TheEngineHasNoTimeoutOfItsOwn) {
  caller_.invoke(1, "f");
  bus_.timers.advance(std::chrono::hours(24 * 7));
  EXPECT_THAT(caller_.take(), IsEmpty());
  callee_.answer(uuid(1), R"("result":1)");
  EXPECT_THAT(caller_.take(), ElementsAre(answered(1, R"(,"result":1)")));
}

TEST_F(EngineCalls, E09_NullAndAbsentResultsCarryNoKey) {
  caller_.invoke(1, "f");
  caller_.invoke(2, "f");
  callee_.answer(uuid(1), R"("result":null)");
  callee_.answer(uuid(2), R"("traceparent":"x")");
  EXPECT_THAT(caller_.take(), ElementsAre(answered(1), answered(2)));
}

TEST_F(EngineCalls, E09_FalsyResultsAreKept) {
  uint64_t id = 0;
  for (const char* value : {"0", "false", "\"\"", "[]", "{}"}) {
    caller_.invoke(++id, "f");
    callee_.answer(uuid(id), R"("result":)" + std::string(value));
    EXPECT_THAT(caller_.take(), ElementsAre(answered(id, R"(,"result":)" + std::string(value))));
  }
}

TEST_F(EngineCalls, E08_ErrorsPassVerbatimAndNeverWithNullKeys) {
  caller_.invoke(1, "f");
  callee_.answer(
      uuid(1), R"("error":{"code":"MINE","message":"m\n","stacktrace":"s","extra":1},"result":5)");
  EXPECT_THAT(
      caller_.take(),
      ElementsAre(answered(1, R"(,"error":{"code":"MINE","message":"m\n","stacktrace":"s"})")));
  caller_.invoke(2, "f");
  callee_.answer(uuid(2), R"("error":{"code":"c","message":"m","stacktrace":null})");
  EXPECT_THAT(caller_.take(), ElementsAre(answered(2, R"(,"error":{"code":"c","message":"m"})")));
}

TEST_F(EngineCalls, E08_ABrokenErrorBodyIsDroppedAndALaterAnswerCounts) {
  caller_.invoke(1, "f");
  callee_.answer(uuid(1), R"("error":{"message":"no code"})");
  EXPECT_THAT(caller_.take(), IsEmpty());
  callee_.answer(uuid(1), R"("result":1)");
  EXPECT_EQ(caller_.take().size(), 1U);
}

TEST_F(EngineCalls, E08_UnknownFunctionsAreSaidExactly) {
  EXPECT_EQ(caller_.refusal_of("nope"),
            "function_not_found: Function nope not found in namespace default.");
}

TEST_F(EngineCalls, TheFirstAnswerWinsWhoeverGivesIt) {
  Peer third(bus_, "third");
  caller_.invoke(1, "f");
  third.answer(uuid(1), R"("result":"third")");
  callee_.answer(uuid(1), R"("result":"callee")");
  EXPECT_THAT(caller_.take(), ElementsAre(answered(1, R"(,"result":"third")")));
  EXPECT_EQ(callee_.worker().running, 0U);
}

TEST_F(EngineCalls, AnswersMayComeOutOfOrder) {
  for (uint64_t id = 1; id <= 300; ++id) caller_.invoke(id, "f");
  for (uint64_t id = 300; id >= 1; --id)
    callee_.answer(uuid(id), R"("result":)" + std::to_string(id));
  const Frames frames = caller_.take();
  ASSERT_EQ(frames.size(), 300U);
  EXPECT_EQ(frames.front(), answered(300, R"(,"result":300)"));
  EXPECT_EQ(frames.back(), answered(1, R"(,"result":1)"));
}

TEST_F(EngineCalls, AnIdInFlightThatIsUsedAgainEndsTheEarlierCall) {
  Peer other(bus_, "other");
  caller_.invoke(1, "f");
  other.invoke(1, "f");
  EXPECT_THAT(caller_.take(),
              ElementsAre(answered(
                  1, R"(,"error":{"code":"invocation_error","message":"channel closed"})")));
  EXPECT_EQ(callee_.take().size(), 2U);
  callee_.answer(uuid(1), R"("result":1)");
  callee_.answer(uuid(1), R"("result":2)");
  EXPECT_THAT(other.take(), ElementsAre(answered(1, R"(,"result":1)")));
  EXPECT_THAT(caller_.take(), IsEmpty());
  EXPECT_EQ(caller_.worker().ledger.calls.used() + other.worker().ledger.calls.used() +
                callee_.worker().running,
            0U);
}

TEST_F(EngineCalls, InFlightCallsSurviveTheUnregistrationOfTheirFunction) {
  caller_.invoke(1, "f");
  callee_.say(R"({"type":"unregisterfunction","id":"f"})");
  callee_.answer(uuid(1), R"("result":1)");
  EXPECT_THAT(caller_.take(), ElementsAre(answered(1, R"(,"result":1)")));
}

// ---- no answer wanted ----

TEST_F(EngineCalls, E07_VoidReachesTheTargetUnderAFreshIdAndIsNeverAnswered) {
  caller_.invoke(1, "f", R"({"a":1})", R"(,"action":{"type":"void"})");
  const json::Value frame = callee_.take_one();
  const std::string fresh = text_at(frame, "invocation_id");
  EXPECT_NE(fresh, uuid(1));
  EXPECT_TRUE(Uuid::parse(fresh));
  EXPECT_EQ(frame.find("action"), nullptr);
  EXPECT_EQ(text_at(*frame.find("data"), "_caller_worker_id"), caller_.id());
  callee_.answer(fresh, R"("result":1)");
  EXPECT_THAT(caller_.take(), IsEmpty());
  EXPECT_EQ(callee_.worker().running, 0U);
}

TEST_F(EngineCalls, E07_NoIdMeansTheSame) {
  caller_.say(R"({"type":"invokefunction","function_id":"f","data":1})");
  EXPECT_TRUE(Uuid::parse(text_at(callee_.take_one(), "invocation_id")));
  EXPECT_THAT(caller_.take(), IsEmpty());
}

TEST_F(EngineCalls, E07_NotEvenErrorsAreAnswered) {
  caller_.invoke(1, "nope", "{}", R"(,"action":{"type":"void"})");
  caller_.invoke(2, "f", "{}", R"(,"action":{"type":"void"},"namespace":"")");
  caller_.invoke(3, "engine::functions::info", "{}", R"(,"action":{"type":"void"})");
  caller_.say(R"({"type":"invokefunction","function_id":"nope","data":1})");
  EXPECT_THAT(caller_.take(), IsEmpty());
}

TEST_F(EngineCalls, BlankNamespacesAreRefused) {
  caller_.invoke(1, "f", "{}", R"(,"namespace":" ")");
  EXPECT_THAT(caller_.take(), ElementsAre(HasSubstr(R"("error":{"code":"INVALID_NAMESPACE")")));
  EXPECT_THAT(callee_.take(), IsEmpty());
}

// ---- trace context ----

constexpr char kTrace[] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

TEST_F(EngineCalls, TraceIsForwardedWithTheFunctionAndEchoedVerbatim) {
  const std::string trace =
      std::string(R"(,"traceparent":")") + kTrace + R"(","baggage":"k=v;p=1")";
  caller_.invoke(1, "f", "1", trace);
  EXPECT_THAT(callee_.take(),
              ElementsAre(invoked(1, std::string(R"("data":1,"traceparent":")") + kTrace +
                                         R"(","baggage":"k=v,iii.function.id=f")")));
  callee_.answer(uuid(1), R"("result":1,"traceparent":"other","baggage":"other")");
  EXPECT_THAT(caller_.take(), ElementsAre(answered(1, R"(,"result":1)" + trace)));
}

TEST_F(EngineCalls, WithoutTraceTheTargetGetsNone) {
  caller_.invoke(1, "f", "1");
  EXPECT_THAT(callee_.take(), ElementsAre(invoked(1, R"("data":1)")));
}

TEST_F(EngineCalls, AnInvalidTraceparentIsNotForwardedButEchoed) {
  caller_.invoke(1, "f", "1", R"(,"traceparent":"rubbish")");
  EXPECT_THAT(callee_.take(), ElementsAre(invoked(1, R"("data":1,"baggage":"iii.function.id=f")")));
  callee_.answer(uuid(1), R"("result":1)");
  EXPECT_THAT(caller_.take(), ElementsAre(answered(1, R"(,"result":1,"traceparent":"rubbish")")));
}

TEST_F(EngineCalls, ErrorsAndBuiltinsEchoTheTraceToo) {
  caller_.invoke(1, "nope", "1", R"(,"traceparent":"t","baggage":"b")");
  caller_.invoke(2, "engine::log::info", R"({"message":"hello"})", R"(,"baggage":"b")");
  EXPECT_THAT(caller_.take(),
              ElementsAre(HasSubstr(R"("traceparent":"t","baggage":"b"})"),
                          R"({"type":"invocationresult","invocation_id":")" + uuid(2) +
                              R"(","function_id":"engine::log::info","baggage":"b"})"));
}

// ---- who leaves ----

TEST_F(EngineCalls, E10_WhenTheTargetLeavesItsCallerHearsAtOnce) {
  caller_.invoke(1, "f");
  caller_.invoke(2, "f");
  callee_.leave();
  const std::string stopped =
      R"(,"error":{"code":"invocation_stopped","message":"Invocation stopped"})";
  EXPECT_THAT(caller_.take(), ElementsAre(answered(1, stopped), answered(2, stopped)));
  EXPECT_EQ(caller_.worker().ledger.calls.used(), 0U);
}

TEST_F(EngineCalls, E10_WhenTheCallerLeavesTheAnswerGoesNowhere) {
  caller_.invoke(1, "f");
  callee_.take();
  caller_.leave();
  EXPECT_THAT(callee_.take(), IsEmpty()) << "the target is not told";
  EXPECT_EQ(callee_.worker().running, 0U);
  callee_.answer(uuid(1), R"("result":1)");
  EXPECT_EQ(callee_.worker().dropped_frames, 0U);
}

TEST_F(EngineCalls, E10_ASelfCallEndsWithItsWorker) {
  callee_.invoke(1, "f");
  callee_.leave();
  EXPECT_TRUE(caller_.connected());
}

TEST_F(EngineCalls, ALateAnswerOverANewConnectionIsIgnored) {
  caller_.invoke(1, "f");
  callee_.leave();
  caller_.take();
  Peer again(bus_, "callee");
  again.answer(uuid(1), R"("result":1)");
  EXPECT_THAT(caller_.take(), IsEmpty());
}

// A worker that is itself the reason why a call of its own ends hears nothing of it.
TEST_F(EngineCalls, E10_NothingIsSaidToAConnectionThatIsBeingTornDown) {
  caller_.serve("engine::queue::enqueue");
  caller_.invoke(1, "f", "1", R"(,"action":{"type":"enqueue","queue":"q"})");
  caller_.provide("t");
  caller_.invoke(2, "engine::register_trigger", R"({"trigger_type":"t","function_id":"f"})");
  caller_.take();
  Peer next(bus_);
  next.say(R"({"type":"reattach","previous_worker_id":")" + caller_.id() +
           R"(","reattach_token":")" + caller_.token() + R"("})");
  EXPECT_TRUE(caller_.was_ended());
  EXPECT_THAT(caller_.take(), IsEmpty());
}

// ---- enqueue ----

constexpr char kEnqueue[] = R"(,"action":{"type":"enqueue","queue":"q"})";

TEST_F(EngineCalls, E16_WithoutAProviderEnqueueSaysWhatIsMissing) {
  caller_.invoke(1, "f", "{}", kEnqueue);
  EXPECT_THAT(
      caller_.take(),
      ElementsAre(HasSubstr(
          R"("function_id":"f","error":{"code":"enqueue_error","message":"No queue provider is installed.)")));
  EXPECT_THAT(callee_.take(), IsEmpty());
}

TEST_F(EngineCalls, E16_TheProviderGetsTheJobAndTheCallerAReceipt) {
  Peer queue(bus_, "queue");
  queue.serve("engine::queue::enqueue");
  caller_.invoke(1, "f", R"({"a":1})", std::string(kEnqueue) + R"(,"baggage":"k=v","metadata":1)");
  const json::Value job = queue.take_one();
  const std::string receipt = text_at(*job.find("data"), "messageReceiptId");
  EXPECT_TRUE(Uuid::parse(receipt));
  EXPECT_EQ(job.find("metadata"), nullptr);
  EXPECT_EQ(*job.find("data"),
            parsed(R"({"queue":"q","function_id":"f","data":{"a":1},"messageReceiptId":")" +
                   receipt + R"(","traceparent":null,"baggage":"k=v,iii.function.id=f"})"));
  queue.answer(text_at(job, "invocation_id"), R"("result":{"anything":true})");
  EXPECT_THAT(caller_.take(), ElementsAre(answered(1, R"(,"result":{"messageReceiptId":")" +
                                                          receipt + R"("},"baggage":"k=v")")));
}

TEST_F(EngineCalls, E16_TheTargetsNamespaceTravelsUnlessItIsDefault) {
  Peer queue(bus_, "queue");
  queue.serve("engine::queue::enqueue");
  caller_.invoke(1, "f", "1", std::string(kEnqueue) + R"(,"namespace":"x")");
  EXPECT_EQ(text_at(*queue.take_one().find("data"), "namespace"), "x");
  caller_.invoke(2, "f", "1", std::string(kEnqueue) + R"(,"namespace":"default")");
  EXPECT_EQ(text_at(*queue.take_one().find("data"), "namespace"), "<absent>");
}

TEST_F(EngineCalls, E16_TheProvidersFailureComesAsEnqueueError) {
  Peer queue(bus_, "queue");
  queue.serve("engine::queue::enqueue");
  caller_.invoke(1, "f", "1", kEnqueue);
  queue.answer(text_at(queue.take_one(), "invocation_id"),
               R"("error":{"code":"full","message":"no room"})");
  EXPECT_THAT(
      caller_.take(),
      ElementsAre(answered(1, R"(,"error":{"code":"enqueue_error","message":"full: no room"})")));
  caller_.invoke(2, "f", "1", kEnqueue);
  queue.leave();
  EXPECT_THAT(caller_.take(), ElementsAre(HasSubstr("invocation_stopped: Invocation stopped")));
}

TEST_F(EngineCalls, E16_WithoutAnIdTheJobIsQueuedAndNothingAnsweredOrKept) {
  Peer queue(bus_, "queue");
  queue.serve("engine::queue::enqueue");
  caller_.say(
      R"({"type":"invokefunction","function_id":"f","data":1,"action":{"type":"enqueue","queue":"q"}})");
  EXPECT_EQ(queue.worker().running, 0U) << "nobody waits, so nothing is remembered";
  queue.answer(text_at(queue.take_one(), "invocation_id"), R"("result":1)");
  EXPECT_THAT(caller_.take(), IsEmpty());
}

TEST_F(EngineCalls, ACallerThatWaitsForAReceiptShowsAsActive) {
  Peer queue(bus_, "queue");
  queue.serve("engine::queue::enqueue");
  caller_.invoke(1, "f", "1", kEnqueue);
  EXPECT_EQ(caller_.worker().active_invocations(), 1U);
  queue.answer(text_at(queue.take_one(), "invocation_id"), R"("result":1)");
  EXPECT_EQ(caller_.worker().active_invocations(), 0U);
}

}  // namespace
}  // namespace iii::engine
