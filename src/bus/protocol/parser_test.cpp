#include "bus/protocol/parser.h"

#include <gtest/gtest.h>

#include "bus/protocol/writer.h"
#include "foundation/json/value.h"

namespace iii::protocol {
namespace {

// Text with the padding the parser demands, and what came out, both kept alive.
class ParserTest : public testing::Test {
 protected:
  Result<Frame> parse(std::string_view text) {
    text_.assign(text);
    text_.reserve(text.size() + 64);
    return parser_.parse(text_);
  }

  template <typename F>
  F get(std::string_view text) {
    const auto frame = parse(text);
    if (!frame) {
      ADD_FAILURE() << text << ": " << frame.error().message;
      return F{};
    }
    if (!std::holds_alternative<F>(*frame)) {
      ADD_FAILURE() << "another type: " << text;
      return F{};
    }
    return std::get<F>(*frame);
  }

  Parser parser_;
  std::string text_;
};

constexpr char kId[] = "0190a5da-c967-74bb-cceb-302099a80571";

TEST_F(ParserTest, CallKeepsThePayloadBytes) {
  const auto f = get<InvokeFunction>(
      R"({"data": {"b": 1.10 , "a":[ 1e2 ]} ,"invocation_id":"0190A5DA-C967-74BB-CCEB-302099A80571","function_id":"a::b","type":"invokefunction","metadata":[1 ],"zz":{"data":1}})");
  EXPECT_EQ(f.data, R"({"b": 1.10 , "a":[ 1e2 ]})");
  EXPECT_EQ(f.metadata, "[1 ]");
  EXPECT_EQ(f.invocation_id->to_string(), kId);
  EXPECT_EQ(f.function_id, "a::b");
  EXPECT_EQ(f.action, Action::kCall);
}

TEST_F(ParserTest, E21_MissingDataAndConfigAreNull) {
  EXPECT_EQ(get<InvokeFunction>(R"({"type":"invokefunction","function_id":"f"})").data, "null");
  EXPECT_EQ(get<RegisterTrigger>(
                R"({"type":"registertrigger","id":"i","trigger_type":"t","function_id":"f"})")
                .config,
            "null");
}

TEST_F(ParserTest, E04_NullsCountAsAbsentForOptionalFields) {
  const auto f = get<InvokeFunction>(
      R"({"type":"invokefunction","invocation_id":null,"function_id":"f","data":null,"action":null,"metadata":null,"namespace":null,"traceparent":null,"message_type":"x"})");
  EXPECT_FALSE(f.invocation_id || f.metadata || f.name_space || f.traceparent);
}

TEST_F(ParserTest, ActionsAreVoidEnqueueOrMalformed) {
  EXPECT_EQ(
      get<InvokeFunction>(
          R"({"type":"invokefunction","function_id":"f","data":1,"action":{"type":"void","queue":5}})")
          .action,
      Action::kVoid);
  const auto f = get<InvokeFunction>(
      R"({"type":"invokefunction","function_id":"f","data":1,"action":{"type":"enqueue","queue":"q"}})");
  EXPECT_EQ(f.action, Action::kEnqueue);
  EXPECT_EQ(f.queue, "q");
  for (const char* action :
       {R"({"type":"later"})", R"("void")", R"({"type":"Void"})", R"({"type":"enqueue"})"}) {
    EXPECT_FALSE(parse(R"({"type":"invokefunction","function_id":"f","data":1,"action":)" +
                       std::string(action) + "}"));
  }
}

TEST_F(ParserTest, NullResultIsNoResult) {
  const std::string head = R"({"type":"invocationresult","invocation_id":")" + std::string(kId) +
                           R"(","function_id":"f")";
  EXPECT_FALSE(get<InvocationResult>(head + R"(,"result":null})").result);
  EXPECT_EQ(get<InvocationResult>(head + R"(,"result":0,"error":null})").result, "0");
  const auto f = get<InvocationResult>(
      head + R"(,"error":{"code":"c","message":"m\n","stacktrace":null,"x":1}})");
  EXPECT_EQ(f.error->message, "m\n");
  EXPECT_FALSE(f.error->stacktrace);
  EXPECT_FALSE(parse(head + R"(,"error":{"code":"c"}})"));
  EXPECT_FALSE(parse(head + R"(,"error":"x"})"));
  EXPECT_FALSE(parse(head + R"(,"error":{"code":1,"message":"m"}})"));
}

