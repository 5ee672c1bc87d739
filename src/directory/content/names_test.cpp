// Names as they occur in real repositories: other spellings of SKILL.md, names that an id cannot
// hold, names that become equal, links between roots.
#include <gmock/gmock.h>

#include "directory/content/content.h"
#include "directory/content/fixture_for_test.h"
#include "directory/content/ids.h"

namespace iii::content {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class Names : public testing::Test {
 protected:
  GenerationPtr scan() {
    content_ = Content::open(tree_.options());
    return content_->fresh();
  }
  static std::string path_of(const GenerationPtr& generation, const std::string& id) {
    const Skill* skill = generation->skill(id);
    return skill != nullptr ? skill->file.path : "nothing";
  }
  static std::string message(const GenerationPtr& generation, const std::string& path) {
    for (const FindingsPtr& findings : generation->findings) {
      if (findings->front().file.path == path) return findings->front().message;
    }
    return "";
  }
  static size_t findings_of(const GenerationPtr& generation, const std::string& path) {
    size_t count = 0;
    for (const FindingsPtr& findings : generation->findings) {
      for (const Finding& finding : *findings) count += finding.file.path == path ? 1 : 0;
    }
    return count;
  }

  TempTree tree_;
  std::unique_ptr<Content> content_;
};

TEST_F(Names, EverySpellingOfSkillMdIsTheOverview) {
  const std::vector<std::string> spellings = {"SKILL.MD", "SKILL.markdown", "Skill.md", "skill.md",
                                              "skill.markdown"};
  for (size_t i = 0; i < spellings.size(); ++i) {
    tree_.put("global/s" + std::to_string(i) + "/" + spellings[i]);
  }
  const GenerationPtr generation = scan();
  EXPECT_THAT(ids(generation),
              ElementsAre("s0/index", "s1/index", "s2/index", "s3/index", "s4/index"));
  EXPECT_THAT(complaints(generation), SizeIs(5));
  EXPECT_THAT(complaints(generation), Contains("global:s3/skill.md skill_case -> s3/index"));
}

TEST_F(Names, ExactlySkillMdIsTheOverviewWhenThereAreSeveral) {
  for (const char* name : {"SKILL.MD", "SKILL.md", "index.md", "skill.md"}) {
    tree_.put(std::string("global/ns/") + name);
  }
  tree_.put("global/two/index.md");
  tree_.put("global/two/skill.md");
  tree_.put("global/odd/SKILL.MD");
  tree_.put("global/odd/Skill.md");
  const GenerationPtr generation = scan();
  EXPECT_EQ(path_of(generation, "ns/index"), "ns/SKILL.md");
  EXPECT_EQ(path_of(generation, "two/index"), "two/index.md");
  EXPECT_EQ(path_of(generation, "odd/index"), "odd/SKILL.MD");
  EXPECT_EQ(path_of(generation, "ns/skill"), "ns/skill.md") << "an ordinary document then";
  EXPECT_EQ(path_of(generation, "two/skill"), "two/skill.md");
  EXPECT_EQ(path_of(generation, second_overview_id("odd/Skill.md")), "odd/Skill.md");
  EXPECT_EQ(findings_of(generation, "ns/SKILL.md"), 0U);
  for (const char* path : {"ns/SKILL.MD", "ns/index.md", "ns/skill.md", "two/skill.md"}) {
    EXPECT_EQ(findings_of(generation, path), 1U) << path;
  }
  EXPECT_THAT(complaints(generation), Contains("global:ns/index.md duplicate_id"));
}

TEST_F(Names, WhatIsAlmostCalledSkillMdHasAFinding) {
  tree_.put("global/a/SKILL.md.txt");
  tree_.put("global/b/SKILL.mdx");
  tree_.put("global/c/skill.txt");
  tree_.put("global/d/SKLL.md");
  tree_.put("global/e/SKILL .md");
  tree_.put("global/f/skill.py");
  const GenerationPtr generation = scan();
  EXPECT_THAT(complaints(generation), ElementsAre("global:a/SKILL.md.txt near_skill_name",
                                                  "global:b/SKILL.mdx near_skill_name",
                                                  "global:c/skill.txt near_skill_name",
                                                  "global:d/SKLL.md near_skill_name -> d/skll",
                                                  "global:e/SKILL .md near_skill_name -> e/skill"));
  EXPECT_THAT(message(generation, "a/SKILL.md.txt"), HasSubstr("`SKILL.md`"));
  EXPECT_EQ(counts(generation), "6 = 2 skills + 0 prompts + 1 supporting + 3 skipped");
  tree_.rename("global/b/SKILL.mdx", "global/b/SKILL.md");
  EXPECT_THAT(ids(content_->fresh()), ElementsAre("b/index", "d/skll", "e/skill"));
}

TEST_F(Names, NamesThatLoseCharactersDoNotMeet) {
  for (const char* name : {"C++", "C#", "c", "数据-skill", "报告-skill", "skill"}) {
    tree_.put(std::string("global/") + name + "/SKILL.md");
  }
  const GenerationPtr generation = scan();
  EXPECT_THAT(generation->skills, SizeIs(6));
  EXPECT_EQ(path_of(generation, "c/index"), "c/SKILL.md");
  EXPECT_EQ(path_of(generation, "skill/index"), "skill/SKILL.md");
  EXPECT_EQ(path_of(generation, normalise_id("C++") + "/index"), "C++/SKILL.md");
  EXPECT_THAT(complaints(generation), SizeIs(4));
  EXPECT_THAT(complaints(generation), Not(Contains(HasSubstr("duplicate_id"))));
  EXPECT_THAT(message(generation, "C++/SKILL.md"),
              AllOf(HasSubstr("\"C++\""), HasSubstr("It is served as `c-")));
}

TEST_F(Names, OfEqualNamesTheLegalOneKeepsTheId) {
  tree_.put("global/My Skill/SKILL.md");
  tree_.put("global/My Skill/only.md");
  EXPECT_THAT(ids(scan()), ElementsAre("my-skill/index", "my-skill/only"));
  tree_.put("global/my-skill/SKILL.md");
  const std::string aside = alternate_id("My Skill/SKILL.md");
  GenerationPtr generation = content_->fresh();
  EXPECT_EQ(path_of(generation, "my-skill/index"), "my-skill/SKILL.md");
  EXPECT_EQ(path_of(generation, aside), "My Skill/SKILL.md");
  EXPECT_EQ(findings_of(generation, "My Skill/SKILL.md"), 1U);
  EXPECT_THAT(
      message(generation, "My Skill/SKILL.md"),
      AllOf(HasSubstr("would have the id `my-skill/index`"), HasSubstr("served as `" + aside + "`"),
            Not(HasSubstr("served as `my-skill/index`"))));
  tree_.put("global/my.skill/SKILL.md");
  generation = content_->fresh();
  EXPECT_EQ(path_of(generation, alternate_id("my.skill/SKILL.md")), "my.skill/SKILL.md");
  // Without the legal one no other takes its id: it would be another document under an old address.
  tree_.remove("global/my-skill");
  generation = content_->fresh();
  EXPECT_EQ(generation->skill("my-skill/index"), nullptr);
  EXPECT_EQ(path_of(generation, aside), "My Skill/SKILL.md");
  tree_.remove("global/my.skill");
  EXPECT_EQ(path_of(content_->fresh(), "my-skill/index"), "My Skill/SKILL.md");
  EXPECT_EQ(everything(content_->fresh()), everything(Content::open(tree_.options())->fresh()));
}

TEST_F(Names, SeveralFilesOfOneFolderDoNotDriveItFromItsId) {
  tree_.put("global/My Skill/SKILL.md");
  tree_.put("global/My Skill/index.md");
  const GenerationPtr generation = scan();
  EXPECT_THAT(ids(generation), ElementsAre("my-skill/index"));
  EXPECT_EQ(path_of(generation, "my-skill/index"), "My Skill/SKILL.md");
  EXPECT_THAT(complaints(generation),
              ElementsAre("global:My Skill/SKILL.md id_normalised -> my-skill/index",
                          "global:My Skill/index.md duplicate_id"));
}

TEST_F(Names, TheSameForPrompts) {
  const std::string text = "---\ndescription: D.\n---\nBody\n";
  for (const char* name : {"ask.md", "Ask.md", "ASK.md", "问.md", "答.md"}) {
    tree_.put(std::string("global/ns/prompts/") + name, text);
  }
  const GenerationPtr generation = scan();
  EXPECT_THAT(generation->prompts, SizeIs(5));
  ASSERT_NE(generation->prompt("ask"), nullptr);
  EXPECT_EQ(generation->prompt("ask")->file.path, "ns/prompts/ask.md");
  EXPECT_THAT(complaints(generation), SizeIs(4));
}

TEST_F(Names, AnAlternateIdThatIsTakenIsSaid) {
  const std::string aside = alternate_id("A.md");
  tree_.put("global/A.md");
  tree_.put("global/a.md");
  tree_.put("global/" + aside + ".md");
  const GenerationPtr generation = scan();
  EXPECT_THAT(ids(generation), ElementsAre("a", aside));
  EXPECT_EQ(path_of(generation, aside), aside + ".md");
  EXPECT_THAT(complaints(generation), ElementsAre("global:A.md duplicate_id"));
  tree_.remove("global/" + aside + ".md");
  EXPECT_EQ(path_of(content_->fresh(), aside), "A.md");
}

// The layout of `npx skills`: the files are in one root, the other has links to them.
TEST_F(Names, ALinkIntoAnotherRootIsServedThere) {
  tree_.put("global/x/SKILL.md");
  tree_.put("global/y/SKILL.md");
  tree_.put("outside/SKILL.md");
  tree_.link("local/x", "../global/x");
  tree_.link("local/all", "../global");
  tree_.link("local/file.md", "../global/y/SKILL.md");
  tree_.link("local/absolute", tree_.at("local/own").string());
  tree_.put("local/own/SKILL.md");
  tree_.link("local/out", "../outside");
  GenerationPtr generation = scan();
  EXPECT_THAT(ids(generation), ElementsAre("own/index", "x/index", "y/index"));
  EXPECT_THAT(complaints(generation),
              ElementsAre("local:absolute in_other_root", "local:all in_other_root",
                          "local:file.md in_other_root", "local:out outside_root",
                          "local:x in_other_root"));
  EXPECT_THAT(message(generation, "x"), HasSubstr("`x` in the global root"));
  EXPECT_THAT(message(generation, "file.md"), HasSubstr("`y/SKILL.md` in the global root"));
  EXPECT_THAT(message(generation, "absolute"), HasSubstr("`own` in the local root"));
  EXPECT_THAT(message(generation, "all"), HasSubstr("the global root itself"));
  // The link is followed again when something happens where it leads.
  tree_.rename("global/x", "global/z");
  generation = content_->fresh();
  EXPECT_THAT(complaints(generation), Contains("local:x outside_root"));
  EXPECT_EQ(everything(generation), everything(Content::open(tree_.options())->fresh()));
  tree_.rename("global", "elsewhere");
  generation = content_->fresh();
  EXPECT_THAT(complaints(generation), Not(Contains(HasSubstr("file.md in_other_root"))));
  tree_.rename("elsewhere", "global");
  EXPECT_THAT(complaints(content_->fresh()), Contains("local:file.md in_other_root"));
}

TEST_F(Names, ALinkThatIsSwappedNamesItsNewPlace) {
  tree_.put("global/x/SKILL.md");
  tree_.put("global/y/SKILL.md");
  tree_.link("local/a", "../global/x");
  EXPECT_THAT(message(scan(), "a"), HasSubstr("`x` in"));
  tree_.link("local/next", "../global/y");
  tree_.rename("local/next", "local/a");
  EXPECT_THAT(message(content_->fresh(), "a"), HasSubstr("`y` in"));
}

}  // namespace
}  // namespace iii::content
