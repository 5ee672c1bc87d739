#include "foundation/json/yaml.h"

#include <gtest/gtest.h>

#include "foundation/json/write.h"

namespace iii::json {
namespace {

using Members = std::vector<std::pair<std::string, Value>>;

TEST(YamlWrite, KeepsTheOrderGivenAndSortsWhatIsNested) {
  const Members members{{"name", "send"}, {"args", Object{{"b", 1}, {"a", Array{"x", true}}}}};
  EXPECT_EQ(write_yaml(members), "name: send\nargs:\n  a:\n  - x\n  - true\n  b: 1\n");
}

TEST(YamlWrite, QuotesTextThatWouldBeReadAsSomethingElse) {
  const Members members{{"number", "5"},   {"truth", "true"},     {"nothing", ""},
                        {"colon", "a: b"}, {"lines", "one\ntwo"}, {"none", Object{}}};
  EXPECT_EQ(write_yaml(members),
            "number: '5'\ntruth: 'true'\nnothing: ''\ncolon: 'a: b'\nlines: |-\n  one\n  two\n"
            "none: {}\n");
}

TEST(YamlWrite, WhatIsWrittenReadsBackTheSame) {
  const Object nested{{"#", "# no comment"},  {"- x", Array{Object{{"k", nullptr}}, Array{}}},
                      {"é", " \t leading"},   {"ctrl", "a\x01 b"},
                      {"crlf", "a\r\nb\r\n"}, {"deep", Object{{"x", Object{{"y", 1.5}}}}},
                      {"trail", "x\n\n"}};
  const Members members{{"v", nested}, {"~", "~"}, {"big", UINT64_MAX}};
  const auto back = parse_yaml(write_yaml(members));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, Value(Object{{"v", nested}, {"~", "~"}, {"big", UINT64_MAX}}));
}

TEST(YamlRead, LimitsAreTheCallers) {
  EXPECT_FALSE(parse_yaml("[[1]]", {.max_bytes = 100, .max_depth = 1}));
  EXPECT_TRUE(parse_yaml("[[1]]", {.max_bytes = 100, .max_depth = 2}));
  EXPECT_FALSE(parse_yaml("[[1]]", {.max_bytes = 4, .max_depth = 2}));
}

TEST(YamlRead, SaysInWhichLineAKeyStands) {
  YamlPlaces places;
  ASSERT_TRUE(parse_yaml("# note\na: 1\n\nb:\n  c: 2\n", {}, &places));
  EXPECT_EQ(places.lines, (std::map<std::string, size_t, std::less<>>{{"a", 2}, {"b", 4}}));
  EXPECT_EQ(places.values["a"].line, 2U);
  EXPECT_EQ(places.values["a"].column, 4U);
  EXPECT_EQ(places.values["b"].line, 5U);
  EXPECT_EQ(places.values["b"].column, 3U);
  EXPECT_EQ(places.document.line, 2U);
}

TEST(YamlRead, SaysInWhichLineAndWhyReadingEnded) {
  const auto why = [](std::string_view text) {
    YamlPlaces places;
    EXPECT_FALSE(parse_yaml(text, {}, &places)) << text;
    return std::to_string(places.error_place.line) + " " + places.error;
  };
  EXPECT_EQ(why("a: 1\nb: 2\na: 3\n"), "3 the key `a` is repeated");
  EXPECT_EQ(why("a: &x 1\nb: *x\n"), "2 aliases are not supported");
  EXPECT_EQ(why("a: !odd 1\n"), "1 the tag !odd is not supported");
  EXPECT_EQ(why("a: 1\n---\nb: 1\n"), "2 there is more than one document");
  EXPECT_EQ(why("a: 1\nb: [1,\n").substr(0, 2), "3 ");
  YamlPlaces places;
  EXPECT_FALSE(parse_yaml("a: é &x 1\nb: é, *x\nc: *x\n", {}, &places));
  EXPECT_EQ(places.error_place.line, 3U);
  EXPECT_EQ(places.error_place.column, 4U);
}

}  // namespace
}  // namespace iii::json
