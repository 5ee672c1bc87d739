#include "foundation/json/slice.h"

#include <gtest/gtest.h>

#include <string>
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

// Every shape of text at every place in a block of 64 bytes.
TEST(Walker, SkipsValuesAcrossBlocks) {
  const std::vector<std::string> values = {
      R"("")",
      R"("\\")",
      R"("a\"")",
      R"("\"]}")",
      R"("]}{[")",
      "\"" + std::string(62, '\\') + "\\\",]\"",
      "\"\\\"" + std::string(200, 'x') + "\\\"\"",
      R"({"k":["}",{"\"":"\\"}]})",
      R"([[[[]]]])",
      "[" + std::string(200, ' ') + "]",
      "[\"" + std::string(62, '\\') + "\\\",]\"]",
      "[\"" + std::string(128, '\\') + "\"]",
      R"([{"a":{"b":[1,2,{"c":"]"}]}},{"a":{"b":[1,2,{"c":"]"}]}},{"a":{"b":[1,2,{"c":"]"}]}}])"};
  for (size_t before = 0; before < 130; ++before) {
    for (const std::string& value : values) {
      const std::string text = "[\"" + std::string(before, 'x') + "\"," + value + ",7]";
      Walker walker(text);
      Slice key;
      Slice found;
      ASSERT_TRUE(walker.next(key, found));
      ASSERT_TRUE(walker.next(key, found));
      EXPECT_EQ(found, value) << text;
      ASSERT_TRUE(walker.next(key, found)) << text;
      EXPECT_EQ(found, "7") << text;
      // The same from a block that starts with the outer container.
      const std::string outer = "{\"x\":" + text + ",\"y\":1}";
      EXPECT_EQ(member(outer, "x"), text);
      EXPECT_EQ(member(outer, "y"), "1");
    }
  }
}

TEST(Walker, StaysInsideTextThatIsNotJson) {
  for (const std::string_view text :
       {"[", "[[", "{\"", "[\"\\", "[]]", "{\"a\":[}", "[\"a\\\"", "]", ""}) {
    Walker walker(text);
    Slice key;
    Slice value;
    size_t steps = 0;
    while (walker.next(key, value)) ASSERT_LT(++steps, 10U) << text;
  }
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
