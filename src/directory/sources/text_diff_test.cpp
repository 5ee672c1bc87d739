#include "directory/sources/namespace_diff.h"

#include <gmock/gmock.h>

#include <random>
#include <sstream>
#include <vector>

namespace iii::sources {
namespace {

using testing::HasSubstr;

TEST(TextDiff, EqualTextsHaveNone) {
  EXPECT_EQ(diff_text("a\nb\n", "a\nb\n").text, "");
  EXPECT_EQ(diff_text("", "").text, "");
}

TEST(TextDiff, IsWrittenInTheUnifiedFormat) {
  const TextDiff diff =
      diff_text("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n");
  EXPECT_EQ(diff.text, "@@ -2,8 +2,9 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n 9\n+10\n");
  EXPECT_TRUE(diff.complete);
  EXPECT_EQ(diff_text("", "a\nb\n").text, "@@ -0,0 +1,2 @@\n+a\n+b\n");
  EXPECT_EQ(diff_text("a\n", "").text, "@@ -1,1 +0,0 @@\n-a\n");
}

TEST(TextDiff, FarChangesHaveHunksOfTheirOwn) {
  std::string before;
  for (int i = 0; i < 40; ++i) before += std::to_string(i) + "\n";
  std::string after = before;
  after.replace(after.find("\n5\n"), 3, "\nfive\n");
  after.replace(after.find("\n30\n"), 4, "\nthirty\n");
  EXPECT_THAT(diff_text(before, after).text, HasSubstr("@@ -3,7 +3,7 @@"));
  EXPECT_THAT(diff_text(before, after).text, HasSubstr("@@ -28,7 +28,7 @@"));
}

// Applies a unified difference and gives what comes out.
std::string patched(const std::string& before, const std::string& diff) {
  std::vector<std::string> old;
  std::istringstream lines(before);
  for (std::string line; std::getline(lines, line);) old.push_back(line);
  std::string out;
  size_t at = 0;
  std::istringstream hunks(diff);
  for (std::string line; std::getline(hunks, line);) {
    if (line.starts_with("@@ -")) {
      const size_t start = std::stoul(line.substr(4));
      const bool nothing = line.substr(line.find(',') + 1).starts_with("0 ");
      for (const size_t to = nothing ? start : start - 1; at < to; ++at) out += old[at] + "\n";
    } else if (line[0] == '+') {
      out += line.substr(1) + "\n";
    } else {
      EXPECT_EQ(line.substr(1), old.at(at));
      if (line[0] == ' ') out += old[at] + "\n";
      ++at;
    }
  }
  for (; at < old.size(); ++at) out += old[at] + "\n";
  return out;
}

TEST(TextDiff, PatchingGivesTheOtherText) {
  std::mt19937 random(7);
  for (int round = 0; round < 400; ++round) {
    const auto text = [&random] {
      std::string out;
      for (unsigned i = random() % 30; i > 0; --i)
        out += static_cast<char>('a' + random() % 4), out += '\n';
      return out;
    };
    const std::string before = text();
    const std::string after = text();
    ASSERT_EQ(patched(before, diff_text(before, after).text), after) << before << "---\n" << after;
  }
}

TEST(TextDiff, LimitsAreKeptAtTheirEdge) {
  const std::string before = "1\n2\n3\n";
  const std::string after = "4\n5\n6\n";
  EXPECT_TRUE(diff_text(before, after, {.max_edits = 6}).complete);
  const TextDiff cut = diff_text(before, after, {.max_edits = 5});
  EXPECT_FALSE(cut.complete);
  EXPECT_EQ(patched(before, cut.text), after) << "everything is replaced";
  EXPECT_TRUE(diff_text(before, after, {.max_lines = 3}).complete);
  EXPECT_FALSE(diff_text(before, after, {.max_lines = 2}).complete);
  const size_t size = diff_text(before, after).text.size();
  EXPECT_TRUE(diff_text(before, after, {.max_bytes = size}).complete);
  EXPECT_FALSE(diff_text(before, after, {.max_bytes = size - 1}).complete);
}

}  // namespace
}  // namespace iii::sources