TEST_F(ParserTest, E03_MalformedFramesHaveAReason) {
  for (
      const char* text : {
          "hello",
          "{\"type\":\"ping\"",
          "[]",
          "[{\"type\":\"ping\"}]",
          "null",
          "5",
          "\"ping\"",
          "{}",
          R"({"type":null})",
          R"({"type":5})",
          R"({"type":"nope"})",
          R"({"type":"Ping"})",
          R"({"type":"ping"}{"type":"ping"})",
          "\xef\xbb\xbf{\"type\":\"ping\"}",
          R"({"type":"ping",})",
          R"({"type":"ping","x":NaN})",
          R"({"type":"ping","type":"ping"})",
          R"({"type":"registertriggertype","id":"x"})",
          R"({"type":"registerfunction"})",
          R"({"type":"registerfunction","id":"x","description":5})",
          R"({"type":"invokefunction","invocation_id":"abc","function_id":"f","data":1})",
          R"({"type":"invokefunction","invocation_id":5,"function_id":"f","data":1})",
          R"({"type":"invokefunction","function_id":"f","data":1,"data":2})",
          R"({"type":"invocationresult","function_id":"f"})",
          R"({"type":"registerfunction","id":"x","invocation":{}})",
          R"({"type":"registerfunction","id":"x","invocation":{"url":"https://a","method":"post"}})",
      }) {
    const auto frame = parse(text);
    ASSERT_FALSE(frame) << text;
    EXPECT_EQ(frame.error().code, "malformed");
    EXPECT_FALSE(frame.error().message.empty());
  }
  EXPECT_EQ(parse("").error().code, "empty");
  EXPECT_EQ(parse(" \n\t ").error().code, "empty");
}

TEST_F(ParserTest, UnknownKeysMayRepeatAndKeysMayBeEscaped) {
  get<Ping>(R"({"zz":1,"type":"ping","zz":2})");
  get<Ping>(R"({"\u0074ype":"p\u0069ng"} )");
}

TEST_F(ParserTest, E23_NumbersFollowThePublicEngine) {
  for (const char* number : {"18446744073709551616", "123456789012345678901234567890", "1E-400",
                             "-9223372036854775809", "9007199254740993"}) {
    const auto f = get<InvokeFunction>(R"({"type":"invokefunction","function_id":"f","data":[)" +
                                       std::string(number) + "]}");
    EXPECT_EQ(f.data, "[" + std::string(number) + "]");  // E24: untouched
  }
  for (const char* bad : {"1E400", "01", "+1", "\"\\ud83d\"", "\"\\ude00\\ud83d\""}) {
    EXPECT_FALSE(
        parse(R"({"type":"invokefunction","function_id":"f","data":[)" + std::string(bad) + "]}"))
        << bad;
  }
}

TEST_F(ParserTest, E23_NestingOf127LevelsIncludingTheFrame) {
  const auto nested = [](size_t n, const char* key) {
    return R"({"type":"invokefunction","function_id":"f","data":1,")" + std::string(key) +
           "\":" + std::string(n, '[') + std::string(n, ']') + "}";
  };
  EXPECT_TRUE(parse(nested(126, "zz")));
  EXPECT_FALSE(parse(nested(127, "zz")));
  EXPECT_TRUE(parse(nested(126, "metadata")));
  EXPECT_FALSE(parse(nested(127, "metadata")));
  const auto objects = [](size_t n) {
    std::string data;
    for (size_t i = 0; i < n; ++i) data += "{\"a\":";
    return R"({"type":"invokefunction","function_id":"f","data":)" + data + "1" +
           std::string(n, '}') + "}";
  };
  EXPECT_TRUE(parse(objects(126)));  // a filled innermost container counts like an empty one
  EXPECT_FALSE(parse(objects(127)));
}

TEST_F(ParserTest, LargeFramesTakeTheSlowPathWithTheSameResult) {
  const std::string big(2 * 1024 * 1024, 'x');
  const std::string text = R"({"type":"invokefunction","function_id":"f","data":{"s":")" + big +
                           R"(","n":[1, 2]},"metadata":{"m":1}})";
  const auto f = get<InvokeFunction>(text);
  EXPECT_EQ(f.data.size(), big.size() + 19);
  EXPECT_EQ(f.metadata, R"({"m":1})");
  EXPECT_FALSE(parse(text + "x"));
}

TEST_F(ParserTest, NoticesAForgedCallerHoweverItIsSpelled) {
  const auto claims = [this](const char* data) {
    return get<InvokeFunction>(R"({"type":"invokefunction","function_id":"f","data":)" +
                               std::string(data) + "}")
        .data_claims_caller;
  };
  EXPECT_TRUE(claims(R"({"_caller_worker_id":"x"})"));
  EXPECT_TRUE(claims(R"({"a":1,"\u005fcaller_worker\u005fid":[1]})"));
  EXPECT_FALSE(claims(R"({"a":{"_caller_worker_id":"x"}})"));
  EXPECT_FALSE(claims(R"({"a":"_caller_worker_id"})"));
  EXPECT_FALSE(claims(R"([{"_caller_worker_id":"x"}])"));
}

TEST_F(ParserTest, RandomDamageNeverCrashesAndNeverInventsAFrameFromGarbage) {
  const std::string good =
      R"({"type":"invokefunction","invocation_id":"0190a5da-c967-74bb-cceb-302099a80571","function_id":"a::b","data":{"x":[1,2,{"y":"z\n"}]},"metadata":{"k":null}})";
  uint64_t seed = 42;
  for (int i = 0; i < 20'000; ++i) {
    std::string text = good;
    for (int n = 0; n < 3; ++n) {
      seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
      text[(seed >> 33) % text.size()] = static_cast<char>(seed >> 25);
    }
    const auto frame = parse(text);
    if (frame) {
      EXPECT_TRUE(json::validate(text_)) << text_;
    }
  }
}

}  // namespace
}  // namespace iii::protocol
