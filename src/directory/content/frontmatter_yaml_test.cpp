#include "directory/content/frontmatter_yaml.h"

#include <gmock/gmock.h>

namespace iii::content {
namespace {

using Kind = YamlEntry::Kind;

YamlInterest all(std::string_view) { return YamlInterest::kValue; }

std::string shown(const YamlEntry& entry) {
  std::string out = entry.key + "=";
  if (entry.kind == Kind::kText) return out + entry.text;
  if (entry.kind == Kind::kNull) return out + "(null)";
  if (entry.kind == Kind::kOther) return out + "(other)";
  for (const std::string& item : entry.items) out += "[" + item + "]";
  return out;
}

std::string read(std::string_view text) {
  const YamlResult yaml = read_yaml(text, all);
  if (!yaml) return "failed";
  std::string out;
  for (const YamlEntry& entry : yaml->entries) out += (out.empty() ? "" : "; ") + shown(entry);
  return out;
}

TEST(FrontmatterYaml, R24_ScalarsAreTextAsSpelled) {
  for (const std::string word : {"123", "1.50", "0x1F", "010", "1e3", ".inf", "true", "yes", "No",
                                 "on", "2026-01-02", "nULL", "nullx"}) {
    EXPECT_EQ(read("a: " + word), "a=" + word);
  }
}

TEST(FrontmatterYaml, R24_NullIsAbsentUnlessQuoted) {
  for (const std::string word : {"~", "null", "Null", "NULL", ""})
    EXPECT_EQ(read("a: " + word), "a=(null)");
  EXPECT_EQ(read("a: \"null\"\nb: '~'\nc: ''"), "a=null; b=~; c=");
}

TEST(FrontmatterYaml, R24_TagsAreIgnored) {
  EXPECT_EQ(read("a: !!int 5"), "a=5");
  EXPECT_EQ(read("a: !!str 5\nb: !custom how-to"), "a=5; b=how-to");
  EXPECT_EQ(read("a: !!str null"), "a=null");
  EXPECT_EQ(read("a: !!null null"), "a=(null)");
}

TEST(FrontmatterYaml, R24_AllOrdinaryYamlWorks) {
  EXPECT_EQ(read("a: >-\n  Folded\n  title\nb: |\n  line one\n  line two\n"),
            "a=Folded title; b=line one\nline two\n");
  EXPECT_EQ(read("a: \"Tab\\tand \\u00e9 \\\"q\\\"\""), "a=Tab\tand é \"q\"");
  EXPECT_EQ(read("\"a\": b"), "a=b");
  EXPECT_EQ(read("{a: b, c: d}"), "a=b; c=d");
  EXPECT_EQ(read("# only a comment"), "");
  EXPECT_EQ(read(""), "");
  EXPECT_EQ(read("a: b # note"), "a=b");
  EXPECT_EQ(read("a: b\r\nc: d\r"), "a=b; c=d");
  EXPECT_EQ(read("a: [b, c]\nd: {e: f}\ng:\n- [h]\n"), "a=[b][c]; d=(other); g=(other)");
}

TEST(FrontmatterYaml, R24_AnchorsWorkForTexts) {
  EXPECT_EQ(read("a: &x hello\nb: *x"), "a=hello; b=hello");
  EXPECT_EQ(read("a: &x {k: v}\n<<: *x"), "a=(other); <<=(other)");
  EXPECT_EQ(read("a: *nowhere"), "failed");
  EXPECT_EQ(read("a: &x b\n*x : c"), "a=b; b=c");
}

TEST(FrontmatterYaml, R24_WhatMakesTheWholeBlockAbsent) {
  for (const std::string_view text :
       {"a: b: c", "a: [b", "a: ok\n\tb: c", "- a\n- b", "just text", "a: b\n--- # second\na: c",
        "? [a]\n: b", "a: 'b", "a: @b", "\x01"}) {
    EXPECT_EQ(read(text), "failed") << text;
  }
}

TEST(FrontmatterYaml, ProblemsSayWhatAndWhere) {
  const auto problem = read_yaml("ok: 1\na: b: c", all);
  ASSERT_FALSE(problem);
  EXPECT_EQ(problem.error().kind, YamlProblem::Kind::kSyntax);
  EXPECT_EQ(problem.error().line, 1U);
  EXPECT_EQ(problem.error().column, 4U);
  EXPECT_FALSE(problem.error().text.empty());
  EXPECT_EQ(read_yaml("- a", all).error().kind, YamlProblem::Kind::kNotMapping);
  EXPECT_EQ(read_yaml("a: b\n---\nc: d", all).error().kind, YamlProblem::Kind::kSecondDocument);
}

TEST(FrontmatterYaml, LimitOfDepth) {
  const auto nested = [](size_t depth) {
    return "a: " + std::string(depth, '[') + "x" + std::string(depth, ']');
  };
  EXPECT_TRUE(read_yaml(nested(kMaxYamlDepth - 1), all));
  EXPECT_EQ(read_yaml(nested(kMaxYamlDepth), all).error().kind, YamlProblem::Kind::kTooDeep);
  EXPECT_FALSE(read_yaml("a: " + std::string(60'000, '['), all));
  EXPECT_FALSE(read_yaml(std::string(60'000, '{'), all));
}

TEST(FrontmatterYaml, LimitOfSize) {
  const std::string head = "a: ";
  EXPECT_TRUE(read_yaml(head + std::string(kMaxFrontmatter - head.size(), 'x'), all));
  EXPECT_EQ(read_yaml(head + std::string(kMaxFrontmatter - head.size() + 1, 'x'), all).error().kind,
            YamlProblem::Kind::kTooLarge);
}

TEST(FrontmatterYaml, AliasesCannotMultiplyText) {
  std::string text = "x: &x " + std::string(30'000, 'x') + "\nlist: [";
  while (text.size() < kMaxFrontmatter - 100) text += "*x,";
  const auto list = read_yaml(text + "]", all);
  ASSERT_TRUE(list);
  EXPECT_EQ(list->entries.at(1).kind, Kind::kOther);

  text = "x: &x " + std::string(30'000, 'x') + "\n";
  while (text.size() < kMaxFrontmatter - 100) text += "t: *x\n";
  const auto repeated = read_yaml(text, all);
  ASSERT_TRUE(repeated);
  EXPECT_EQ(repeated->entries.size(), kMaxYamlEntries);
  EXPECT_EQ(repeated->entries.at(1).text.size(), 30'000U);
  EXPECT_EQ(repeated->entries.at(2).text.size(), 0U) << "of a repeated key only the first is kept";
}

TEST(FrontmatterYaml, ATextHasItsPlace) {
  const std::string_view text =
      "é: \"日 本\"  \na: bare é # c\nb: 'q' # c\nc: one\n  two # c\nd: |\n  block\ne: last";
  const YamlResult yaml = read_yaml(text, all);
  ASSERT_TRUE(yaml);
  std::vector<std::string> places;
  for (const YamlEntry& entry : yaml->entries) {
    places.emplace_back(text.substr(entry.value_begin, entry.value_end - entry.value_begin));
    if (entry.bare) places.back() += " (bare)";
  }
  EXPECT_THAT(places, testing::ElementsAre("\"日 本\"", "bare é (bare)", "'q'", "one\n  two (bare)",
                                           "|\n  block\n", "last (bare)"));
}

TEST(FrontmatterYaml, QuotedTextReadsBackAsItWas) {
  for (const std::string& text :
       {std::string("plain"), std::string("a: b"), std::string("\"q\" \\ 'x'"),
        std::string("tab\tnl\ncr\r"), std::string("nul\0x", 5),
        std::string("\u0085\u2028\u2029\ufeff\u00a0é日😀"), std::string("\x7f\x01"),
        std::string("  padded  "), std::string(""), std::string("\xef\xbf\xbe\xef\xbf\xbf"),
        std::string("\u0080\u009f")}) {
    const auto read_back = read_yaml("a: " + yaml_quote(text), all);
    ASSERT_TRUE(read_back) << yaml_quote(text);
    EXPECT_EQ(read_back->entries.at(0).text, text);
  }
}

}  // namespace
}  // namespace iii::content
