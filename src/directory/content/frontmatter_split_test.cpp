#include "directory/content/frontmatter_split.h"

#include <gmock/gmock.h>

#include "directory/content/frontmatter_yaml.h"

namespace iii::content {
namespace {

// "yaml|body", or "none".
std::string strict(std::string_view bytes) {
  const auto fences = strict_fences(bytes);
  if (!fences) return "none";
  return std::string(bytes.substr(fences->yaml_begin, fences->yaml_end - fences->yaml_begin)) +
         "|" + std::string(bytes.substr(fences->body));
}

std::string lenient(std::string_view bytes) {
  const auto found = lenient_fences(bytes);
  if (!found) return "none";
  const Fences& fences = found->fences;
  return std::string(bytes.substr(fences.yaml_begin, fences.yaml_end - fences.yaml_begin)) + "|" +
         std::string(bytes.substr(fences.body));
}

TEST(FrontmatterSplit, R20_TheOpeningFenceIsTheFirstLine) {
  EXPECT_EQ(strict("---\na: b\n---\nbody"), "a: b|body");
  EXPECT_EQ(strict("---\r\na: b\r\n---\r\nbody"), "a: b\r|body");
  EXPECT_EQ(strict("\n---\na: b\n---\nbody"), "none");
  EXPECT_EQ(strict("--- \na: b\n---\nbody"), "none");
  EXPECT_EQ(strict("\xef\xbb\xbf---\na: b\n---\nbody"), "none");
  EXPECT_EQ(strict("----\na: b\n----\nbody"), "none");
  EXPECT_EQ(strict("# T\n\n---\n\ntext"), "none");
  EXPECT_EQ(strict(""), "none");
}

TEST(FrontmatterSplit, R21_TheClosingFenceInItsOrder) {
  EXPECT_EQ(strict("---\na\n---\r\nb\n---\nc"), "a\n---\r\nb|c") << "LF wins though it is later";
  EXPECT_EQ(strict("---\na\n---\r\nb"), "a|b");
  EXPECT_EQ(strict("---\na\n---"), "a|");
  EXPECT_EQ(strict("---\na\n---\r"), "a|");
  EXPECT_EQ(strict("---\na\n--- \nb"), "none");
  EXPECT_EQ(strict("---\na\n--- \nb\n---\nc"), "a\n--- \nb|c") << "a rule in the body is swallowed";
  EXPECT_EQ(strict("---\na\nno end\n"), "none");
}

TEST(FrontmatterSplit, R21_AnEmptyBlockIsNone) {
  EXPECT_EQ(strict("---\n---\nbody"), "none");
  EXPECT_EQ(strict("---\n\n---\nbody"), "|body");
}

TEST(FrontmatterSplit, R22_TheBodyIsLeftAlone) {
  EXPECT_EQ(strict("---\na\n---\n\n  b  \r\n\n"), "a|\n  b  \r\n\n");
}

TEST(FrontmatterSplit, KindEyesSeeMore) {
  EXPECT_EQ(lenient("\xef\xbb\xbf---\na: b\n---\nbody"), "a: b|body");
  EXPECT_EQ(lenient("\n \t\r\n---\na: b\n---\nbody"), "a: b|body");
  EXPECT_EQ(lenient("--- \na: b\n---\t\nbody"), "a: b|body");
  EXPECT_EQ(lenient("---\na: b\n...\nbody"), "a: b|body");
  EXPECT_EQ(lenient("---\n---\nbody"), "|body");
  EXPECT_EQ(lenient("---\r\na: b\r\n---\r\nbody\n---\nmore"), "a: b\r|body\n---\nmore");
}

TEST(FrontmatterSplit, AnUnclosedBlockEndsWithItsKeys) {
  EXPECT_EQ(lenient("---\na: b\ntext\n"), "a: b\n|text\n");
  EXPECT_EQ(lenient("---\na: b\n\n# H\n"), "a: b\n|\n# H\n");
  EXPECT_EQ(lenient("---\na:\n  - b\n- c\nd: >-\n  e\ntext"), "a:\n  - b\n- c\nd: >-\n  e\n|text");
  EXPECT_EQ(lenient("---\na: b"), "a: b|");
  EXPECT_EQ(lenient("---"), "none");
  EXPECT_EQ(lenient("plain"), "none");
}

TEST(FrontmatterSplit, NoFenceIsLookedForBeyondTheLimit) {
  const std::string filler(kMaxFrontmatter, 'x');
  EXPECT_EQ(lenient_fences("---\na: b\n" + filler + "\n--- \nbody")->closing,
            LenientFences::Closing::kUnclosed);
}

TEST(FrontmatterSplit, ARuleInTheTextIsNotTheMissingFence) {
  const std::string_view text = "---\nname: x\n\n# T\n\ntext\n\n---\n\nmore\n";
  const auto found = lenient_fences(text);
  ASSERT_TRUE(found);
  const auto unclosed = unclosed_fences(text, *found);
  ASSERT_TRUE(unclosed);
  EXPECT_EQ(text.substr(unclosed->fences.body), "\n# T\n\ntext\n\n---\n\nmore\n");
  for (const std::string_view other :
       {"---\nname: x\n\ntype: y\n---\n", "---\nname: x\nstray\n---\n",
        "---\nname: x\n\n# note\n---\n"}) {
    EXPECT_FALSE(unclosed_fences(other, *lenient_fences(other))) << other;
  }
}

TEST(FrontmatterSplit, LinesThatLookLikeKeys) {
  for (const std::string_view line :
       {"a: b", "a:", "\"a\": b", "'a' : b", "allowed-tools: x", "a.b:\tc"}) {
    EXPECT_TRUE(looks_like_key(line)) << line;
  }
  for (const std::string_view line :
       {"", ":", "a", "a:b", "http://x", "a b: c", " a: b", "- a: b", "\"a: b", "# a: b"}) {
    EXPECT_FALSE(looks_like_key(line)) << line;
  }
}

}  // namespace
}  // namespace iii::content
