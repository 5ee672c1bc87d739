#include "bus/protocol/writer.h"

#include <gtest/gtest.h>

#include "bus/protocol/parser.h"

namespace iii::protocol {
namespace {

const Uuid kId = *Uuid::parse("0190a5da-c967-74bb-cceb-302099a80571");

TEST(Writer, PutsTypeFirstAndLeavesOutWhatIsAbsent) {
  InvocationResult f;
  f.invocation_id = kId;
  f.function_id = "a::\"b\"";
  EXPECT_EQ(
      to_text(f),
      R"({"type":"invocationresult","invocation_id":"0190a5da-c967-74bb-cceb-302099a80571","function_id":"a::\"b\""})");
  f.result = "0";
  f.error = ErrorBody{"c", "m", std::nullopt};  // an error wins over a result
  EXPECT_EQ(
      to_text(f),
      R"({"type":"invocationresult","invocation_id":"0190a5da-c967-74bb-cceb-302099a80571","function_id":"a::\"b\"","error":{"code":"c","message":"m"}})");
}

TEST(Writer, E06_ForwardedCallCarriesOnlyKnownKeysAndTheCallersBytes) {
  Parser parser;
  std::string text =
      R"({"type":"invokefunction","invocation_id":"0190a5da-c967-74bb-cceb-302099a80571","function_id":"f","caller":{"worker_id":"forged"},"observe_depth":3,"data":{ "z" : 1.0 },"metadata":{"m": 1}})";
  text.reserve(text.size() + 64);
  const auto frame = parser.parse(text);
  ASSERT_TRUE(frame);
  std::string out;
  append_forwarded(out, std::get<InvokeFunction>(*frame), kId, "W", "", "");
  EXPECT_EQ(
      out,
      R"({"type":"invokefunction","invocation_id":"0190a5da-c967-74bb-cceb-302099a80571","function_id":"f","data":{"_caller_worker_id":"W", "z" : 1.0 },"metadata":{"m": 1}})");
}

