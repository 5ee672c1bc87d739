// Messages that are large, too large, or do not fit in what waits for their receiver: their sender
// hears of it, the receiver stays connected, and nothing is copied that can be shared.
#include "bus/engine/large_frame.h"
#include "bus/engine/scratch.h"
#include "bus/engine/testing.h"

namespace iii::engine {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::string blob(size_t size) { return std::string(size, 'x'); }
std::string object(size_t size) { return R"({"a":")" + blob(size) + R"("})"; }
std::string call_frame(uint64_t id, const std::string& function, const std::string& data,
                       const std::string& extra = "") {
  return R"({"type":"invokefunction","invocation_id":")" + uuid(id) + R"(","function_id":")" +
         function + R"(","data":)" + data + extra + "}";
}
std::string answer_frame(uint64_t id, const std::string& outcome) {
  return R"({"type":"invocationresult","invocation_id":")" + uuid(id) + R"(","function_id":"?",)" +
         outcome + "}";
}

class LargeMessages : public ::testing::Test {
 protected:
  explicit LargeMessages(size_t max_message = protocol::kMaxMessageBytes)
      : bus_(EngineLimits{.max_message_bytes = max_message}) {
    callee_.serve("f");
  }

  TestBus bus_;
  Peer callee_{bus_, "callee"};
  Peer caller_{bus_, "caller"};
};

class SmallLimit : public LargeMessages {
 protected:
  SmallLimit() : LargeMessages(1000) {}
};

TEST_F(SmallLimit, ACallThatGrowsBeyondTheLimitIsAnsweredToItsCaller) {
  // As sent it fits; the `_caller_worker_id` makes it too large for the callee.
  const std::string data = object(1000 - call_frame(1, "f", object(0)).size());
  ASSERT_EQ(call_frame(1, "f", data).size(), 1000U);
  caller_.invoke(1, "f", data);
  EXPECT_THAT(callee_.take(), IsEmpty());
  EXPECT_TRUE(callee_.connected());
  EXPECT_THAT(caller_.take(), ElementsAre(AllOf(HasSubstr("payload_too_large"), HasSubstr("1000"),
                                                HasSubstr("Next:"))));
  EXPECT_EQ(caller_.worker().ledger.calls.used(), 0U);
  EXPECT_EQ(callee_.worker().running, 0U);
}

TEST_F(SmallLimit, ExactlyTheLimitPasses) {
  const std::string envelope = R"({"type":"invokefunction","invocation_id":")" + uuid(1) +
                               R"(","function_id":"f","data":{"_caller_worker_id":")" +
                               caller_.id() + R"(",)";
  const std::string data = object(1000 - envelope.size() - object(0).size());
  caller_.invoke(1, "f", data);
  EXPECT_THAT(callee_.take(), ElementsAre(SizeIs(1000)));
  caller_.invoke(2, "f", object(1000 - envelope.size() - object(0).size() + 1));
  EXPECT_THAT(callee_.take(), IsEmpty());
  EXPECT_THAT(caller_.take(), ElementsAre(HasSubstr("payload_too_large")));
}

TEST_F(SmallLimit, AnAnswerThatGrowsBeyondTheLimitBecomesAnErrorForItsCaller) {
  const std::string baggage = R"(,"baggage":"k=)" + blob(500) + '"';
  caller_.invoke(1, "f", "1", baggage);
  ASSERT_THAT(callee_.take(), SizeIs(1));
  callee_.answer(uuid(1), R"("result":)" + object(600));
  EXPECT_THAT(caller_.take(),
              ElementsAre(AllOf(HasSubstr("payload_too_large"), Not(HasSubstr(blob(600))))));
  EXPECT_TRUE(caller_.connected());
}

TEST_F(SmallLimit, AResultOfTheEngineItselfThatIsTooLargeBecomesAnError) {
  for (int i = 0; i < 20; ++i) callee_.serve("some_function_" + std::to_string(i));
  EXPECT_THAT(caller_.refusal_of("engine::functions::list"), HasSubstr("payload_too_large"));
}

