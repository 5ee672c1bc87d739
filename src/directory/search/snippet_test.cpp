#include "directory/search/snippet.h"

#include <gmock/gmock.h>

#include "foundation/base/text.h"
#include "foundation/base/utf8.h"

namespace iii::search {
namespace {

// Highlights in brackets.
std::string marked(const Snippet& snippet) {
  std::string text = snippet.text;
  for (size_t i = snippet.highlights.size(); i-- > 0;) {
    text.insert(snippet.highlights[i].end, "]");
    text.insert(snippet.highlights[i].begin, "[");
  }
  return text;
}

std::string show(std::string_view text, const std::vector<std::string>& found, size_t characters) {
  std::vector<Match> matches;
  for (const std::string& stem : found) matches.push_back({.found = stem});
  return marked(snippet(text, matches, characters));
}

TEST(Snippet, AShortTextIsShownWhole) {
  EXPECT_EQ(show("Rotate  the\n\nsecrets.", {"secret", "rotat"}, 100), "[Rotate] the [secrets].");
  EXPECT_EQ(show("", {"secret"}, 100), "");
}

TEST(Snippet, TheBeginningWhenNothingFits) {
  EXPECT_EQ(show("one two three four five", {"secret"}, 13), "one two three…");
  EXPECT_EQ(show("one two three four five", {}, 12), "one two…");
}

TEST(Snippet, TheWindowWithMostOfTheWords) {
  std::string text = "secret at the beginning. ";
  for (int i = 0; i < 50; ++i) text += "filler words here ";
  text += "here we rotate every secret of the vault. ";
  for (int i = 0; i < 50; ++i) text += "more filler words ";
  const std::string shown = show(text, {"rotat", "secret", "vault"}, 80);
  EXPECT_THAT(shown, testing::HasSubstr("[rotate] every [secret] of the [vault]"));
  EXPECT_THAT(shown, testing::StartsWith("…"));
  EXPECT_THAT(shown, testing::EndsWith("…"));
}

TEST(Snippet, ReadsTextsBeyondAscii) {
  EXPECT_EQ(show("die Prüfung der Rechnung", {"prufung"}, 100), "die [Prüfung] der Rechnung");
  EXPECT_EQ(show("按关键词搜索历史公告", {"搜索", "公告"}, 100), "按关键词[搜索]历史[公告]");
}

TEST(Snippet, IsBoundedAndValid) {
  std::string text;
  for (int i = 0; i < 60'000; ++i) text += "é";
  const Snippet cut = snippet(text, std::vector<Match>{{.found = "e"}}, 50);
  EXPECT_TRUE(is_utf8(cut.text));
  EXPECT_LE(utf8_length(cut.text), 52U);
  std::string many;
  while (many.size() < 70'000) many += "secret ";
  const Snippet all = snippet(many, std::vector<Match>{{.found = "secret"}}, 100);
  EXPECT_LE(utf8_length(all.text), 102U);
  EXPECT_FALSE(all.highlights.empty());
}

}  // namespace
}  // namespace iii::search
