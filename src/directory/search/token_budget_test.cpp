#include "directory/search/token_budget.h"

#include <gtest/gtest.h>

#include <string>

namespace iii::search {
namespace {

TEST(TokenBudget, CountsNothingForNothing) {
  EXPECT_EQ(estimate_tokens(""), 0U);
  EXPECT_GE(estimate_tokens("a"), 1U);
}

// Real counts: tests/e2e/token_budget.test.mjs.
TEST(TokenBudget, KnownWordsCostAboutATokenAndUnknownOnesMore) {
  const size_t known = estimate_tokens("please review the pull request before you merge it");
  EXPECT_GE(known, 9U);
  EXPECT_LE(known, 13U);
  EXPECT_GT(estimate_tokens("qxzvkw jhgfdsq wvbnmzx"), 9U);
}

TEST(TokenBudget, GrowsWithTheText) {
  std::string text;
  size_t before = 0;
  for (const char* part :
       {"Hello", " world", ", 12345", "\n\n", "数据", "🚀", "\xff\xfe", "{\"a\":1}"}) {
    text += part;
    const size_t now = estimate_tokens(text);
    EXPECT_GE(now, before) << part;
    before = now;
  }
  EXPECT_GE(before, 14U);
}

TEST(TokenBudget, AnyBytesWillDo) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  EXPECT_GT(estimate_tokens(bytes), 100U);
  EXPECT_GT(estimate_tokens("\xf0"), 0U);
  EXPECT_GT(estimate_tokens("\xe4\xbd"), 0U);
}

}  // namespace
}  // namespace iii::search