TEST_F(SmallLimit, AnEventThatIsTooLargeIsDroppedAndItsTargetStays) {
  caller_.bind("b", "engine::workers-available", "f", R"(,"metadata":)" + object(900));
  Peer other(bus_, "other");
  EXPECT_THAT(callee_.take(), IsEmpty());
  EXPECT_TRUE(callee_.connected());
}

TEST_F(LargeMessages, ACallThatDoesNotFitInWhatWaitsForTheCalleeIsAnsweredToItsCaller) {
  callee_.set_room(500);
  caller_.invoke(1, "f", object(600));
  EXPECT_THAT(callee_.take(), IsEmpty());
  EXPECT_THAT(caller_.take(), ElementsAre(AllOf(HasSubstr("callee_busy"), HasSubstr("Next:"))));
  caller_.invoke(2, "f", object(100));
  EXPECT_THAT(callee_.take(), SizeIs(1));
}

TEST_F(LargeMessages, AnAnswerThatDoesNotFitInWhatWaitsForTheCallerBecomesASmallError) {
  caller_.invoke(1, "f");
  caller_.set_room(500);
  callee_.answer(uuid(1), R"("result":)" + object(600));
  EXPECT_THAT(caller_.take(),
              ElementsAre(AllOf(HasSubstr("caller_busy"), Not(HasSubstr(blob(600))))));
}

// ---- parsed on another thread ----

TEST_F(LargeMessages, ALargeCallIsParsedInTheBackgroundAndForwardedWithoutACopy) {
  const std::string data = object(2'000'000);
  caller_.say_large(call_frame(1, "f", data, R"(,"baggage":"k=v","metadata":{"m":1})"));
  EXPECT_TRUE(caller_.paused());
  EXPECT_THAT(callee_.take(), IsEmpty());
  bus_.turn();
  EXPECT_FALSE(caller_.paused());
  const size_t shared = callee_.shared_bytes();
  const Frames large = callee_.take();
  ASSERT_THAT(large, SizeIs(1));
  EXPECT_GE(shared, data.size() - 1);
  // The same bytes as on the direct way.
  caller_.invoke(2, "f", data, R"(,"baggage":"k=v","metadata":{"m":1})");
  std::string direct = callee_.take().front();
  direct.replace(direct.find(uuid(2)), uuid(2).size(), uuid(1));
  EXPECT_EQ(large.front(), direct);
}

TEST_F(LargeMessages, ALargeCallNeverCarriesAForgedCaller) {
  caller_.say_large(
      call_frame(1, "f", R"({"_caller_worker_id":"me","a":")" + blob(2'000'000) + R"("})"));
  bus_.turn();
  const json::Value frame = callee_.take_one();
  const json::Value* data = frame.find("data");
  ASSERT_NE(data, nullptr);
  EXPECT_EQ(text_at(*data, "_caller_worker_id"), caller_.id());
  EXPECT_EQ(text_at(*data, "a").size(), 2'000'000U);
}

TEST_F(LargeMessages, ALargeObjectOfWhiteSpaceIsAnEmptyOne) {
  caller_.say_large(call_frame(1, "f", "{" + std::string(2'000'000, ' ') + "}"));
  bus_.turn();
  const json::Value frame = callee_.take_one();
  EXPECT_EQ(json::to_text(*frame.find("data")),
            R"({"_caller_worker_id":")" + caller_.id() + R"("})");
}

TEST_F(LargeMessages, ALargeAnswerIsPassedOnWithoutACopy) {
  caller_.invoke(1, "f");
  callee_.say_large(answer_frame(1, R"("result":)" + object(2'000'000)));
  bus_.turn();
  EXPECT_EQ(caller_.shared_bytes(), object(2'000'000).size());
  const json::Value answer = caller_.take_one();
  EXPECT_EQ(text_at(*answer.find("result"), "a").size(), 2'000'000U);
}

