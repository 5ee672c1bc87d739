#include "foundation/base/text.h"

#include <gtest/gtest.h>

namespace iii {
namespace {

TEST(Text, TrimsAndSplits) {
  EXPECT_EQ(trim(" \t a b \r\n"), "a b");
  EXPECT_EQ(split("a::b", ':'), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string_view>{""}));
}

TEST(Text, BlankKnowsUnicodeSpaces) {
  EXPECT_TRUE(is_blank(""));
  EXPECT_TRUE(is_blank(" \u00a0\u2003\u3000\t"));
  EXPECT_FALSE(is_blank(" x "));
}

TEST(Text, FoldsCaseOfAccentedLetters) {
  EXPECT_EQ(fold_case("MiXed ÄÖÜ É ΑΩ ЖЁ"), "mixed äöü é αω жё");
  EXPECT_EQ(fold_case("ČĞŁŐŠŽŸ ΆΈΌΏ ҐӘ ԱՖ"), "čğłőšžÿ άέόώ ґә աֆ");
  EXPECT_EQ(fold_case("×"), "×");  // the multiplication sign is not a letter
}

TEST(Text, PercentCodingRoundTripsEveryByte) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  EXPECT_EQ(percent_decode(percent_encode(all)), all);
  EXPECT_EQ(percent_encode("a b/c~"), "a%20b%2Fc~");
  EXPECT_EQ(percent_decode("%zz%4"), "%zz%4");
  EXPECT_EQ(percent_decode("x%41"), "xA");
}

TEST(Text, Base64HasPadding) {
  EXPECT_EQ(base64_encode(""), "");
  EXPECT_EQ(base64_encode("f"), "Zg==");
  EXPECT_EQ(base64_encode("fo"), "Zm8=");
  EXPECT_EQ(base64_encode("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64_encode("\xfb\xff"), "+/8=");
}

TEST(Text, Utf8PrefixCountsCodePoints) {
  EXPECT_EQ(utf8_length("aé😀"), 3U);
  EXPECT_EQ(utf8_prefix("aé😀", 2), "aé");
  EXPECT_EQ(utf8_prefix("aé", 9), "aé");
}

TEST(Text, NearestSuggestsTyposAndNothingFarAway) {
  const std::vector<std::string> names{"serve", "trigger", "doctor"};
  EXPECT_EQ(nearest("srve", names), "serve");
  EXPECT_EQ(nearest("tirgger", names), "trigger");
  EXPECT_EQ(nearest("banana", names), "");
}

TEST(Text, NearestSuggestsNothingForALongWord) {
  const std::string name(kMaxSuggestedFor, 'x');
  const std::vector<std::string> names{name};
  EXPECT_EQ(nearest(name.substr(1) + "y", names), name) << "at the limit";
  EXPECT_EQ(nearest(name + "y", names), "") << "beyond it";
}

TEST(Text, EchoedIsCutBetweenCharacters) {
  std::string text;
  for (size_t i = 0; i < kMaxEchoed; ++i) text += "ü";
  EXPECT_EQ(echoed(text), text);
  EXPECT_EQ(echoed(text + "x"), text + "…");
}

}  // namespace
}  // namespace iii
