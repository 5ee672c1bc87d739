#include "faces/cli/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faces/cli/width.h"
#include "foundation/base/text.h"

namespace iii::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(Width, CountsColumnsNotBytes) {
  EXPECT_EQ(columns("abc"), 3U);
  EXPECT_EQ(columns("äöü"), 3U);
  EXPECT_EQ(columns("数据"), 4U);
  EXPECT_EQ(columns("e\u0301"), 1U);             // a letter and an accent of its own
  EXPECT_EQ(columns("👩‍👩‍👧"), 2U);  // drawn as one
  EXPECT_EQ(columns(""), 0U);
}

TEST(Width, ShortensAtCharacters) {
  EXPECT_EQ(shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(shortened("abcdef", 4), "abc…");
  EXPECT_EQ(shortened("数据数据", 5), "数据…");
  EXPECT_EQ(shortened("数据数据", 4), "数…");  // half a character does not fit
  EXPECT_EQ(shortened("abc", 0), "");
  EXPECT_EQ(padded("数", 4), "数  ");
}

TEST(Width, WrapsAtBlanks) {
  EXPECT_THAT(wrapped("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(wrapped("a verylongword b", 5), ElementsAre("a", "verylongword", "b"));
  EXPECT_THAT(pieces("数据abc", 3), ElementsAre("数", "据a", "bc"));
  EXPECT_THAT(pieces("数", 1), ElementsAre("数"));
  EXPECT_EQ(one_line(" a\n\tb  c "), "a b c");
}

Table sample() {
  Table table({{"ID"}, {"TITLE"}, {"EMPTY"}, {"DESCRIPTION"}});
  table.add({"database/query", "数据库查询的标题很长很长", "", std::string(300, 'd')});
  table.add({"x", "short", "", "line one\nline two\x1b[31m"});
  return table;
}

TEST(Table, FitsEveryWidth) {
  for (size_t width = 20; width <= 200; ++width) {
    const std::string text =
        sample().text({.terminal = true, .colours = false, .width = width}).text(false);
    for (const std::string_view line : split(text, '\n')) EXPECT_LE(columns(line), width) << line;
    EXPECT_THAT(text, Not(HasSubstr("EMPTY")));
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  }
}

TEST(Table, NamesAreCutLast) {
  Table table({{"FUNCTION", Style::kName}, {"WORKER"}, {"DESCRIPTION", Style::kDim}});
  const std::string name = "directory::skills::download_from_registry";
  table.add({name, "iii-directory", std::string(300, 'd')});
  const auto at = [&](size_t width) {
    return table.text({.terminal = true, .colours = false, .width = width}).text(false);
  };
  EXPECT_THAT(at(60), HasSubstr(name));
  EXPECT_THAT(at(50), Not(HasSubstr(name)));  // nothing would be left of the others
  for (const size_t width : {50U, 60U, 80U, 200U}) {
    for (const std::string_view line : split(at(width), '\n')) EXPECT_LE(columns(line), width);
  }
}

TEST(Table, OfSeveralNamesTheFirstAreCutLast) {
  Table table({{"TYPE", Style::kName}, {"FUNCTION", Style::kName}, {"WORKER"}, {"STATUS"}});
  const std::string type = "engine::functions-available";
  const std::string function = "directory::on-functions-change";
  table.add({type, function, "iii-directory", "live"});
  const auto at = [&](size_t width) {
    return table.text({.terminal = true, .colours = false, .width = width}).text(false);
  };
  EXPECT_THAT(at(75), AllOf(HasSubstr(type), HasSubstr(function), HasSubstr("live")));
  EXPECT_THAT(at(60), AllOf(HasSubstr(type), Not(HasSubstr(function))));
  for (size_t width = 20; width <= 100; ++width) {
    for (const std::string_view line : split(at(width), '\n')) EXPECT_LE(columns(line), width);
  }
}

TEST(Table, APipeGetsEverything) {
  const std::string text = sample().text({}).text(false);
  EXPECT_THAT(text, HasSubstr("database/query\t数据库查询的标题很长很长\t\t" +
                              std::string(300, 'd') + "\n"));
  EXPECT_THAT(text, HasSubstr("x\tshort\t\tline one line two\\x1b[31m\n"));
}

TEST(Table, WhatFitsIsNotShortened) {
  Table table({{"A"}, {"B"}});
  table.add({"one", "two"});
  EXPECT_EQ(table.text({.terminal = true, .colours = false, .width = 80}).text(false),
            "A    B\none  two\n");
}

TEST(Styled, ColoursAreOursAlone) {
  Styled text;
  text.add("a\x1b[31mb", Style::kBold).add("c");
  EXPECT_EQ(text.text(false), "a\\x1b[31mbc");
  EXPECT_EQ(text.text(true), "\x1b[1ma\\x1b[31mb\x1b[0mc");
}

TEST(Screen, ColoursOnATerminalUnlessSomebodyObjects) {
  EXPECT_TRUE(wants_colours("auto", true, nullptr, "xterm"));
  EXPECT_TRUE(wants_colours("auto", true, "", "xterm"));
  EXPECT_FALSE(wants_colours("auto", true, "1", "xterm"));
  EXPECT_FALSE(wants_colours("auto", true, nullptr, "dumb"));
  EXPECT_FALSE(wants_colours("auto", false, nullptr, "xterm"));
  EXPECT_FALSE(wants_colours("never", true, nullptr, "xterm"));
  EXPECT_TRUE(wants_colours("always", false, "1", "dumb"));
}

}  // namespace
}  // namespace iii::cli