TEST_F(LargeMessages, ALargeBrokenFrameIsDroppedAndTheConnectionGoesOn) {
  caller_.say_large(blob(2'000'000));
  bus_.turn();
  EXPECT_EQ(caller_.worker().dropped_frames, 1U);
  EXPECT_FALSE(caller_.paused());
  caller_.invoke(1, "f");
  EXPECT_THAT(callee_.take(), SizeIs(1));
}

TEST_F(LargeMessages, AConnectionMayEndWhileItsMessageIsParsed) {
  caller_.say_large(call_frame(1, "f", object(2'000'000)));
  caller_.leave();
  EXPECT_THAT(callee_.take(), IsEmpty());
}

// So that the memory budget knows who holds most; nobody is ended for being the next one to send.
TEST_F(LargeMessages, WhatWaitsToBeParsedCountsAsHeldByItsConnection) {
  caller_.say_large(call_frame(1, "f", object(2'000'000)));
  EXPECT_EQ(size_t(caller_.charged()), call_frame(1, "f", object(2'000'000)).size());
  Peer other(bus_, "other");
  EXPECT_EQ(caller_.charged(), 0) << "handled in the turns of the other";
  other.say_large(blob(2'000'000));
  EXPECT_EQ(other.charged(), 2'000'000);
  bus_.turn();
  EXPECT_EQ(other.charged(), 0) << "also when it is broken";
  caller_.invoke(2, "f");
  callee_.say_large(answer_frame(2, R"("result":)" + object(2'000'000)));
  EXPECT_GT(callee_.charged(), 2'000'000);
  bus_.turn();
  EXPECT_EQ(callee_.charged(), 0);
}

TEST_F(LargeMessages, AConnectionThatHasToGiveItsMemoryUpIsNotParsedFor) {
  const size_t jobs = bus_.background.jobs;
  caller_.cut_off = true;
  caller_.say_large(call_frame(1, "f", object(2'000'000)));
  EXPECT_EQ(bus_.background.jobs, jobs);
  EXPECT_EQ(caller_.charged(), 0);
  bus_.turn();
  EXPECT_THAT(callee_.take(), IsEmpty());
}

TEST_F(LargeMessages, ALargeRegistrationWaitsForTheAnnounceLikeOthers) {
  Peer late(bus_);
  late.say_large(R"({"type":"registerfunction","id":"g","metadata":)" + object(2'000'000) + "}");
  bus_.turn();
  EXPECT_EQ(bus_.engine.functions().find_default("g"), nullptr);
  late.announce("late");
  EXPECT_NE(bus_.engine.functions().find_default("g"), nullptr);
}

TEST_F(LargeMessages, TheLargePayloadOfABuiltInIsDecodedInTheBackground) {
  const size_t before = bus_.background.jobs;
  caller_.invoke(1, "engine::log::debug", R"({"message":")" + blob(300'000) + R"("})");
  EXPECT_EQ(bus_.background.jobs, before + 1);
  EXPECT_FALSE(caller_.paused());
  EXPECT_THAT(caller_.take(), ElementsAre(Not(HasSubstr("error"))));
  EXPECT_EQ(caller_.worker().ledger.calls.used(), 0U);
}

TEST_F(LargeMessages, ALargeJobIsEnqueuedLikeASmallOne) {
  callee_.serve("engine::queue::enqueue");
  caller_.say_large(
      call_frame(1, "g", object(2'000'000), R"(,"action":{"type":"enqueue","queue":"q"})"));
  bus_.turn();
  const json::Value frame = callee_.take_one();
  EXPECT_EQ(text_at(*frame.find("data"), "function_id"), "g");
  callee_.answer(text_at(frame, "invocation_id"), R"("result":1)");
  EXPECT_THAT(caller_.take(), ElementsAre(HasSubstr("messageReceiptId")));
  EXPECT_EQ(caller_.worker().ledger.calls.used(), 0U);
}

