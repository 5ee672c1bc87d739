#include "directory/content/ids.h"

#include <gmock/gmock.h>

#include <random>
#include <set>

namespace iii::content {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string reason(const Result<void>& result) { return result ? "" : result.error().message; }

TEST(Ids, R10_AFileIsAPromptWhenAnyFolderIsCalledPrompts) {
  EXPECT_TRUE(is_prompt_path("ns/prompts/x.md"));
  EXPECT_TRUE(is_prompt_path("prompts/x.md"));
  EXPECT_TRUE(is_prompt_path("p1/x/prompts/y/z.md"));
  EXPECT_FALSE(is_prompt_path("ns/Prompts/x.md"));
  EXPECT_FALSE(is_prompt_path("promptsx/q.md"));
  EXPECT_FALSE(is_prompt_path("prompts.d/q.md"));
  EXPECT_FALSE(is_prompt_path("prompts.md"));
}

TEST(Ids, R11_TheIdIsThePathWithoutOneSuffix) {
  EXPECT_EQ(derive_id("foo.md"), "foo");
  EXPECT_EQ(derive_id("a/b/c.md"), "a/b/c");
  EXPECT_EQ(derive_id("ext/two.md.md"), "ext/two.md");
  EXPECT_EQ(derive_id("bs\\q.md"), "bs/q");
}

TEST(Ids, R12_OnlySkillMdInCapitalsIsTheOverview) {
  EXPECT_EQ(derive_id("ns/SKILL.md"), "ns/index");
  EXPECT_EQ(derive_id("ns/SKILLS.md"), "ns/index");
  EXPECT_EQ(derive_id("SKILL.md"), "index");
  EXPECT_EQ(derive_id("low/skill.md"), "low/skill");
  EXPECT_EQ(derive_id("cap/Skill.md"), "cap/Skill");
  EXPECT_EQ(derive_id("up/SKILLS/x.md"), "up/SKILLS/x");
  EXPECT_EQ(derive_id("a\\SKILL.md"), "a/SKILL");
}

TEST(Ids, EverySpellingOfSkillMdIsTheOverview) {
  for (const char* name : {"skill.md", "Skill.md", "SKILL.MD", "sKiLl.Md", "SKILL.markdown",
                           "skill.MARKDOWN", "Skills.md", "SKILLS.MD", "SKILLS.markdown"}) {
    EXPECT_EQ(overview_name(name), OverviewName::kSpelling) << name;
    EXPECT_EQ(path_id(std::string("ns/") + name), "ns/index") << name;
    EXPECT_EQ(path_id(name), "index") << name;
  }
  EXPECT_EQ(overview_name("SKILL.md"), OverviewName::kExact);
  EXPECT_EQ(path_id("ns/SKILL.md"), "ns/index");
}

TEST(Ids, NamesCloseToSkillMdAreNoticed) {
  for (const char* name :
       {"SKILL.md.txt", "SKILL .md", " SKILL.md", "SKILL.md ", "SKILL.mdx", "SKLL.md", "skilll.md",
        "SKIL.MD", "skill.txt", "SKILL.TXT", "skill.text", "SKILL.md.bak", "SKILL.md~", "SKILL",
        "SKILLmd", "skill_.md", "SKILL. md", "sklil.md.md"}) {
    const bool far = std::string_view(name) == "sklil.md.md";  // two letters changed places
    EXPECT_EQ(overview_name(name), far ? OverviewName::kNone : OverviewName::kNear) << name;
  }
}

TEST(Ids, OrdinaryNamesAreNotTakenForSkillMd) {
  for (const char* name :
       {"skills.md", "kill.md", "still.md", "skilled.md", "my-skill.md", "skill.json", "skill.py",
        "skill", "README.md", "index.md", "s.md", "skills.txt", "skill-creator.md", ""}) {
    EXPECT_EQ(overview_name(name), OverviewName::kNone) << name;
  }
}

TEST(Ids, R14_LegalIds) {
  for (const std::string id :
       {"a", "a/b", "fn/x", "a/fn/c", "0-_", "-", "_", "a/b/c/d/e/f/g/h/i/j"}) {
    EXPECT_TRUE(check_id(id)) << id;
  }
  EXPECT_TRUE(check_id(std::string(64, 'x')));
  std::string longest(64, 'a');
  while (longest.size() + 2 <= kMaxId) longest += longest.size() % 65 == 64 ? "/a" : "a";
  longest.resize(kMaxId, 'a');
  EXPECT_TRUE(check_id(longest)) << reason(check_id(longest));
}

TEST(Ids, R16_NothingIsReserved) {
  for (const std::string id : {"fn", "fn/x", "a/fn/c", "index", "iii", "prompts-x"}) {
    EXPECT_TRUE(check_id(id)) << id;
  }
}

TEST(Ids, R14_IllegalIds) {
  for (const std::string id :
       {"", "/", "/a", "a/", "a//b", "A", "a.b", "a b", "ä", "a\\b", "..", "a:b"}) {
    EXPECT_FALSE(check_id(id)) << id;
  }
  EXPECT_FALSE(check_id(std::string(65, 'x')));
  EXPECT_FALSE(check_id(std::string(kMaxId + 1, 'x')));
}

TEST(Ids, R15_TheReasonNamesTheSegmentAndTheId) {
  EXPECT_THAT(reason(check_id("")), HasSubstr("non-empty"));
  EXPECT_THAT(reason(check_id("/a")), AllOf(HasSubstr("'/'"), HasSubstr("\"/a\"")));
  EXPECT_THAT(reason(check_id("tri/Index")), AllOf(HasSubstr("segment 2 of \"tri/Index\""),
                                                   HasSubstr("lowercase"), HasSubstr("\"Index\"")));
  EXPECT_THAT(reason(check_id("a//b")),
              AllOf(HasSubstr("segment 2 of \"a//b\""), HasSubstr("non-empty")));
  EXPECT_THAT(
      reason(check_id("a/" + std::string(65, 'x'))),
      AllOf(HasSubstr("segment 2"), HasSubstr("too long"), HasSubstr("65"), HasSubstr("64")));
  EXPECT_THAT(reason(check_id("bs\\q")), HasSubstr("\"bs\\\\q\""));
}

TEST(Ids, R15_TheWholeLengthIsCheckedBeforeTheSegments) {
  EXPECT_THAT(reason(check_id(std::string(1025, 'X'))),
              AllOf(HasSubstr("too long"), HasSubstr("1025"), HasSubstr("1024")));
  EXPECT_THAT(reason(check_id("/" + std::string(1025, 'X'))), HasSubstr("'/'"));
}

TEST(Ids, R71_NamesOfPrompts) {
  EXPECT_TRUE(check_name("good"));
  EXPECT_TRUE(check_name(std::string(64, 'x')));
  EXPECT_THAT(reason(check_name("")), HasSubstr("non-empty"));
  EXPECT_THAT(reason(check_name(std::string(65, 'x'))), AllOf(HasSubstr("65"), HasSubstr("64")));
  EXPECT_THAT(reason(check_name("Good")), AllOf(HasSubstr("lowercase"), HasSubstr("\"Good\"")));
  EXPECT_THAT(reason(check_name("a/b")), HasSubstr("lowercase"));
}

TEST(Ids, NamesThatLoseNothingStayReadable) {
  EXPECT_EQ(normalise_id("up/UPPER"), "up/upper");
  EXPECT_EQ(normalise_id("with space/x"), "with-space/x");
  EXPECT_EQ(normalise_id("v1.2/x"), "v1-2/x");
  EXPECT_EQ(normalise_id(".hidden/h"), "hidden/h");
  EXPECT_EQ(normalise_id("ext/two.md"), "ext/two-md");
  EXPECT_EQ(normalise_id("My_File"), "my_file");
  EXPECT_EQ(normalise_id("umlaut/ä"), "umlaut/a");
  EXPECT_EQ(normalise_id("Straße/Œuvre"), "strasse/oeuvre");
  EXPECT_EQ(normalise_id("a\u0301/x"), "a/x");
  EXPECT_EQ(normalise_name("Bad Name"), "bad-name");
  EXPECT_EQ(normalise_name("a/b"), "a-b");
}

TEST(Ids, WhatLosesACharacterHasAHashOfItsOwn) {
  // These are addresses: they must never change.
  EXPECT_EQ(normalise_id("C++"), "c-ja543t");
  EXPECT_EQ(normalise_id("数据-skill/index"), "skill-win5zk/index");
  EXPECT_THAT(normalise_id("a — b!!c"), testing::MatchesRegex("a-b-c-[a-z2-7]{6}"));
  std::set<std::string> all;
  const std::vector<std::string> names = {"C++",        "C#",         "c",     "C",      "C!",
                                          "数据-skill", "报告-skill", "skill", "skill!", "日本"};
  for (const std::string& name : names) all.insert(normalise_id(name));
  EXPECT_EQ(all.size(), names.size() - 1) << "c and C lose nothing: the catalog keeps them apart";
}

TEST(Ids, AnAlternateIdHasTheHashInEverySegmentThatDiffers) {
  EXPECT_THAT(alternate_id("My Skill/SKILL.md"),
              testing::MatchesRegex("my-skill-[a-z2-7]{6}/index"));
  EXPECT_THAT(alternate_id("ns/Doc.md"), testing::MatchesRegex("ns/doc-[a-z2-7]{6}"));
  EXPECT_NE(alternate_id("My Skill/x.md"), alternate_id("my skill/x.md"));
  EXPECT_EQ(alternate_id("C++.md"), normalise_id("C++")) << "it has one already";
  EXPECT_EQ(second_overview_id("ns/skill.md"), "ns/skill");
  EXPECT_THAT(second_overview_id("ns/SKILL.MD"), testing::MatchesRegex("ns/skill-[a-z2-7]{6}"));
  EXPECT_NE(alternate_name("ask", "a/prompts/Ask.md"), alternate_name("ask", "b/prompts/Ask.md"));
  EXPECT_EQ(alternate_name(std::string(64, 'x'), "x.md").size(), kMaxSegment);
}

TEST(Ids, NormalisingLeavesLegalSegmentsAlone) {
  EXPECT_EQ(normalise_id("-a--b_/c"), "-a--b_/c");
  EXPECT_EQ(normalise_id("-a--b_/C"), "-a--b_/c");
}

TEST(Ids, NothingLeftOfANameGivesAStableOne) {
  EXPECT_EQ(normalise_id("日本"), normalise_id("日本"));
  EXPECT_NE(normalise_id("日本"), normalise_id("中文"));
  EXPECT_THAT(normalise_id("日本"), testing::StartsWith("doc-"));
  EXPECT_TRUE(check_id(normalise_id("")));
  EXPECT_TRUE(check_id(normalise_id("ns/")));
}

TEST(Ids, LongSegmentsAreCutAndKeptApart) {
  const std::string a = normalise_id("len/" + std::string(65, 'y'));
  EXPECT_EQ(a.size(), 4 + kMaxSegment);
  EXPECT_THAT(a, testing::StartsWith("len/yyyy"));
  EXPECT_NE(a, normalise_id("len/" + std::string(66, 'y')));
}

TEST(Ids, LongIdsKeepTheirBeginningAndTheirEnd) {
  std::string id;
  for (int i = 0; i < 40; ++i) id += std::string(60, 's') + "/";
  id += "index";
  const std::string shorter = normalise_id(id);
  EXPECT_TRUE(check_id(shorter)) << reason(check_id(shorter));
  EXPECT_THAT(shorter, AllOf(testing::StartsWith("sss"), testing::EndsWith("/index")));
}

TEST(Ids, PropertyNormalisedIsLegalAndFinal) {
  std::mt19937 random(7);
  const std::vector<std::string> pieces = {"a",      "Z",    "/",  "-",
                                           "_",      ".",    " ",  "ä",
                                           "日",     "\xff", "\\", std::string(70, 'q'),
                                           "\u0301", "9",    "ẞ",  std::string("\0", 1)};
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (size_t n = random() % 24; n > 0; --n) text += pieces[random() % pieces.size()];
    const std::string id = normalise_id(text);
    ASSERT_TRUE(check_id(id)) << quoted(text) << ": " << reason(check_id(id));
    ASSERT_EQ(normalise_id(id), id);
    if (check_id(text)) {
      ASSERT_EQ(id, text);
    }
    const std::string name = normalise_name(text);
    ASSERT_TRUE(check_name(name)) << quoted(text);
    ASSERT_EQ(normalise_name(name), name);
  }
}

TEST(Ids, QuotedShowsWhatCannotBeSeen) {
  EXPECT_EQ(quoted("a\"b\\c\n\t\x01"), "\"a\\\"b\\\\c\\n\\t\\u0001\"");
}

}  // namespace
}  // namespace iii::content
