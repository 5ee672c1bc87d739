#include "json/describe.h"

#include <gtest/gtest.h>

namespace iii::json {
namespace {

enum class Direction { kRead, kWrite };
struct Inner {
  std::string id;
  Direction direction = Direction::kRead;
};
struct Sample {
  std::string name;
  std::optional<uint32_t> pid;
  std::vector<std::string> tags;
  int64_t limit = 10;
  Raw data;
  std::optional<Inner> inner;
};

auto describe(Type<Direction>) {
  return enumeration<Direction>("Direction",
                                {{Direction::kRead, "read"}, {Direction::kWrite, "write"}});
}
auto describe(Type<Inner>) {
  return object<Inner>("Inner", "", field("id", &Inner::id, "An id."),
                       field("direction", &Inner::direction, "Which way."));
}
auto describe(Type<Sample>) {
  return object<Sample>("SampleInput", "A sample.", field("name", &Sample::name, "Who."),
                        field("pid", &Sample::pid, "Process."),
                        field("tags", &Sample::tags, "Words.").optional(),
                        field("limit", &Sample::limit, "Most.").optional().range(1, 100),
                        field("data", &Sample::data, "Anything.").optional(),
                        field("inner", &Sample::inner, "More."));
}

std::string problem_with(std::string_view text) {
  const auto result = decode<Sample>(text);
  return result ? "none" : result.error().message;
}

TEST(Decode, ReadsWhatTheDescriptionSays) {
  const auto s = decode<Sample>(
      R"({"name":"a\n","pid":7,"tags":["x"],"limit":5,"data": {"b": 1.10} ,"inner":{"id":"i","direction":"write"},"extra":1})");
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_EQ(s->name, "a\n");
  EXPECT_EQ(s->pid, 7U);
  EXPECT_EQ(s->data.text, "{\"b\": 1.10}");  // carried untouched
  EXPECT_EQ(s->inner->direction, Direction::kWrite);
}

TEST(Decode, AbsentAndNullAreTheSameForOptionalFields) {
  const auto s = decode<Sample>(R"({"name":"a","pid":null,"limit":null,"inner":null})");
  ASSERT_TRUE(s);
  EXPECT_FALSE(s->pid);
  EXPECT_EQ(s->limit, 10);
}

TEST(Decode, SaysWhatIsWrongInTheWordsOfThePublicEngine) {
  EXPECT_EQ(problem_with("null"), "invalid type: null, expected struct SampleInput");
  EXPECT_EQ(problem_with("\"x\""), "invalid type: string \"x\", expected struct SampleInput");
  EXPECT_EQ(problem_with("{}"), "missing field `name`");
  EXPECT_EQ(problem_with(R"({"name":5})"), "invalid type: integer `5`, expected a string");
  EXPECT_EQ(problem_with(R"({"name":"a","pid":-1})"), "invalid value: integer `-1`, expected u32");
  EXPECT_EQ(problem_with(R"({"name":"a","pid":1.5})"),
            "invalid type: floating point `1.5`, expected u32");
  EXPECT_EQ(problem_with(R"({"name":"a","tags":"x"})"),
            "invalid type: string \"x\", expected a sequence");
  EXPECT_EQ(problem_with(R"({"name":"a","inner":{"id":"i","direction":"up"}})"),
            "unknown variant `up`, expected one of `read`, `write`");
  EXPECT_EQ(problem_with(R"({"name":"a","limit":0})"), "limit: must be from 1 to 100, not 0");
}

TEST(Encode, LeavesOutWhatIsAbsentAndRoundTrips) {
  Sample s;
  s.name = "é\"";
  s.inner = Inner{"i", Direction::kWrite};
  const std::string text = encode(s);
  EXPECT_EQ(
      text,
      R"({"name":"é\"","tags":[],"limit":10,"data":null,"inner":{"id":"i","direction":"write"}})");
  const auto back = decode<Sample>(text);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->inner->id, "i");
}

TEST(Schema, IsDraft07WithDefinitions) {
  const Value s = schema<Sample>();
  EXPECT_EQ(*s.find("$schema")->as_string(), "http://json-schema.org/draft-07/schema#");
  EXPECT_EQ(to_text(*s.find("required")), R"(["name"])");
  const Value* properties = s.find("properties");
  EXPECT_EQ(
      to_text(*properties->find("pid")),
      R"({"description":"Process.","format":"uint32","minimum":0,"type":["integer","null"]})");
  EXPECT_EQ(
      to_text(*properties->find("limit")),
      R"({"default":10,"description":"Most.","format":"int64","maximum":100,"minimum":1,"type":"integer"})");
  EXPECT_EQ(to_text(*properties->find("inner")),
            R"({"anyOf":[{"$ref":"#/definitions/Inner"},{"type":"null"}],"description":"More."})");
  EXPECT_EQ(to_text(*s.find("definitions")->find("Direction")),
            R"({"enum":["read","write"],"type":"string"})");
}

}  // namespace
}  // namespace iii::json
