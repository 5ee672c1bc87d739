#include "directory/content/markdown.h"

#include <gmock/gmock.h>

#include "foundation/base/utf8.h"

namespace iii::content {
namespace {

std::string heading(std::string_view body) { return summarise(body).heading; }
std::string teaser(std::string_view body) { return summarise(body).teaser; }

TEST(Markdown, R30_TheFirstHeadingOfLevelOneIsTheTitle) {
  EXPECT_EQ(heading("# One\n\n# Two\n"), "One");
  EXPECT_EQ(heading("text\n\n## Two\n\n# Late\n"), "Late");
  EXPECT_EQ(heading("#  Two spaces  \n"), "Two spaces");
  EXPECT_EQ(heading("# Title with hash #\n"), "Title with hash #");
  EXPECT_EQ(heading("   # Three columns in\n"), "Three columns in");
  EXPECT_EQ(heading("First text.\n# Heading directly after\nmore\n"), "Heading directly after");
}

TEST(Markdown, R30_WhatIsNoHeading) {
  for (const std::string_view body :
       {"#Title\n", "#\tTitle\n", "#\n", "Title\n=====\n", "## Second\n", "> # Quoted\n", ""}) {
    EXPECT_EQ(heading(body), "") << body;
  }
}

TEST(Markdown, R30_AnEmptyFirstHeadingLeavesTheTitleToTheId) {
  EXPECT_EQ(heading("# \n\n# Second\n"), "");
  EXPECT_EQ(heading("#    \n\n# Second\n"), "");
}

TEST(Markdown, R30_WhiteSpaceIsUnicodeAndALoneCrEndsNoLine) {
  EXPECT_EQ(heading("\u00a0# Nbsp title\u00a0\n"), "Nbsp title");
  EXPECT_EQ(heading("\f# Formfeed title\n"), "Formfeed title");
  EXPECT_EQ(heading("# Cr title\rsame line\r\rText\r"), "Cr title\rsame line\r\rText");
  EXPECT_EQ(heading("# C\r\n\r\ntext"), "C");
  EXPECT_EQ(heading(std::string_view("# nul \0 byte\n", 13)), std::string_view("nul \0 byte", 10));
}

TEST(Markdown, CodeHoldsNoHeading) {
  EXPECT_EQ(heading("```\n# comment in fence\n```\n\n# Real title\n"), "Real title");
  EXPECT_EQ(heading("~~~sh\n# no\n```\n# no\n~~~~\n# Yes\n"), "Yes");
  EXPECT_EQ(heading("````\n```\n# no\n```\n````\n# Yes\n"), "Yes");
  EXPECT_EQ(heading("Some text first.\n\n    # Indented\n\n# Yes\n"), "Yes");
  EXPECT_EQ(heading("\t# Indented\n# Yes\n"), "Yes");
  EXPECT_EQ(heading("```a`b\n# Yes, for that was no fence\n"), "Yes, for that was no fence");
}

TEST(Markdown, FencesInListsEndWhereTheyShould) {
  EXPECT_EQ(heading("- item\n  ```sh\n  # no\n  ```\n\n# Yes\n"), "Yes");
  EXPECT_EQ(heading("- ```sh\n  # no\n  ```\n\n# Yes\n"), "Yes");
  EXPECT_EQ(heading("1. ```sh\n   # no\n\n# Yes\n"), "Yes");
  EXPECT_EQ(heading("1. a\n\n   ```\n   # no\n    ```\n# Yes\n"), "Yes");
  EXPECT_EQ(heading("10. a\n    ```\n    # no\n    ```\n# Yes\n"), "Yes");
  EXPECT_EQ(heading("> ```\n> # no\n> ```\n# Yes\n"), "Yes");
  EXPECT_EQ(heading("- - ~~~\n    # no\nletters end the item\n# Yes\n"), "Yes");
}

TEST(Markdown, CommentsHoldNoHeading) {
  EXPECT_EQ(heading("<!--\n# no\n```\n-->\n# Yes\n"), "Yes");
  EXPECT_EQ(heading("<!-- one line -->\n# Yes\n"), "Yes");
  EXPECT_EQ(heading("<!--\n# no\n--> # no\n# Yes\n"), "Yes");
}

TEST(Markdown, R32_TheFirstParagraphInOneLine) {
  EXPECT_EQ(teaser("# M\n\n  line one  \n\tline two\t\nline three\n\nnext\n"),
            "line one line two line three");
  EXPECT_EQ(teaser("# C\r\n\r\nfirst\r\nsecond\r\n\r\nthird\r\n"), "first second");
  EXPECT_EQ(teaser("# B\n\nfirst\n   \nsecond\n"), "first");
  EXPECT_EQ(teaser("# U\n\n\u3000begins\u3000\n"), "begins");
  EXPECT_EQ(teaser("First text.\n# Heading directly after\nmore\n"), "First text.");
  EXPECT_EQ(teaser("First text.\n> quote directly after\nmore\n"), "First text.");
}

TEST(Markdown, R32_HeadingsAndQuotesAreSkipped) {
  EXPECT_EQ(teaser("#tag line\nReal text after tag.\n"), "Real text after tag.");
  EXPECT_EQ(teaser("> Quoted note.\n> More.\n\n# H\n\nReal paragraph.\n"), "Real paragraph.");
  EXPECT_EQ(teaser("> Quoted note.\nLazy continuation line.\n\nNext.\n"),
            "Lazy continuation line.");
  EXPECT_EQ(teaser("# One\n\n## Two\n"), "");
  EXPECT_EQ(teaser("> a\n\n> b\n"), "");
}

TEST(Markdown, R32_OtherBlocksAreTakenAsTheyStand) {
  EXPECT_EQ(teaser("| a | b |\n|---|---|\n| 1 | 2 |\n\nAfter table.\n"),
            "| a | b | |---|---| | 1 | 2 |");
  EXPECT_EQ(teaser("- one\n- two\n  continued\n\nAfter list.\n"), "- one - two continued");
  EXPECT_EQ(teaser("<!-- comment -->\n<b>bold</b> text\n\nAfter.\n"),
            "<!-- comment --> <b>bold</b> text");
  EXPECT_EQ(teaser("[ref]: http://example.invalid\n\nText.\n"), "[ref]: http://example.invalid");
  EXPECT_EQ(teaser("***\n\nAfter thematic.\n"), "***");
  EXPECT_EQ(teaser("Title\n=====\n\nText under setext.\n"), "Title =====");
}

TEST(Markdown, CodeIsNoTeaser) {
  EXPECT_EQ(teaser("```sh\nrun me\n```\n\nParagraph after fence.\n"), "Paragraph after fence.");
  EXPECT_EQ(teaser("    code\n    more\n\nParagraph.\n"), "Paragraph.");
  EXPECT_EQ(teaser("Intro:\n```\ncode\n```\nmore\n"), "Intro:");
}

TEST(Markdown, R32_NothingIsCutOffUpToTheLimit) {
  const std::string words(kMaxTeaser, 'w');
  EXPECT_EQ(teaser("# L\n\n" + words + "\n\nmore\n"), words);
  EXPECT_FALSE(summarise(words).teaser_cut);
  EXPECT_TRUE(summarise(words + "w").teaser_cut);
  EXPECT_EQ(teaser(words + "w"), words.substr(3) + "…");
}

TEST(Markdown, ALongParagraphIsCutBehindAWord) {
  const std::string long_line = std::string(900, 'a') + " " + std::string(400, 'b') + " c\nd\n";
  EXPECT_EQ(teaser(long_line), std::string(900, 'a') + "…");
  // Not through a character.
  std::string letters = "a";
  for (int i = 0; i < 1'000; ++i) letters += "é";
  const std::string cut = teaser(letters);
  EXPECT_LE(cut.size(), kMaxTeaser);
  EXPECT_TRUE(is_utf8(cut));
  // Short lines add up; what follows the paragraph is still read.
  std::string lines;
  for (int i = 0; i < 500; ++i) lines += "word\n";
  const BodySummary summary = summarise(lines + "\n# Heading\n");
  EXPECT_TRUE(summary.teaser_cut);
  EXPECT_TRUE(summary.teaser.ends_with("word…"));
  EXPECT_LE(summary.teaser.size(), kMaxTeaser);
  EXPECT_EQ(summary.heading, "Heading");
}

TEST(Markdown, AFenceNobodyClosesIsTold) {
  EXPECT_TRUE(summarise("```\n# no\n").open_fence);
  EXPECT_EQ(heading("```\n# no\n"), "");
  EXPECT_FALSE(
      summarise("# T\n\ntext\n\n```\nopen, but nothing was looked for any more\n").open_fence);
  EXPECT_FALSE(summarise("```\n```\n").open_fence);
}

TEST(Markdown, LargeBodiesAreNoTrouble) {
  std::string body;
  while (body.size() < 290'000) body += "- item `x` *y* [z](u) ![[]( <b> ``` ~~~ > # nothing\n";
  EXPECT_EQ(heading(body), "");
  EXPECT_FALSE(teaser(body).empty());
}

}  // namespace
}  // namespace iii::content
