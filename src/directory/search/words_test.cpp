#include "directory/search/words.h"

#include <gmock/gmock.h>

#include "foundation/base/text.h"
#include "foundation/base/utf8.h"

namespace iii::search {
namespace {

// Without stop words.
std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  Tokenizer tokenizer;
  tokenizer.start(text);
  for (Token token; tokenizer.next(token);) {
    token.for_each_word([&](std::string_view word) {
      if (!is_stop_word(word)) out.emplace_back(word);
    });
  }
  return out;
}

std::vector<std::string> stems(std::string_view text) {
  std::vector<std::string> out = words(text);
  Stemmer stemmer;
  for (std::string& word : out) word = std::string(stemmer.stem(word));
  return out;
}

std::string joined_words(std::string_view text) { return join(words(text), " "); }
std::string joined_stems(std::string_view text) { return join(stems(text), " "); }

TEST(Words, SplitsAsTheTableOfTheDesignSays) {
  EXPECT_EQ(joined_words("HTTPServer's listSavedQueries"),
            "http server httpserver list saved queries listsavedqueries");
  EXPECT_EQ(joined_stems("HTTPServer's listSavedQueries"),
            "http server httpserver list save queri listsavedqueri");
  EXPECT_EQ(joined_words("don't use S3 or OAuth2"), "s3 auth oauth2");
  EXPECT_EQ(joined_stems("don't use S3 or OAuth2"), "s3 auth oauth2");
  EXPECT_EQ(joined_words("a2ui::surface::undo-commit"), "ui a2ui surface undo commit");
  EXPECT_EQ(joined_stems("a2ui::surface::undo-commit"), "ui a2ui surfac undo commit");
  EXPECT_EQ(joined_words("Prüfung der Rechnung"), "prufung der rechnung");
  EXPECT_EQ(joined_stems("Prüfung der Rechnung"), "prufung der rechnung");
  EXPECT_EQ(joined_words("会议纪要 v2"), "会议 议纪 纪要 v2");
  EXPECT_EQ(joined_stems("会议纪要 v2"), "会议 议纪 纪要 v2");
  EXPECT_EQ(joined_words("oauth2 base64 s3"), "oauth oauth2 base 64 base64 s3");
}

TEST(Words, ApostrophesAreStraightOrTypographic) {
  EXPECT_EQ(joined_words("the user\u2019s file"), "user file");
  EXPECT_EQ(joined_words("O'Neill ' 'quoted'"), "neill oneill quoted");
}

TEST(Words, OneSpellingOfAWordBeyondAscii) {
  // Composed and decomposed, full-width, ligatures, and letters that Unicode does not decompose.
  EXPECT_EQ(joined_words("cafe\u0301 caf\u00e9"), "cafe cafe");
  EXPECT_EQ(joined_words("ＡＰＩ ﬁle"), "api file");
  EXPECT_EQ(joined_words("Straße Øre Łódź"), "strasse ore lodz");
  EXPECT_EQ(joined_words("ΣΊΣΥΦΟΣ Москва"), "σισυφοσ москва");
  // Hangul as syllables and as letters.
  EXPECT_EQ(joined_words("한국"), joined_words("\u1112\u1161\u11ab\u1100\u116e\u11a8"));
}

TEST(Words, SingleCjkCharactersStandForThemselves) {
  EXPECT_EQ(joined_words("猫 abc犬def"), "猫 abc 犬 def");
}

TEST(Words, PlacesAreThoseOfTheText) {
  const std::string text = "Größe: don't 会议纪要";
  Tokenizer tokenizer;
  tokenizer.start(text);
  std::vector<std::string> seen;
  for (Token token; tokenizer.next(token);) {
    seen.push_back(text.substr(token.begin, token.end - token.begin));
  }
  EXPECT_THAT(seen, testing::ElementsAre("Größe", "don't", "会议", "议纪", "纪要"));
}

TEST(Words, LongRunsAreCut) {
  const std::string at_limit(kMaxWordBytes, 'x');
  EXPECT_EQ(joined_words(at_limit), at_limit);
  EXPECT_EQ(joined_words(at_limit + "y"), at_limit);
  std::string greek;
  for (int i = 0; i < 100; ++i) greek += "α";
  EXPECT_LE(words(greek).at(0).size(), kMaxWordBytes);
}

// Chunks without separators are normalised in pieces; no character is lost at the seams.
TEST(Words, LongTextWithoutSeparators) {
  std::string text;
  for (int i = 0; i < 5'000; ++i) text += i % 2 == 0 ? "会" : "议";
  const std::vector<std::string> all = words(text);
  EXPECT_GE(all.size(), 4'990U);
  for (const std::string& word : all) EXPECT_TRUE(is_utf8(word));
}

TEST(Words, HostileBytesSeparate) {
  EXPECT_EQ(joined_words("abc\xff"
                         "def \xc3"),
            "abc def");
  EXPECT_EQ(joined_words("\xed\xa0\x80 ok"), "ok");
  EXPECT_EQ(joined_words(std::string("a\0file\0b", 8)), "file b");
  EXPECT_EQ(joined_words("\u202Etxt.exe\u200B"), "txt exe");
  // One character that expands to eighteen, many times.
  std::string text;
  for (int i = 0; i < 2'000; ++i) text += "\uFDFA";
  for (const std::string& word : words(text)) EXPECT_LE(word.size(), kMaxWordBytes);
}

TEST(Words, StopWords) {
  EXPECT_TRUE(is_stop_word("the"));
  EXPECT_TRUE(is_stop_word("youre"));
  EXPECT_FALSE(is_stop_word("file"));
  EXPECT_EQ(joined_words("what is the best way to do it"), "best way");
}

}  // namespace
}  // namespace iii::search
