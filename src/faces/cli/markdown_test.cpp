#include "faces/cli/markdown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faces/cli/width.h"
#include "foundation/base/text.h"

namespace iii::cli {
namespace {

using testing::HasSubstr;

std::string plain(std::string_view text, size_t width = 40) {
  return render_markdown(text, width).text(false);
}

TEST(Markdown, HeadingsListsAndCode) {
  EXPECT_EQ(plain("# Title\n\nSome *text* with `code`.\n\n- one\n- two\n\n```sh\nls  -l\n```\n"),
            "Title\n\nSome text with code.\n\n  • one\n  • two\n\n    ls  -l\n\n");
}

TEST(Markdown, StylesAreThere) {
  const std::string text = render_markdown("# Title\n**bold** `code`", 40).text(true);
  EXPECT_THAT(text, HasSubstr("\x1b[1;4mTitle\x1b[0m"));
  EXPECT_THAT(text, HasSubstr("\x1b[1mbold\x1b[0m"));
  EXPECT_THAT(text, HasSubstr("\x1b[33mcode\x1b[0m"));
}

TEST(Markdown, ParagraphsAreBrokenAndItemsIndented) {
  EXPECT_EQ(plain("one two three four five six", 20), "one two three four\nfive six\n");
  EXPECT_EQ(plain("1. one two three four five", 20), "  1. one two three\n     four five\n");
  EXPECT_EQ(plain("> quoted", 20), "│ quoted\n");
}

TEST(Markdown, NothingIsWiderThanTheTerminal) {
  const std::string long_word(95, 'x');
  const std::string text = "# " + long_word + "\n\n- a " + long_word + " b\n> " + long_word;
  for (const std::string_view line : split(plain(text, 30), '\n')) EXPECT_LE(columns(line), 30U);
}

TEST(Markdown, LinksShowWhereTheyLead) {
  EXPECT_EQ(plain("[docs](https://x.test/a)"), "docs (https://x.test/a)\n");
}

TEST(Markdown, WhatIsNotMarkupStays) {
  EXPECT_EQ(plain("snake_case_name 2 * 3 * 4 [x] `open"), "snake_case_name 2 * 3 * 4 [x] `open\n");
}

TEST(Markdown, NothingDrivesTheTerminal) {
  const std::string text =
      render_markdown("# a\x1b]52;c;eA==\x07\n`\x1b[2J`\n```\n\x1b[31m\n```", 40).text(false);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
}

TEST(Markdown, AnyTextComesThrough) {
  for (const char* text : {"", "\n\n", "```", "#", "######## x", "**", "[", "[](", "![", "|", "- ",
                           "> ", "1.", "***", "`"}) {
    for (size_t width = 0; width < 30; ++width) plain(text, width);
  }
}

}  // namespace
}  // namespace iii::cli
