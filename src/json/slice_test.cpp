#include "json/slice.h"

#include <gtest/gtest.h>

#include <vector>

namespace iii::json {
namespace {

TEST(Walker, GivesMembersInTextOrder) {
  Walker walker(R"({ "a" : {"x":[1,"}"]} , "b\"":"v,]" ,"c":-1.5e3})");
  std::vector<std::pair<std::string, std::string>> seen;
  Slice key;
  Slice value;
  while (walker.next(key, value)) seen.emplace_back(string_of(key), value);
  EXPECT_EQ(seen, (std::vector<std::pair<std::string, std::string>>{
                      {"a", R"({"x":[1,"}"]})"}, {"b\"", "\"v,]\""}, {"c", "-1.5e3"}}));
}

TEST(Walker, HandlesEmptyContainersAndArrays) {
  Slice key;
  Slice value;
  EXPECT_FALSE(Walker("{ }").next(key, value));
  EXPECT_FALSE(Walker("[]").next(key, value));
  Walker walker("[ 1 , [2] ]");
  ASSERT_TRUE(walker.next(key, value));
  EXPECT_EQ(value, "1");
  ASSERT_TRUE(walker.next(key, value));
  EXPECT_EQ(value, "[2]");
  EXPECT_FALSE(walker.next(key, value));
}

TEST(Slice, MemberFindsEscapedKeysAndTheLastOfTwins) {
  EXPECT_EQ(member(R"({"\u0061":1,"b":2})", "a"), "1");
  EXPECT_EQ(member(R"({"a":1,"a":2})", "a"), "2");
  EXPECT_FALSE(member(R"({"a":1})", "b"));
}

TEST(Slice, KindsTellIntegersFromFloats) {
  EXPECT_EQ(kind_of("12"), Kind::kInteger);
  EXPECT_EQ(kind_of("-0"), Kind::kFloat);
  EXPECT_EQ(kind_of("1e2"), Kind::kFloat);
  EXPECT_EQ(kind_of("\"x\""), Kind::kString);
}

}  // namespace
}  // namespace iii::json
