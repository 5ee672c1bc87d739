#include <gtest/gtest.h>

#include "bus/filter/filter.h"

namespace iii::filter {
namespace {

json::Value value(std::string_view text) { return json::parse(text).value(); }

Result<std::vector<std::string>> check(std::string_view filter, std::string_view request) {
  const json::Value schema = value(request);
  return Filter::parse(value(filter))->check_paths(&schema, nullptr);
}

TEST(SchemaPaths, WithoutASchemaNothingIsCheckedOrReported) {
  const auto filter = Filter::parse(value(R"({"input.a":{"$eq":1},"caller.b":{"$eq":1}})"));
  EXPECT_TRUE(filter->check_paths(nullptr, nullptr)->empty());
}

TEST(SchemaPaths, NamesThePathThatCannotExist) {
  const auto found = check(R"({"$or":[{"input.a.zz":{"$eq":1}}]})",
                           R"({"properties":{"a":{"additionalProperties":false}}})");
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code, "INVALID_FILTER_PATH");
  EXPECT_TRUE(found.error().message.contains("`input.a.zz`"));
}

TEST(SchemaPaths, PatternPropertiesLeaveASchemaOpen) {
  const auto found = check(R"({"input.a":{"$eq":1}})",
                           R"({"additionalProperties":false,"patternProperties":{"^a":{}}})");
  EXPECT_EQ(found.value(), std::vector<std::string>{"input.a"});
}

TEST(SchemaPaths, ReferencesInACircleEnd) {
  const auto found =
      check(R"({"input.a":{"$eq":1}})",
            R"({"$ref":"#/$defs/A","$defs":{"A":{"$ref":"#/$defs/B"},"B":{"$ref":"#/$defs/A"}}})");
  EXPECT_EQ(found.value(), std::vector<std::string>{"input.a"});
}

TEST(SchemaPaths, WhatIsNotASchemaIsUnknown) {
  EXPECT_EQ(check(R"({"input.a":{"$eq":1}})", "[1]").value().size(), 1U);
  EXPECT_EQ(check(R"({"input.a":{"$eq":1}})", R"({"anyOf":7})").value().size(), 1U);
}

}  // namespace
}  // namespace iii::filter
