#include "directory/risks/scan_for_test.h"

namespace iii::risks {
namespace {

std::vector<std::string> found(std::string_view line) { return brief(scan("a.md", line)); }
using Texts = std::vector<std::string>;

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(Hidden, TagCharacters) {
  EXPECT_EQ(found("a\xf3\xa0\x81\x81\xf3\xa0\x81\x82"), Texts{"high hidden_tags 1"});
  EXPECT_EQ(found("x\ny \xf3\xa0\x80\x81 z"), Texts{"high hidden_tags 2"});
  // 🏴 + tags "gbsct" + end: the flag of Scotland.
  const std::string scotland =
      "\xf0\x9f\x8f\xb4\xf3\xa0\x81\xa7\xf3\xa0\x81\xa2\xf3\xa0\x81\xb3\xf3\xa0\x81\xa3"
      "\xf3\xa0\x81\xb4\xf3\xa0\x81\xbf";
  EXPECT_EQ(found(scotland), Texts{});
  EXPECT_EQ(found("\xf0\x9f\x8f\xb4" + repeated("\xf3\xa0\x81\xa7", 20) + "\xf3\xa0\x81\xbf"),
            Texts{"high hidden_tags 1"});
}

TEST(Hidden, TheyAreShownByName) {
  const auto risks = scan("a.md", "caf\xc3\xa9 x\xf3\xa0\x81\x81y");
  ASSERT_EQ(risks.size(), 1U);
  EXPECT_EQ(risks[0].excerpt, "caf\xc3\xa9 x<U+E0041>y");
  EXPECT_EQ(risks[0].column, 7U);
}

TEST(Hidden, DirectionControls) {
  EXPECT_EQ(found("if (admin\xe2\x80\xae) {"), Texts{"high hidden_bidi 1"});
  EXPECT_EQ(found("a \xe2\x81\xa7 b \xe2\x81\xa9"), Texts{"medium hidden_bidi 1"});
  EXPECT_EQ(found("\xe2\x80\x8f\xd7\xa9\xd7\x9c"), Texts{});  // a right-to-left mark
}

TEST(Hidden, ZeroWidth) {
  EXPECT_EQ(found("a" + repeated("\xe2\x80\x8b", 8)), Texts{"high hidden_zero_width 1"});
  EXPECT_EQ(found("a" + repeated("\xe2\x80\x8b", 7)), Texts{"medium hidden_zero_width 1"});
  EXPECT_EQ(found("a \xe2\x80\x8b\xe2\x81\xa0 b"), Texts{"medium hidden_zero_width 1"});
  EXPECT_EQ(found("cu\xe2\x80\x8brl"), Texts{"low hidden_zero_width 1"});
  EXPECT_EQ(found("a \xe2\x80\x8b b"), Texts{});
}

TEST(Hidden, OrdinaryUses) {
  EXPECT_EQ(found("\xef\xbb\xbf# Title"), Texts{});                           // byte order mark
  EXPECT_EQ(found("\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9"), Texts{});  // 👨‍👩
  EXPECT_EQ(found("\xe2\x9d\xa4\xef\xb8\x8f\xe2\x80\x8d\xf0\x9f\x94\xa5"),
            Texts{});                                                 // ❤️‍🔥
  EXPECT_EQ(found("\xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xae"), Texts{});  // Persian, ZWNJ
  EXPECT_EQ(found("\xe0\xa4\x95\xe0\xa5\x8d\xe2\x80\x8d"), Texts{});  // Devanagari, ZWJ
  EXPECT_EQ(found("\xe2\x9c\x85\xef\xb8\x8f done"), Texts{});         // ✅ and a selector
}

TEST(Hidden, RunsOfSelectors) {
  EXPECT_EQ(found("\xf0\x9f\x98\x80" + repeated("\xef\xb8\x81", 4)),
            Texts{"high hidden_selectors 1"});
  EXPECT_EQ(found("\xf0\x9f\x98\x80" + repeated("\xf3\xa0\x84\x81", 9)),
            Texts{"high hidden_selectors 1"});
  EXPECT_EQ(found("\xf0\x9f\x98\x80" + repeated("\xef\xb8\x8f", 3)), Texts{});
}

}  // namespace
}  // namespace iii::risks
