#include "content/ids.h"

#include <gmock/gmock.h>

#include <random>

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

TEST(Ids, OtherSpellingsOfSkillMdWereMeantAsTheOverview) {
  EXPECT_EQ(meant_overview("cap/Skill.md"), "cap/index");
  EXPECT_EQ(meant_overview("Ns/SkillS.md"), "ns/index");
  EXPECT_EQ(meant_overview("Skill.md"), "index");
  EXPECT_EQ(meant_overview("low/skill.md"), std::nullopt);
  EXPECT_EQ(meant_overview("low/skills.md"), std::nullopt);
  EXPECT_EQ(meant_overview("up/SKILL.md"), std::nullopt);
  EXPECT_EQ(meant_overview("up/SKILL.MD"), std::nullopt);
  EXPECT_EQ(meant_overview("up/Skilled.md"), std::nullopt);
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

TEST(Ids, NormalisedIdsStayReadable) {
  EXPECT_EQ(normalise_id("up/UPPER"), "up/upper");
  EXPECT_EQ(normalise_id("with space/x"), "with-space/x");
  EXPECT_EQ(normalise_id("v1.2/x"), "v1-2/x");
  EXPECT_EQ(normalise_id(".hidden/h"), "hidden/h");
  EXPECT_EQ(normalise_id("ext/two.md"), "ext/two-md");
  EXPECT_EQ(normalise_id("umlaut/ä"), "umlaut/a");
  EXPECT_EQ(normalise_id("Straße/Œuvre"), "strasse/oeuvre");
  EXPECT_EQ(normalise_id("a\u0301/x"), "a/x");
  EXPECT_EQ(normalise_id("a — b!!c"), "a-b-c");
  EXPECT_EQ(normalise_name("Bad Name"), "bad-name");
  EXPECT_EQ(normalise_name("a/b"), "a-b");
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
