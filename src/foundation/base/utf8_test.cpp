#include "foundation/base/utf8.h"

#include <gtest/gtest.h>

#include "foundation/base/counted.h"

namespace iii {
namespace {

TEST(Printable, NothingThatDrivesATerminalPasses) {
  EXPECT_EQ(printable("plain é 日本 😀 a\\b"), "plain é 日本 😀 a\\b");
  EXPECT_EQ(printable("a\x1b]52;c;eA==\x07z"), "a\\x1b]52;c;eA==\\x07z");
  EXPECT_EQ(printable("a\nb\tc\rd"), "a\\x0ab\\x09c\\x0dd");
  EXPECT_EQ(printable("\x7f\u0080\u009b31m\u009f\u00a0"), "\\u007f\\u0080\\u009b31m\\u009f\u00a0");
  EXPECT_EQ(printable("\x9b"), "\\x9b") << "a C1 control in one byte is not UTF-8";
  EXPECT_EQ(printable("\xf0\x9f"), "\\xf0\\x9f");
}

TEST(Printable, NothingThatChangesTheDirectionOfTextPasses) {
  EXPECT_EQ(printable("\u202egpj.exe\u202c"), "\\u202egpj.exe\\u202c");
  EXPECT_EQ(printable("\u2066\u2069\u200e\u200f\u061c\u2028\u2029"),
            "\\u2066\\u2069\\u200e\\u200f\\u061c\\u2028\\u2029");
  EXPECT_EQ(printable("\u2027\u202f\u2070"), "\u2027\u202f\u2070");
}

TEST(Printable, NothingInvisiblePasses) {
  EXPECT_EQ(printable("a\U000e0041\U000e007fb"), "a\\udb40\\udc41\\udb40\\udc7fb") << "tags";
  EXPECT_EQ(printable("\U000e0000\U000e0fff\U000e1000"), "\\udb40\\udc00\\udb43\\udfff\U000e1000");
  EXPECT_EQ(printable("pass\u200bword\u200d"), "pass\\u200bword\\u200d");
  EXPECT_EQ(printable("\u2060\u206f\ufeff\u3164\u00ad\ufff9"),
            "\\u2060\\u206f\\ufeff\\u3164\\u00ad\\ufff9");
  EXPECT_EQ(printable("é\u200d\u200dé"), "é\u200d\\u200dé") << "two in a row hide something";
  EXPECT_EQ(printable("x\ufe00\ufe01\U000e0100"), "x\ufe00\\ufe01\\udb40\\udd00");
  EXPECT_EQ(printable(" \ufe0f\n\ufe0f"), " \\ufe0f\\x0a\\ufe0f") << "they change nothing";
  EXPECT_EQ(printable_lines("\n\ufe0f"), "\n\\ufe0f");
}

TEST(Printable, JoinersAndSelectorsOfOrdinaryTextPass) {
  for (const char* text : {"👩\u200d❤\ufe0f\u200d👨", "1\ufe0f\u20e3", "می\u200cخواهم", "क्\u200dष",
                           "葛\U000e0100", "ខ្មែរ\u200bភាសា", "❤\ufe0f"}) {
    EXPECT_EQ(printable(text), text);
  }
}

// Plain text is looked at eight bytes at a time.
TEST(Printable, WhereverInAWordItStands) {
  for (size_t at = 0; at < 24; ++at) {
    for (const char c : {'\x1f', '\x7f', '\x1b', '\x00'}) {
      std::string text(24, 'x');
      text[at] = c;
      const std::string shown = printable(text);
      EXPECT_EQ(shown.find(c), std::string::npos) << at;
      EXPECT_EQ(shown.substr(0, at), std::string(at, 'x'));
      EXPECT_TRUE(shown.ends_with(std::string(23 - at, 'x')));
    }
    std::string text(24, '~');
    text[at] = ' ';
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, LinesAndTabsMayStay) {
  EXPECT_EQ(printable_lines("a\n\tb\x1b[2J\u202e\r"), "a\n\tb\\x1b[2J\\u202e\\x0d");
  EXPECT_EQ(printable_lines("{\"a\": \"\x7f\u009b\"}"), "{\"a\": \"\\u007f\\u009b\"}");
}

TEST(Counted, TheNounAgreesWithTheNumber) {
  EXPECT_EQ(counted(0, "skill"), "0 skills");
  EXPECT_EQ(counted(1, "skill"), "1 skill");
  EXPECT_EQ(counted(2, "entry", "entries"), "2 entries");
}

}  // namespace
}  // namespace iii
