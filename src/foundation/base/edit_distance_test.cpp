#include "foundation/base/edit_distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace iii {
namespace {

// The same by the plain method: every letter with every letter.
size_t plain_distance(std::string_view a, std::string_view b, EditDistance::Swap swap) {
  std::vector<std::vector<size_t>> rows(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        rows[i][j] = i + j;
        continue;
      }
      const size_t replaced = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      rows[i][j] = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped && swap == EditDistance::Swap::kOne) {
        rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
      }
    }
  }
  return rows[a.size()][b.size()];
}

std::string word(std::mt19937& random, size_t longest) {
  std::string out;
  for (size_t n = 1 + random() % longest; n > 0; --n) out += "abcdeinrst-"[random() % 11];
  return out;
}

std::string misspelt(std::string text, std::mt19937& random) {
  for (size_t edits = random() % 5; edits > 0 && !text.empty(); --edits) {
    const size_t at = random() % text.size();
    switch (random() % 4) {
      case 0:
        text.erase(at, 1);
        break;
      case 1:
        text.insert(at, 1, 'z');
        break;
      case 2:
        if (at + 1 < text.size()) std::swap(text[at], text[at + 1]);
        break;
      default:
        text[at] = 'Q';
    }
  }
  return text;
}

TEST(EditDistance, EqualsThePlainOneForAnyLength) {
  std::mt19937 random(5);
  for (int round = 0; round < 1500; ++round) {
    const std::string a = word(random, EditDistance::kMaxPattern),
                      b = random() % 2 == 0 ? word(random, EditDistance::kMaxPattern)
                                            : misspelt(a, random);
    for (const auto swap : {EditDistance::Swap::kTwo, EditDistance::Swap::kOne}) {
      ASSERT_EQ(EditDistance(a, swap).to(b), plain_distance(a, ascii_lower(b), swap))
          << a << " " << b;
    }
  }
  EXPECT_EQ(EditDistance("").to("abc"), 3U);
  EXPECT_EQ(EditDistance("abc").to(""), 3U);
  for (const size_t length : {63U, 64U, 65U, 128U, 129U, 256U}) {
    const std::string text(length, 'x');
    EXPECT_EQ(EditDistance(text).to(text), 0U);
    EXPECT_EQ(EditDistance(text).to("y" + text), 1U);
    EXPECT_EQ(EditDistance(text).to(text + "yy"), 2U);
  }
}

TEST(EditDistance, ToSeveralTextsIsTheSameAsToEach) {
  std::mt19937 random(6);
  for (int round = 0; round < 2000; ++round) {
    const std::string pattern = word(random, round % 10 == 0 ? 200 : 64);
    const EditDistance distance(pattern);
    std::array<std::string, EditDistance::kTogether> texts;
    for (std::string& text : texts) {
      text = random() % 3 == 0 ? misspelt(pattern, random) : word(random, 90);
      if (random() % 20 == 0) text.clear();
    }
    std::array<std::string_view, EditDistance::kTogether> views;
    std::ranges::copy(texts, views.begin());
    const auto together = distance.to(views);
    for (size_t i = 0; i < texts.size(); ++i) {
      ASSERT_EQ(together[i], distance.to(texts[i])) << pattern << " " << texts[i];
    }
  }
}

TEST(EditDistance, SwappedNeighboursAcrossTheWordsOfAPattern) {
  for (const size_t at : {0U, 62U, 63U, 64U, 127U}) {
    std::string text(200, 'x');
    text[at] = 'a';
    text[at + 1] = 'b';
    std::string other = text;
    std::swap(other[at], other[at + 1]);
    EXPECT_EQ(EditDistance(text, EditDistance::Swap::kOne).to(other), 1U) << at;
    EXPECT_EQ(EditDistance(text).to(other), 2U) << at;
  }
}

TEST(EditDistance, OfALongPatternTheBeginningCounts) {
  const std::string limit(EditDistance::kMaxPattern, 'x');
  EXPECT_EQ(EditDistance(limit).to(limit), 0U);
  EXPECT_EQ(EditDistance(limit + "yyy").to(limit), 0U);
}

}  // namespace
}  // namespace iii
