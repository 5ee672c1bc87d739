#include "bus/filter/filter.h"

#include <gtest/gtest.h>

#include "foundation/json/write.h"

namespace iii::filter {
namespace {

json::Value value(std::string_view text) {
  auto parsed = json::parse(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return parsed ? std::move(*parsed) : json::Value{};
}

Result<Filter> parse(std::string_view text) { return Filter::parse(value(text)); }

std::string message_of(std::string_view text) {
  const auto filter = parse(text);
  if (filter) return "(accepted)";
  EXPECT_EQ(filter.error().code, "INVALID_FILTER");
  return filter.error().message;
}

bool accepts(const std::string& text) { return parse(text).has_value(); }

std::string repeated(std::string_view text, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

TEST(Filter, WithoutClausesMatchesEverything) {
  const Filter none;
  EXPECT_TRUE(none.matches({}));
  EXPECT_TRUE(none.matches_all());
  EXPECT_EQ(json::to_text(none.normal_form()), "{}");
  EXPECT_TRUE(parse(R"({"$and":[{},{}]})")->matches_all());
}

TEST(Filter, SaysWhichPartsItLooksAt) {
  const auto filter = parse(R"({"input.a":{"$eq":1},"$not":{"caller":{"$exists":true}}})");
  EXPECT_EQ(filter->parts(), bit(Part::kInput) | bit(Part::kCaller));
  EXPECT_EQ(filter->scans(), 0U);
  EXPECT_EQ(parse(R"({"input":{"$any":{"$eq":1,"$ne":2}}})")->scans(), 3U);
}

TEST(Filter, ErrorsSayWhatIsWrong) {
  EXPECT_TRUE(message_of(R"({"input.op":"x"})").contains("takes an object of operators"));
  EXPECT_TRUE(message_of(R"({"input":{"$regex":"x"}})").contains("`$regex` is not an operator"));
  EXPECT_TRUE(message_of(R"({"foo":{"$eq":1}})").contains("must begin with `input`"));
  EXPECT_TRUE(message_of(R"({"input":{"$any":{"input":{"$eq":1}}}})").contains("begin with `@`"));
  EXPECT_TRUE(message_of(R"({"$eq":1})").contains("needs a path"));
  EXPECT_TRUE(message_of(R"({"$nor":[{}]})").contains("is not `$and`"));
  EXPECT_TRUE(message_of(R"({"input.a\\n":{"$eq":1}})").contains("escapes nothing"));
  EXPECT_TRUE(message_of("[]").contains("must be an object"));
}

TEST(FilterLimits, Bytes) {
  const std::string frame = R"({"input":{"$eq":""}})";
  const auto with = [&](size_t bytes) {
    return R"({"input":{"$eq":")" + std::string(bytes - frame.size(), 'x') + "\"}}";
  };
  EXPECT_TRUE(accepts(with(kMaxBytes)));
  EXPECT_FALSE(accepts(with(kMaxBytes + 1)));
}

TEST(FilterLimits, Levels) {
  const auto with = [](size_t nots) {
    return repeated("{\"$not\":", nots) + R"({"input":{"$eq":1}})" + std::string(nots, '}');
  };
  EXPECT_TRUE(accepts(with(kMaxLevels - 1)));
  EXPECT_FALSE(accepts(with(kMaxLevels)));
  // `$and` opens none.
  EXPECT_TRUE(accepts(repeated("{\"$and\":[", 20) + "{}" + repeated("]}", 20)));
}

TEST(FilterLimits, Nodes) {
  const auto with = [](size_t count) {
    return "{\"$and\":[" + repeated(R"({"input":{"$eq":1}},)", count - 1) +
           R"({"input":{"$eq":1}}]})";
  };
  EXPECT_TRUE(accepts(with(kMaxNodes)));
  EXPECT_FALSE(accepts(with(kMaxNodes + 1)));
}

TEST(FilterLimits, Segments) {
  const auto with = [](size_t count) {
    return "{\"input" + repeated(".a", count) + R"(":{"$eq":1}})";
  };
  EXPECT_TRUE(accepts(with(kMaxSegments)));
  EXPECT_FALSE(accepts(with(kMaxSegments + 1)));
}

TEST(FilterLimits, SetItems) {
  const auto with = [](size_t count) {
    return R"({"input":{"$in":[)" + repeated("1,", count - 1) + "1]}}";
  };
  EXPECT_TRUE(accepts(with(kMaxSetItems)));
  EXPECT_FALSE(accepts(with(kMaxSetItems + 1)));
}

TEST(FilterLimits, DepthOfLiterals) {
  const auto with = [](size_t depth) {
    return R"({"input":{"$eq":)" + std::string(depth, '[') + std::string(depth, ']') + "}}";
  };
  EXPECT_TRUE(accepts(with(kMaxLiteralDepth)));
  EXPECT_FALSE(accepts(with(kMaxLiteralDepth + 1)));
}

TEST(FilterLimits, DepthOfTheWholeFilter) {
  const auto with = [](size_t ands) {  // each is an object and an array; the innermost is an object
    return repeated("{\"$and\":[", ands) + "{}" + repeated("]}", ands);
  };
  EXPECT_TRUE(accepts(with(kMaxDepth / 2 - 1)));
  EXPECT_TRUE(message_of(with(kMaxDepth / 2)).contains("levels of JSON"));
}

TEST(FilterLimits, Numbers) {
  EXPECT_TRUE(accepts(R"({"input":{"$gt":9007199254740992}})"));
  EXPECT_TRUE(accepts(R"({"input":{"$gt":-9007199254740992}})"));
  EXPECT_FALSE(accepts(R"({"input":{"$gt":9007199254740993}})"));
  EXPECT_FALSE(accepts(R"({"input":{"$eq":{"a":[-9007199254740993]}}})"));
  EXPECT_FALSE(accepts(R"({"input":{"$in":[18446744073709551615]}})"));
}

TEST(FilterEqual, ComparesNumbersAsDoublesAndIgnoresKeyOrder) {
  EXPECT_TRUE(equal(value(R"({"a":1,"b":[2.0]})"), value(R"({"b":[2],"a":1.0})")));
  EXPECT_FALSE(equal(value("[1,2]"), value("[2,1]")));
  EXPECT_FALSE(equal(value("1"), value("true")));
  EXPECT_TRUE(equal(value("-0.0"), value("0")));
}

}  // namespace
}  // namespace iii::filter
