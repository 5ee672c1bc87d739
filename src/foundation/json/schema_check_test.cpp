// Which values a JSON Schema allows, and what is said about those it does not.
#include "foundation/json/schema_check.h"

#include <gmock/gmock.h>

#include <string>

namespace iii::json {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Value value_of(std::string_view text) {
  auto parsed = parse(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return parsed ? std::move(*parsed) : Value();
}

std::vector<std::string> check(std::string_view schema, std::string_view value,
                               SchemaLimits limits = {}) {
  auto compiled = Schema::compile(value_of(schema), limits);
  if (!compiled) return {compiled.error().message};
  return compiled->check(value_of(value));
}

struct Row {
  std::string_view schema;
  std::string_view value;
  std::string_view violation;  // empty: valid
};

class SchemaKeyword : public testing::TestWithParam<Row> {};

TEST_P(SchemaKeyword, Decides) {
  const Row& row = GetParam();
  const auto found = check(row.schema, row.value);
  if (row.violation.empty()) {
    EXPECT_THAT(found, IsEmpty()) << row.schema << " " << row.value;
  } else {
    EXPECT_THAT(found, ElementsAre(std::string(row.violation))) << row.schema << " " << row.value;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Any, SchemaKeyword,
    testing::Values(
        Row{"true", "1", ""}, Row{"false", "1", "False schema does not allow 1"},
        Row{"{}", "null", ""}, Row{R"({"type":"integer"})", "1.0", ""},
        Row{R"({"type":"integer"})", "\"x\"", R"("x" is not of type "integer")"},
        Row{R"({"type":"integer"})", "1.5", R"(1.5 is not of type "integer")"},
        Row{R"({"type":"number"})", "1", ""}, Row{R"({"type":"boolean"})", "true", ""},
        Row{R"({"type":"object"})", "null", R"(null is not of type "object")"},
        Row{R"({"type":["string","null"]})", "null", ""},
        Row{R"({"type":["string","boolean"]})", "1", R"(1 is not of types "boolean", "string")"},
        Row{R"({"enum":[1,"a",{"b":2}]})", R"({"b":2.0})", ""},
        Row{R"({"enum":["a","b","c"]})", "\"d\"", R"("d" is not one of "a", "b" or "c")"},
        Row{R"({"const":1})", "1.0", ""}, Row{R"({"const":1})", "2", "1 was expected"},
        Row{R"({"allOf":[{"type":"string"},{"minLength":2}]})", "\"a\"",
            R"("a" is shorter than 2 characters)"},
        Row{R"({"anyOf":[{"type":"string"},{"type":"null"}]})", "1",
            "1 is not valid under any of the schemas listed in the 'anyOf' keyword"},
        Row{R"({"anyOf":[{"type":"string"},{"type":"null"}]})", "null", ""},
        Row{R"({"oneOf":[{"minimum":1},{"minimum":5}]})", "3", ""},
        Row{R"({"oneOf":[{"minimum":1},{"minimum":5}]})", "7",
            "7 is valid under more than one of the schemas listed in the 'oneOf' keyword"},
        Row{R"({"oneOf":[{"minimum":1},{"minimum":5}]})", "0",
            "0 is not valid under any of the schemas listed in the 'oneOf' keyword"},
        Row{R"({"not":{"type":"string"}})", "\"a\"", R"({"type":"string"} is not allowed for "a")"},
        Row{R"({"if":{"type":"string"},"then":{"minLength":1},"else":{"minimum":1}})", "0",
            "0 is less than the minimum of 1"},
        Row{R"({"if":{"type":"string"},"then":{"minLength":1},"else":{"minimum":1}})", "\"\"",
            R"("" is shorter than 1 character)"}));

INSTANTIATE_TEST_SUITE_P(
    NumbersAndStrings, SchemaKeyword,
    testing::Values(
        Row{R"({"minimum":1,"maximum":3})", "3", ""},
        Row{R"({"maximum":3})", "4", "4 is greater than the maximum of 3"},
        Row{R"({"maximum":9223372036854775807})", "9223372036854775808",
            "9223372036854775808 is greater than the maximum of 9223372036854775807"},
        Row{R"({"exclusiveMinimum":1})", "1", "1 is less than or equal to the minimum of 1"},
        Row{R"({"exclusiveMaximum":1})", "1", "1 is greater than or equal to the maximum of 1"},
        Row{R"({"multipleOf":0.01})", "0.07", ""}, Row{R"({"multipleOf":3})", "9", ""},
        Row{R"({"multipleOf":3})", "10", "10 is not a multiple of 3"},
        Row{R"({"minimum":5})", "\"no number\"", ""}, Row{R"({"minLength":2})", "\"éé\"", ""},
        Row{R"({"maxLength":1})", "\"ab\"", R"("ab" is longer than 1 character)"},
        Row{R"({"pattern":"^a+$"})", "\"aaa\"", ""}, Row{R"({"pattern":"b"})", "\"abc\"", ""},
        Row{R"({"pattern":"^b"})", "\"abc\"", R"("abc" does not match "^b")"}));

INSTANTIATE_TEST_SUITE_P(
    Arrays, SchemaKeyword,
    testing::Values(
        Row{R"({"items":{"type":"integer"}})", "[1,2]", ""},
        Row{R"({"items":{"type":"integer"}})", R"([1,"x"])", R"("x" is not of type "integer")"},
        Row{R"({"items":[{"type":"integer"}],"additionalItems":false})", "[1,2,3]",
            "Additional items are not allowed (2, 3 were unexpected)"},
        Row{R"({"items":[{"type":"integer"}],"additionalItems":{"type":"string"}})", R"([1,"a"])",
            ""},
        Row{R"({"prefixItems":[{"type":"integer"}],"items":{"type":"string"}})", R"([1,"a"])", ""},
        Row{R"({"prefixItems":[{"type":"integer"}],"items":{"type":"string"}})", R"(["a"])",
            R"("a" is not of type "integer")"},
        Row{R"({"minItems":2})", "[1]", "[1] has less than 2 items"},
        Row{R"({"maxItems":1})", "[1,2]", "[1,2] has more than 1 item"},
        Row{R"({"uniqueItems":true})", "[1,2,1.0]", "[1,2,1.0] has non-unique elements"},
        Row{R"({"uniqueItems":true})", R"([1,"1",[1]])", ""},
        Row{R"({"contains":{"const":2}})", "[1,2]", ""},
        Row{R"({"contains":{"const":2}})", "[1]", "None of [1] are valid under the given schema"},
        Row{R"({"contains":{"const":2},"minContains":0})", "[1]", ""},
        Row{R"({"contains":{"const":2},"maxContains":1})", "[2,2]",
            "Too many items of [2,2] are valid under the given schema"}));

INSTANTIATE_TEST_SUITE_P(
    Objects, SchemaKeyword,
    testing::Values(
        Row{R"({"properties":{"a":{"type":"string"}}})", R"({"a":"x","b":1})", ""},
        Row{R"({"required":["n"]})", "{}", R"("n" is a required property)"},
        Row{R"({"properties":{"n":{}},"additionalProperties":false})", R"({"n":1,"z":1})",
            "Additional properties are not allowed ('z' was unexpected)"},
        Row{R"({"additionalProperties":false})", R"({"y":1,"z":1})",
            "Additional properties are not allowed ('y', 'z' were unexpected)"},
        Row{R"({"patternProperties":{"^x":{"type":"string"}},"additionalProperties":false})",
            R"({"xa":"1"})", ""},
        Row{R"({"patternProperties":{"^x":{"type":"string"}}})", R"({"xa":1,"y":1})",
            R"(1 is not of type "string")"},
        Row{R"({"additionalProperties":{"type":"string"}})", R"({"a":1})",
            R"(1 is not of type "string")"},
        Row{R"({"propertyNames":{"maxLength":1}})", R"({"ab":1})",
            R"("ab" is longer than 1 character)"},
        Row{R"({"minProperties":1})", "{}", "{} has less than 1 property"},
        Row{R"({"maxProperties":0})", R"({"a":1})", R"({"a":1} has more than 0 properties)"},
        Row{R"({"dependentRequired":{"a":["b"]}})", R"({"a":1})", R"("b" is a required property)"},
        Row{R"({"dependencies":{"a":{"required":["b"]}}})", R"({"a":1})",
            R"("b" is a required property)"},
        Row{R"({"dependentSchemas":{"a":{"required":["b"]}}})", R"({"c":1})", ""}));

INSTANTIATE_TEST_SUITE_P(
    References, SchemaKeyword,
    testing::Values(Row{R"({"$ref":"#/definitions/n","definitions":{"n":{"type":"integer"}}})",
                        "\"x\"", R"("x" is not of type "integer")"},
                    Row{R"({"$ref":"#/$defs/a~1b","$defs":{"a/b":{"type":"integer"}}})", "1", ""},
                    Row{R"({"$ref":"#/%24defs/n","$defs":{"n":{"type":"integer"}}})", "1", ""},
                    Row{R"({"properties":{"child":{"$ref":"#"}},"required":["id"]})",
                        R"({"id":1,"child":{"id":2,"child":{}}})",
                        R"("id" is a required property)"},
                    Row{R"({"anyOf":[{"$ref":"#/anyOf/1"},{"type":"string"}]})", "\"a\"", ""}));

TEST(Schema, ReportsViolationsInTheOrderOfKeywords) {
  const std::string_view schema =
      R"({"type":"object","properties":{"n":{"type":"integer"},"s":{"type":"string"}},)"
      R"("required":["n"],"additionalProperties":false})";
  EXPECT_THAT(check(schema, R"({"s":5})"),
              ElementsAre(R"(5 is not of type "string")", R"("n" is a required property)"));
  EXPECT_THAT(check(schema, R"({"a":1,"s":5})"),
              ElementsAre(R"(5 is not of type "string")",
                          "Additional properties are not allowed ('a' was unexpected)",
                          R"("n" is a required property)"));
}

struct BadSchema {
  std::string_view schema;
  std::string_view problem;
};

class InvalidSchema : public testing::TestWithParam<BadSchema> {};

TEST_P(InvalidSchema, IsExplained) {
  const auto compiled = Schema::compile(value_of(GetParam().schema));
  ASSERT_FALSE(compiled) << GetParam().schema;
  EXPECT_EQ(compiled.error().message, "invalid JSON Schema: " + std::string(GetParam().problem));
}

INSTANTIATE_TEST_SUITE_P(
    All, InvalidSchema,
    testing::Values(
        BadSchema{"null", R"(null is not of types "boolean", "object")"},
        BadSchema{R"({"properties":{"a":5}})", R"(5 is not of types "boolean", "object")"},
        BadSchema{R"({"type":"nope"})",
                  R"("nope" is not valid under any of the schemas listed in the 'anyOf' keyword)"},
        BadSchema{R"({"type":[]})",
                  R"([] is not valid under any of the schemas listed in the 'anyOf' keyword)"},
        BadSchema{R"({"required":"a"})", R"("a" is not of type "array")"},
        BadSchema{R"({"required":["a","a"]})", R"(["a","a"] has non-unique elements)"},
        BadSchema{R"({"minLength":-1})", "-1 is less than the minimum of 0"},
        BadSchema{R"({"minimum":"1"})", R"("1" is not of type "number")"},
        BadSchema{R"({"multipleOf":0})", "0 is less than or equal to the minimum of 0"},
        BadSchema{R"({"allOf":[]})", "[] has less than 1 item"},
        BadSchema{R"({"pattern":"("})", R"("(" is not a "regex")"},
        BadSchema{R"({"patternProperties":{"[":{}}})", R"("[" is not a "regex")"},
        BadSchema{R"({"enum":1})", R"(1 is not of type "array")"},
        BadSchema{R"({"uniqueItems":1})", R"(1 is not of type "boolean")"},
        BadSchema{R"({"dependencies":{"a":[1]}})", R"(1 is not of type "string")"},
        BadSchema{
            R"({"$ref":"#/$defs/x"})",
            R"("#/$defs/x" is not found in the schema (only references within it are followed))"},
        BadSchema{R"({"$ref":"#/x","x":3})", R"(3 is not of types "boolean", "object")"}));

TEST(Schema, GivesUpOnReferencesThatNeverEnd) {
  EXPECT_THAT(check(R"({"$ref":"#"})", "1"), ElementsAre(HasSubstr("given up")));
  EXPECT_THAT(check(R"({"allOf":[{"$ref":"#"},{"$ref":"#"}]})", "1"),
              ElementsAre(HasSubstr("given up")));
}

TEST(Schema, DepthAtTheLimitIsChecked) {
  SchemaLimits limits;
  limits.max_depth = 3;
  EXPECT_THAT(check(R"({"items":{"items":{"items":{"type":"string"}}}})", R"([[["a"]]])", limits),
              IsEmpty());
  EXPECT_THAT(check(R"({"items":{"items":{"items":{"items":true}}}})", R"([[[["a"]]]])", limits),
              ElementsAre(HasSubstr("given up")));
}

TEST(Schema, StepsAtTheLimitAreAllowed) {
  SchemaLimits limits;
  limits.max_steps = 4;  // the array and its three elements
  EXPECT_THAT(check(R"({"items":{}})", "[1,2,3]", limits), IsEmpty());
  EXPECT_THAT(check(R"({"items":{}})", "[1,2,3,4]", limits), ElementsAre(HasSubstr("given up")));
}

TEST(Schema, StopsAtTheLimitOfViolations) {
  SchemaLimits limits;
  limits.max_violations = 2;
  EXPECT_THAT(check(R"({"items":false})", "[1,2,3]", limits), SizeIs(2));
}

TEST(Schema, CutsLongValuesInMessages) {
  SchemaLimits limits;
  limits.max_text = 10;
  EXPECT_THAT(check(R"({"type":"integer"})", "\"" + std::string(100, 'x') + "\"", limits),
              ElementsAre(R"("xxxxxxxxx… is not of type "integer")"));
}

TEST(Schema, PatternsTakeLinearTime) {
  const std::string text = "\"" + std::string(100'000, 'a') + "b\"";
  EXPECT_THAT(check(R"({"pattern":"^(a+)+$"})", text), SizeIs(1));
}

}  // namespace
}  // namespace iii::json