// Regression: each of 2 000 bindings got a copy of an 8 MB listing, made on the loop thread.
TEST_F(LargeMessages, AnEventIsNotCopiedForItsTargets) {
  const std::string metadata = '"' + blob(200'000) + '"';
  callee_.bind("b1", "log", "f", R"(,"metadata":)" + metadata);
  callee_.bind("b2", "log", "f");
  callee_.take();
  caller_.invoke(1, "engine::log::info", R"({"message":")" + blob(300'000) + R"("})");
  bus_.turn();
  const Frames frames = callee_.take();
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(text_at(parsed(frames[0]), "metadata"), blob(200'000));
  EXPECT_EQ(text_at(*parsed(frames[1]).find("data"), "body"), blob(300'000));
  EXPECT_GE(callee_.shared_bytes(), 2 * 300'000U + 200'000U);
}

TEST_F(LargeMessages, LongNamesAreRefusedWithoutBeingCopied) {
  caller_.say_large(call_frame(1, blob(2'000'000), "1"));
  bus_.turn();
  caller_.say_large(call_frame(2, "f", "1", R"(,"baggage":"k=)" + blob(2'000'000) + '"'));
  bus_.turn();
  const auto refused = AllOf(HasSubstr("payload_too_large"), HasSubstr("65536"));
  EXPECT_THAT(caller_.take(), ElementsAre(refused, refused));
  EXPECT_THAT(callee_.take(), IsEmpty());
  caller_.say_large(R"({"type":"registerfunction","id":")" + blob(2'000'000) + R"("})");
  bus_.turn();
  EXPECT_TRUE(caller_.worker().functions.empty());
  EXPECT_EQ(caller_.worker().dropped_frames, 1U);
  caller_.invoke(3, blob(kMaxNameBytes));
  EXPECT_THAT(caller_.take(), ElementsAre(HasSubstr("function_not_found"))) << "at the limit";
}

TEST_F(LargeMessages, LargeRegistrationsKeepEverything) {
  const std::string text = blob(1'500'000);
  callee_.say_large(R"({"type":"registerfunction","id":"g","description":")" + text + R"("})");
  callee_.say_large(R"({"type":"registertriggertype","id":"t","description":")" + text + R"("})");
  bus_.turn();
  EXPECT_EQ((*bus_.engine.functions().find_default("g"))->description, text);
  EXPECT_EQ(bus_.engine.triggers().type({"default", "t"})->texts->description, text);
  caller_.say_large(
      R"({"type":"registertrigger","id":"b","trigger_type":"t","function_id":"g","config":")" +
      text + R"("})");
  bus_.turn();
  EXPECT_EQ(text_at(callee_.take_one(), "config"), text);
  EXPECT_GE(callee_.shared_bytes(), text.size()) << "not copied for the provider";
}

TEST_F(LargeMessages, TheTextsOfAnErrorAreCutNotCopied) {
  caller_.invoke(1, "f");
  callee_.take();
  callee_.say_large(
      answer_frame(1, R"("error":{"code":"c","message":")" + blob(2'000'000) + R"("})"));
  bus_.turn();
  const json::Value answer = caller_.take_one();
  EXPECT_EQ(text_at(*answer.find("error"), "message").size(), 256 * 1024U);
}

TEST(EngineScratch, LargeMemoryIsGivenBack) {
  Scratch scratch;
  scratch.fresh() = blob(1000);
  scratch.done();
  EXPECT_GE(scratch.capacity(), 1000U);
  scratch.fresh() = blob(Scratch::kMostKept + 1);
  scratch.done();
  EXPECT_LE(scratch.capacity(), Scratch::kMostKept);
}

}  // namespace
}  // namespace iii::engine
