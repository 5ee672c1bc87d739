#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "foundation/json/value.h"
#include "foundation/json/write.h"

namespace iii::json {
namespace {

std::string round_trip(std::string_view text) {
  const auto value = parse(text);
  return value ? to_text(*value) : "error";
}

TEST(Parse, KeepsIntegersExactAndDoublesDoubles) {
  EXPECT_EQ(round_trip("[9007199254740993,18446744073709551615,-9223372036854775808]"),
            "[9007199254740993,18446744073709551615,-9223372036854775808]");
  EXPECT_EQ(round_trip("[1.0,1e2,0.1,-0,1E-400]"), "[1.0,100.0,0.1,-0.0,0.0]");
  EXPECT_EQ(round_trip("18446744073709551616"), "18446744073709551616.0");
}

TEST(Parse, RefusesWhatThePublicEngineRefuses) {
  for (const char* text : {"",
                           "01",
                           "+1",
                           ".5",
                           "5.",
                           "[1,]",
                           "{\"a\":1,}",
                           "NaN",
                           "1E400",
                           "\"\\ud83d\"",
                           "\"\\ude00\\ud83d\"",
                           "\"\\ud83dx\"",
                           "\"\x01\"",
                           "\"a\nb\"",
                           "[1,\f2]",
                           "True",
                           "{'a':1}",
                           "\"\\x41\"",
                           "\"\\u12\"",
                           "{}{}",
                           "\xff",
                           "[1 2]",
                           "{\"a\" 1}",
                           "\"open",
                           "nul"}) {
    EXPECT_FALSE(parse(text)) << text;
    EXPECT_FALSE(validate(text)) << text;
  }
}

TEST(Parse, LastOfRepeatedKeysStays) {
  EXPECT_EQ(round_trip("{\"a\":1,\"b\":2,\"a\":3}"), "{\"a\":3,\"b\":2}");
}

TEST(Parse, ResolvesEscapesAndWritesOnlyNecessaryOnes) {
  EXPECT_EQ(round_trip(R"(["\u0041\u00e9\/\b\f\n\r\t\"\\\ud83d\ude00\u007f"])"),
            "[\"Aé/\\b\\f\\n\\r\\t\\\"\\\\😀\x7f\"]");
}

TEST(Parse, DepthLimitIsInclusive) {
  const auto nest = [](size_t n) { return std::string(n, '[') + std::string(n, ']'); };
  EXPECT_TRUE(parse(nest(127)));
  EXPECT_TRUE(validate(nest(127)));
  EXPECT_FALSE(parse(nest(128)));
  EXPECT_FALSE(validate(nest(128)));
  EXPECT_FALSE(parse(std::string(1'000'000, '[')));
}

TEST(Parse, EveryDoubleReadsBackExactly) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const double d = std::bit_cast<double>(random());
    if (d != d || d - d != 0) continue;
    std::string text;
    append_number(text, d);
    const auto value = parse(text);
    ASSERT_TRUE(value && value->as_double() != nullptr) << text;
    EXPECT_EQ(*value->as_double(), d) << text;
  }
}

TEST(Write, CompactRemovesOnlyWhiteSpaceBetweenTokens) {
  EXPECT_EQ(compact("{ \"a b\" : [ 1 ,\n\"x \\\" y\" ] }"), "{\"a b\":[1,\"x \\\" y\"]}");
}

TEST(Write, PrettyIndentsByTwoSpaces) {
  EXPECT_EQ(to_pretty_text(*parse("{\"b\":[1,{}],\"a\":[]}")),
            "{\n  \"a\": [],\n  \"b\": [\n    1,\n    {}\n  ]\n}");
}

}  // namespace
}  // namespace iii::json
