// `${NAME:default}` in configuration values, and the types the results take.
#include "bus/engine/configuration/expand.h"

#include <gmock/gmock.h>

#include "foundation/json/write.h"
#include "foundation/json/yaml.h"

namespace iii::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::optional<std::string> environment(const std::string& name) {
  if (name == "PORT") return "8080";
  if (name == "EMPTY") return "";
  if (name == "WORD") return "hello";
  return std::nullopt;
}

std::string expanded(std::string_view text) {
  auto result = expand(json::Value(text), environment);
  return result ? json::to_text(result->value) : result.error().code;
}

struct Row {
  std::string_view text;
  std::string_view result;  // JSON
};

class Placeholders : public testing::TestWithParam<Row> {};

TEST_P(Placeholders, ExpandAsRecorded) { EXPECT_EQ(expanded(GetParam().text), GetParam().result); }

INSTANTIATE_TEST_SUITE_P(
    All, Placeholders,
    testing::Values(Row{"${X:80}", "80"}, Row{"${X:true}", "true"}, Row{"${X:null}", "null"},
                    Row{"${X:}", R"("")"}, Row{"${X:a b}", R"("a b")"},
                    Row{"x-${X:80}-y", R"("x-80-y")"}, Row{"${X:1.5}", "1.5"},
                    Row{"${X:[1, 2]}", "[1,2]"}, Row{"${X:1}${X:2}", R"("12")"},
                    Row{"${X:a:b}", R"("a:b")"}, Row{"${X:~}", "null"}, Row{"$HOME", R"("$HOME")"},
                    Row{"${X", R"("${X")"}, Row{"${}", R"("${}")"}, Row{"${:5}", R"("${:5}")"},
                    Row{R"(${X:"5"})", R"("5")"}, Row{"${X:0x10}", "16"},
                    Row{"${X:yes}", R"("yes")"}, Row{"${X:2020-01-01}", R"("2020-01-01")"},
                    Row{"${ X : 5 }", "5"}, Row{"${PORT}", "8080"}, Row{"${PORT:1}", "8080"},
                    Row{"${EMPTY:1}", R"("")"}, Row{"<${EMPTY:1}>", R"("<>")"},
                    Row{"${WORD}:${PORT}", R"("hello:8080")"}, Row{"a ${X} b", R"("a ${X} b")"},
                    Row{"${X}", R"("${X}")"}, Row{"${} ${PORT}", R"("${} 8080")"},
                    Row{"${X:[1, 2}", R"("[1, 2")"}, Row{"${X:a: b}", R"({"a":"b"})"},
                    Row{R"(${X:{"a":1}})", R"("{\"a\":1}")"}));

// By construction every byte is looked at a fixed number of times; a quadratic expander would take
// minutes for this, and the test would be stopped.
TEST(Expand, TimeIsLinearInTheText) {
  constexpr size_t kTimes = 700'000;
  std::string nameless;
  std::string open;
  std::string unset;
  for (size_t i = 0; i < kTimes; ++i) {
    nameless += "${:";
    open += "${X";
    unset += "${}";
  }
  for (const std::string& text : {nameless, nameless + "}", open, unset, unset + "${PORT}"}) {
    const auto result = expand(json::Value(text), environment);
    ASSERT_TRUE(result);
    EXPECT_GE(result->value.as_string()->size(), text.size() - 3);
  }
  EXPECT_TRUE(expand(json::Value(open + "}"), environment));
}

TEST(AllowedEnvironment, OnlyVariablesOnTheListAreSet) {
  ::setenv("III_TEST_SECRET", "secret", 1);
  ::setenv("III_TEST_OPEN_A", "a", 1);
  ::setenv("III_TEST_OPEN_B", "b", 1);
  const json::Value value("${III_TEST_SECRET:-} ${III_TEST_OPEN_A:-} ${III_TEST_OPEN_B:-}");
  const auto shown = [&value](std::vector<std::string> names) {
    return json::to_text(expand(value, allowed_environment(std::move(names)))->value);
  };
  EXPECT_EQ(shown({}), R"("- - -")");
  EXPECT_EQ(shown({"III_TEST_OPEN_A"}), R"("- a -")");
  EXPECT_EQ(shown({"III_TEST_OPEN_*"}), R"("- a b")");
  EXPECT_EQ(shown({"III_TEST_OPEN"}), R"("- - -")");
  EXPECT_THAT(expand(json::Value("${III_TEST_SECRET}"), allowed_environment({}))->unset,
              ElementsAre("III_TEST_SECRET"));
  for (const char* name : {"III_TEST_SECRET", "III_TEST_OPEN_A", "III_TEST_OPEN_B"})
    ::unsetenv(name);
}

TEST(Expand, KeysAreLeftAlone) {
  const json::Value value = json::parse(R"({"${K:key}":["${X:1}",{"k":"${X:~}"}],"n":5})").value();
  EXPECT_EQ(json::to_text(expand(value, environment)->value),
            R"({"${K:key}":[1,{"k":null}],"n":5})");
}

TEST(Expand, NamesOfUnsetVariablesAreToldOnce) {
  const json::Value value = json::parse(R"({"a":"${Y}","b":["${X} ${Y}"],"c":"${PORT}"})").value();
  EXPECT_THAT(expand(value, environment)->unset, ElementsAre("Y", "X"));
  EXPECT_THAT(expand(json::Value("${X:1}"), environment)->unset, IsEmpty());
}

TEST(Expand, InsertedTextIsBounded) {
  const std::string half(kMaxExpandedBytes / 2, 'x');
  const auto large = [&half](const std::string&) { return std::optional(half); };
  EXPECT_TRUE(expand(json::Value("${A}${A}"), large));
  const auto refused = expand(json::Value("${A}${A}${A}"), large);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "EXPAND_FAILED");
  // Beyond the limit nothing more is looked up.
  size_t lookups = 0;
  const auto counting = [&half, &lookups](const std::string&) {
    ++lookups;
    return std::optional(half);
  };
  const json::Value many = json::Array(1'000, json::Value("${A} and ${A}"));
  EXPECT_FALSE(expand(many, counting));
  EXPECT_LT(lookups, 10U);
}

class PlainScalars : public testing::TestWithParam<Row> {};

TEST_P(PlainScalars, HaveTheTypesOfYaml12) {
  EXPECT_EQ(json::to_text(json::plain_yaml_scalar(GetParam().text)), GetParam().result);
}

INSTANTIATE_TEST_SUITE_P(
    All, PlainScalars,
    testing::Values(Row{"NULL", "null"}, Row{"nULL", R"("nULL")"}, Row{"TRUE", "true"},
                    Row{"False", "false"}, Row{"off", R"("off")"}, Row{"-5", "-5"}, Row{"+5", "5"},
                    Row{"0", "0"}, Row{"007", R"("007")"}, Row{"-0x1F", "-31"}, Row{"0o17", "15"},
                    Row{"0b101", "5"}, Row{"0xg", R"("0xg")"}, Row{"1_000", R"("1_000")"},
                    Row{"1e3", "1000.0"}, Row{"-1.5", "-1.5"}, Row{"+1.5", "1.5"}, Row{".5", "0.5"},
                    Row{"5.", "5.0"}, Row{".", R"(".")"}, Row{"e5", R"("e5")"},
                    Row{".inf", R"(".inf")"}, Row{".nan", R"(".nan")"}, Row{"inf", R"("inf")"},
                    Row{"nan", R"("nan")"}, Row{"1e999", R"("1e999")"}, Row{"1.2.3", R"("1.2.3")"},
                    Row{"9223372036854775808", "9223372036854775808"},
                    Row{"-9223372036854775808", "-9223372036854775808"},
                    Row{"99999999999999999999", "1e+20"}, Row{"12:30", R"("12:30")"}));

TEST(Yaml, ReadsNestedText) {
  EXPECT_EQ(json::to_text(*json::parse_yaml("{a: [1, 'two', {b: ~}]}")),
            R"({"a":[1,"two",{"b":null}]})");
}

TEST(Yaml, OnlyTheTagForStringsIsTaken) {
  EXPECT_EQ(json::to_text(*json::parse_yaml("!!str 5")), R"("5")");
  EXPECT_FALSE(json::parse_yaml("!word"));
  EXPECT_FALSE(json::parse_yaml("!!int 5"));
}

TEST(Yaml, RefusesWhatIsNotOnePlainDocument) {
  EXPECT_FALSE(json::parse_yaml("[1, 2"));
  EXPECT_FALSE(json::parse_yaml("a\n---\nb"));
  EXPECT_FALSE(json::parse_yaml("[&a 1, *a]"));
  EXPECT_FALSE(json::parse_yaml("{a: 1, a: 2}"));
  EXPECT_FALSE(json::parse_yaml("{[1]: 2}"));
  EXPECT_FALSE(json::parse_yaml("\"open"));
  EXPECT_FALSE(json::parse_yaml("\xff"));
}

TEST(Yaml, DepthAtTheLimit) {
  const auto nested = [](size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_TRUE(json::parse_yaml(nested(json::kMaxYamlDepth)));
  EXPECT_FALSE(json::parse_yaml(nested(json::kMaxYamlDepth + 1)));
  EXPECT_FALSE(json::parse_yaml(nested(json::kMaxYamlBytes / 2)));
}

TEST(Yaml, BytesAtTheLimit) {
  EXPECT_TRUE(json::parse_yaml(std::string(json::kMaxYamlBytes, 'x')));
  EXPECT_FALSE(json::parse_yaml(std::string(json::kMaxYamlBytes + 1, 'x')));
}

}  // namespace
}  // namespace iii::engine
