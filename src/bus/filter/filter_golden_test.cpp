// Every recorded answer of the published evaluator (tests/data/observe-filters.jsonl).
#include <fstream>

#include <gtest/gtest.h>

#include "bus/filter/filter.h"
#include "foundation/json/write.h"

namespace iii::filter {
namespace {

std::vector<json::Value> vectors() {
  std::ifstream file(std::string(III_TEST_DATA) + "/observe-filters.jsonl");
  std::vector<json::Value> all;
  for (std::string line; std::getline(file, line);) {
    auto value = json::parse(line);
    EXPECT_TRUE(value.has_value()) << line;
    if (value) all.push_back(std::move(*value));
  }
  return all;
}

Document document(const json::Value& value) {
  Document made;
  for (size_t i = 0; i < kPartCount; ++i) {
    made.parts[i] = value.find(part_name(static_cast<Part>(i)));
  }
  return made;
}

void check_schema(const json::Value& row, const Filter& filter) {
  const json::Value* expected = row.find("schema");
  if (expected == nullptr) return;
  const auto found = filter.check_paths(row.find("request_format"), row.find("response_format"));
  if (const json::Value* error = expected->find("error")) {
    ASSERT_FALSE(found.has_value());
    EXPECT_EQ(found.error().code, *error->as_string());
  } else {
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->size(), static_cast<size_t>(*expected->find("warnings")->as_int()));
  }
}

void check_row(const json::Value& row) {
  const auto filter = Filter::parse(*row.find("filters"));
  if (const json::Value* error = row.find("error")) {
    ASSERT_FALSE(filter.has_value());
    EXPECT_EQ(filter.error().code, *error->as_string());
    return;
  }
  ASSERT_TRUE(filter.has_value()) << filter.error().message;
  EXPECT_EQ(json::to_text(filter->normal_form()), json::to_text(*row.find("normalized")));
  const auto again = Filter::parse(filter->normal_form());
  const json::Value* documents = row.find("docs");
  for (size_t i = 0; documents != nullptr && i < documents->as_array()->size(); ++i) {
    const json::Value& one = (*documents->as_array())[i];
    const bool expected = *(*row.find("expect")->as_array())[i].as_bool();
    EXPECT_EQ(filter->matches(document(one)), expected) << json::to_text(one);
    if (again) EXPECT_EQ(again->matches(document(one)), expected) << json::to_text(one);
  }
  check_schema(row, *filter);
}

TEST(FilterGolden, AgreesWithThePublishedEvaluator) {
  const auto rows = vectors();
  ASSERT_EQ(rows.size(), 337U);
  for (const json::Value& row : rows) {
    SCOPED_TRACE(json::to_text(*row.find("filters")).substr(0, 400));
    check_row(row);
  }
}

}  // namespace
}  // namespace iii::filter