// A call without trace and metadata is written in one go: to the same bytes.
TEST(Writer, E06_PlainCallsAreForwardedLikeAllOthers) {
  for (const Json data : {"{}", "{ }", R"({"a":1})", "[1]", "null", R"("text")"}) {
    InvokeFunction call;
    call.function_id = "a::b";
    call.data = data;
    for (const std::string_view caller : {"", "W"}) {
      std::string plain = "before";
      append_forwarded(plain, call, kId, caller, "", "");
      call.metadata = "1";
      std::string other = "before";
      append_forwarded(other, call, kId, caller, "", "");
      call.metadata.reset();
      const std::string tail = R"(,"metadata":1})";
      ASSERT_TRUE(other.ends_with(tail));
      EXPECT_EQ(plain, other.substr(0, other.size() - tail.size()) + "}");
    }
  }
  InvokeFunction call;
  call.function_id = "a::\"b\"\n";
  std::string out;
  append_forwarded(out, call, kId, "W", "", "");
  EXPECT_NE(out.find(R"("function_id":"a::\"b\"\n")"), std::string::npos);
}

TEST(Writer, AnswersArePlainOrNotToTheSameBytes) {
  InvocationResult f;
  f.invocation_id = kId;
  f.function_id = "a::b";
  const std::string head =
      R"({"type":"invocationresult","invocation_id":"0190a5da-c967-74bb-cceb-302099a80571","function_id":"a::b")";
  EXPECT_EQ(to_text(f), head + "}");
  f.result = R"({"x":"\n"})";
  EXPECT_EQ(to_text(f), head + R"(,"result":{"x":"\n"}})");
  f.baggage = "k=v";
  EXPECT_EQ(to_text(f), head + R"(,"result":{"x":"\n"},"baggage":"k=v"})");
}

std::string with_caller(Json data, bool claims) {
  std::string out;
  append_with_caller(out, data, "W", claims);
  return out;
}

std::string joined(const SplitMessage& m) {
  return m.head + std::string(m.body) + m.tail + std::string(m.metadata) + m.end;
}

TEST(Writer, SplitMessagesAreTheSameBytes) {
  for (const char* data : {R"({"a":1})", "{}", "{ }", "[1]", "null"}) {
    for (const std::string_view caller : {"", "W"}) {
      for (const std::string_view trace : {"", "00-x"}) {
        InvokeFunction call;
        call.function_id = "a\"b";
        call.data = data;
        if (!trace.empty()) call.metadata = "{}";
        std::string whole;
        append_forwarded(whole, call, kId, caller, trace, trace);
        EXPECT_EQ(joined(split_forwarded(call, kId, caller, trace, trace)), whole);
        RegisterTrigger binding{
            .id = "i\"", .trigger_type = "t", .function_id = "f", .config = data};
        if (!trace.empty()) binding.metadata = "[1]";
        if (!caller.empty()) binding.name_space = binding.trigger_namespace = "n";
        EXPECT_EQ(joined(split(binding)), to_text(binding));
        InvocationResult answer;
        answer.invocation_id = kId;
        answer.function_id = "f";
        answer.result = data;
        if (!trace.empty()) answer.baggage = trace;
        EXPECT_EQ(joined(split(answer)), to_text(answer));
      }
    }
  }
}

TEST(Writer, E06_CallerIdGoesIntoObjectsOnly) {
  EXPECT_EQ(with_caller("{}", false), R"({"_caller_worker_id":"W"})");
  EXPECT_EQ(with_caller("{ }", false), R"({"_caller_worker_id":"W" })");
  EXPECT_EQ(with_caller("[1]", false), "[1]");
  EXPECT_EQ(with_caller("null", false), "null");
}

TEST(Writer, E06_AForgedCallerIdNeverSurvives) {
  EXPECT_EQ(
      with_caller(R"({"a":1,"_caller_worker_id":"evil","b":[2],"\u005fcaller_worker_id":5})", true),
      R"({"_caller_worker_id":"W","a":1,"b":[2]})");
}

// Whatever is written can be read, and reads back the same.
TEST(Writer, EveryFrameRoundTrips) {
  const ErrorBody error{"c", "m", "s"};
  std::vector<std::string> texts{
      to_text(WorkerRegistered{"w", "t"}),
      to_text(Reattach{"w", std::nullopt}),
      to_text(RegisterFunction{"f", "d", "{}", "[]", "1", std::nullopt}),
      to_text(UnregisterFunction{"f"}),
      to_text(RegisterTriggerType{"t", "d", "{}", "1", "ns"}),
      to_text(RegisterTrigger{"i", "t", "f", "{\"a\":1}", "2", "ns", "tns"}),
      to_text(UnregisterTrigger{"i", "t"}),
      to_text(TriggerRegistrationResult{"i", "t", "f", error}),
      to_text(InvokeFunction{kId, "f", "{}", Action::kEnqueue, "q", "1", "tp", "b", "ns", false}),
      to_text(InvokeFunction{std::nullopt, "f", "null", Action::kVoid, "", {}, {}, {}, {}, false}),
      to_text(InvocationResult{kId, "f", std::nullopt, error, "tp", "b"}),
      to_text(RegisterService{"s", "n", "d"}),
      to_text(RegistrationRejected{"C", "ns", "f", "w", "o"}),
      to_text(ConnectionError{error}),
      to_text(Ping{}),
      to_text(Pong{}),
  };
  Parser parser;
  for (std::string& text : texts) {
    text.reserve(text.size() + 64);
    const auto frame = parser.parse(text);
    ASSERT_TRUE(frame) << text << ": " << frame.error().message;
    const std::string again = std::visit([](const auto& f) { return to_text(f); }, *frame);
    EXPECT_EQ(again, text);
  }
}

// What is written is read back, every field.
TEST(WriterObserve, RoundTrips) {
  const ErrorBody error{"C", "m", std::nullopt};
  for (const std::string& text :
       {to_text(Observe{"o", R"({"function_id":"a"})", R"({"function_id":"b"})", "1", 2, 3, 4}),
        to_text(Unobserve{"o"}), to_text(ObserveResult{"o", "error", error, R"(["input.a"])"}),
        to_text(ObserverStateChanged{"o", "active", error, 7}),
        to_text(FunctionRegistered{"f", "n", 3, true, "[{}]"}),
        to_text(ObserverAdded{"f", "n", 3, "{}"}), to_text(ObserverRemoved{"f", "n", 3, "o"}),
        to_text(ObserverAck{"f", "n", "o", 3, error}), to_text(InvocationsObserved{"[]"}),
        to_text(LocalInvocationStats{})}) {
    std::string padded = text;
    padded.reserve(text.size() + 64);
    Parser parser;
    const auto frame = parser.parse(padded);
    ASSERT_TRUE(frame.has_value()) << text << frame.error().message;
    EXPECT_EQ(std::visit([](const auto& f) { return to_text(f); }, *frame), text);
  }
}

TEST(WriterObserve, CallsHaveTheKeysOfObserversOnlyWhenTheyAreSet) {
  InvokeFunction call;
  call.function_id = "f";
  call.data = R"({"a":1})";
  std::string plain;
  append_forwarded(plain, call, kId, "w", "", "");
  EXPECT_FALSE(plain.contains("caller\":{"));
  const CallContext context{R"({"worker_id":"w"})", 2, R"({"observer_id":"o"})"};
  std::string extended;
  append_forwarded(extended, call, kId, "w", "", "", context);
  const std::string tail =
      R"(,"caller":{"worker_id":"w"},"observe_depth":2,"activation":{"observer_id":"o"}})";
  EXPECT_EQ(extended, plain.substr(0, plain.size() - 1) + tail);
  const SplitMessage split = split_forwarded(call, kId, "w", "", "", context);
  EXPECT_EQ(split.head + std::string(split.body) + split.tail, extended);
}

}  // namespace
}  // namespace iii::protocol
