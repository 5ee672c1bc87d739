#include "directory/reading/resolve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "directory/library/testing.h"

namespace iii::directory {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

View view_of(std::vector<TestSkill> skills, NamesPtr installed = nullptr) {
  return View(make_generation(std::move(skills)), std::move(installed));
}

NamesPtr installed(std::initializer_list<std::string> names) {
  return std::make_shared<const NameSet>(names);
}

std::string normalised(std::string_view input) {
  const auto id = normalise_input(input);
  return id ? *id : id.error().message;
}

TEST(NormaliseInput, EveryFormOfAnIdMeansTheSame) {
  for (const char* form :
       {"tri", "  tri  ", "\ttri\n", "iii://tri", "tri.md", "TRI", "iii://tri.md"}) {
    EXPECT_EQ(normalised(form), "tri") << form;
  }
  for (const char* form :
       {"tri/index", "tri/SKILL.md", "tri/SKILLS.md", "iii://tri/index.md", "tri/Index.md"}) {
    EXPECT_EQ(normalised(form), "tri/index") << form;
  }
  EXPECT_EQ(normalised("SKILL.md"), "index");
  EXPECT_EQ(normalised("tri/index_md"), "tri/index_md");
}

TEST(NormaliseInput, MistakesHaveCodesAndPointers) {
  EXPECT_THAT(normalised("  "), HasSubstr("non-empty"));
  EXPECT_THAT(normalised("iii://"), HasSubstr("non-empty"));
  EXPECT_THAT(normalised("https://x/y"), HasSubstr("iii://"));
  EXPECT_THAT(normalised("a b"), HasSubstr("lowercase"));
  EXPECT_THAT(normalised("../etc/passwd"), HasSubstr("D111 invalid_input"));
  for (const char* bad : {"", "https://x", "a//b", "/a", "a/", "a.b"}) {
    EXPECT_THAT(normalised(bad), HasSubstr("Next:")) << bad;
  }
}

TEST(NormaliseInput, TheSchemeIsTakenOffOnceAndNothingIsTrimmedAfterIt) {
  EXPECT_THAT(normalised("iii:// tri"), HasSubstr("D111"));
  EXPECT_THAT(normalised("iii://iii://tri"), HasSubstr("D111"));
  EXPECT_THAT(normalised("tri.md.md"), HasSubstr("D111")) << "one suffix is taken off";
  EXPECT_THAT(normalised("ftp://x/y"), HasSubstr("ftp://x/y")) << "what was written is shown";
}

TEST(NormaliseInput, R15_ReasonsNameTheSegment) {
  EXPECT_THAT(normalised("a/b c/d"), HasSubstr("2"));
  EXPECT_THAT(normalised("a/" + std::string(65, 'x')), HasSubstr("65"));
  EXPECT_EQ(normalised("fn/x"), "fn/x") << "R16: nothing is reserved";
}

TEST(NormaliseInput, D112_AFunctionIdIsRecognised) {
  const std::string text = normalised("sandbox::create");
  EXPECT_THAT(text, HasSubstr("D112 invalid_input"));
  EXPECT_THAT(text, HasSubstr("FUNCTION id"));
  EXPECT_THAT(text, HasSubstr("directory::skills::list"));
  EXPECT_THAT(text, HasSubstr("directory::skills::index"));
}

TEST(LookUp, ExactIdBeatsTheOverview) {
  const View view = view_of({{"a"}, {"a/index"}, {"b/index"}});
  EXPECT_EQ(look_up(view, "a")->id, "a");
  EXPECT_EQ(look_up(view, "b")->id, "b/index");
  EXPECT_EQ(look_up(view, "c"), nullptr);
}

TEST(LookUp, TheFormerIdOfALowerCaseSkillMdMeansItsOverview) {
  auto generation =
      std::make_shared<content::Generation>(*make_generation({{"a/index"}, {"b/index"}}));
  auto lower = std::make_shared<content::Skill>(*generation->skills[0]);
  lower->file.path = "a/skill.md";
  generation->skills.set(0, lower);
  const View view(generation, nullptr);
  ASSERT_NE(look_up(view, "a/skill"), nullptr);
  EXPECT_EQ(look_up(view, "a/skill")->id, "a/index");
  EXPECT_EQ(look_up(view, "b/skill"), nullptr) << "its overview was never called so";
  EXPECT_EQ(look_up(view, "skill"), nullptr);
}

// The worked cases of directory-read §5.2.
struct Case {
  NamesPtr names;
  std::vector<TestSkill> visible;
  std::string query;
  std::string result;  // on-disk id, or an error code
};

class ResolveMiss : public testing::TestWithParam<Case> {};

TEST_P(ResolveMiss, AsThePublishedWorkerDoes) {
  const Case& c = GetParam();
  const View view = view_of(c.visible);
  const auto found = resolve_miss(view, *c.names, c.query);
  if (found) {
    EXPECT_EQ(found->skill->id, c.result);
    EXPECT_THAT(found->note, testing::StartsWith("> Note: "));
    EXPECT_THAT(found->note, testing::EndsWith("\n\n---\n\n"));
  } else {
    EXPECT_EQ(found.error().message.substr(0, 4), c.result) << found.error().message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Worked, ResolveMiss,
    testing::Values(
        Case{installed({"iii-sandbox"}),
             {{"iii-sandbox/index"}, {"iii/index"}},
             "sandbox",
             "iii-sandbox/index"},
        Case{installed({"iii-sandbox"}),
             {{"iii-sandbox/index"}, {"iii/index"}},
             "iii-sandbox/sandbox/create",
             "iii-sandbox/index"},
        Case{installed({"agent-memory"}), {{"agent-memory/index"}}, "memory", "agent-memory/index"},
        Case{installed({"iii-foobar", "iii-fooqux"}),
             {{"iii-foobar/index"}, {"iii-fooqux/index"}},
             "foo",
             "D110"},
        Case{installed({"iii-foo"}),
             {{"iii-foo/index"}, {"iii-foo/a"}, {"iii-foo/b"}},
             "foo",
             "iii-foo/index"},
        Case{installed({"iii-foo"}),
             {{"iii-foo/index"}, {"iii-foo/a"}, {"iii-foo/b"}},
             "foo/c",
             "D110"},
        Case{installed({"box", "iii-sandbox"}),
             {{"iii-sandbox/index"}, {"iii/index"}},
             "box",
             "iii/index"},
        Case{installed({"box"}), {{"iii-sandbox/index"}}, "box", "D110"},
        Case{installed({"iii-http"}), {{"iii-http/index"}}, "iii-http/typo", "iii-http/index"},
        Case{installed({}),
             {{"directory/index"}, {"directory/skills/get"}},
             "directory/skills/got",
             "D110"},
        Case{installed({"iii-x"}), {{"iii/index"}}, "iii/missing", "D110"}));

TEST(ResolveMissBeyond, ShortNamesWorkWithoutAWorkerList) {
  const View view = view_of({{"iii-sandbox/index"}, {"iii/index"}});
  EXPECT_EQ(resolve_miss(view, {}, "sandbox")->skill->id, "iii-sandbox/index");
}

TEST(ResolveMissBeyond, ShortNamesWorkForFoldersWhoseWorkersNobodyLists) {
  const View view = view_of({{"agent-memory/index"}, {"iii/index"}});
  for (const auto& names : {installed({}), installed({"iii-directory"}), installed({"mail"})}) {
    EXPECT_EQ(resolve_miss(view, *names, "memory")->skill->id, "agent-memory/index");
  }
  EXPECT_FALSE(resolve_miss(view, *installed({"mail"}), "memory/recall")) << "names only";
}

TEST(ResolveMissBeyond, TheNoteSaysWhatWasAskedForAndWhatIsShown) {
  const View view = view_of({{"iii-sandbox/index"}, {"iii/index"}});
  const auto names = installed({"iii-sandbox", "box"});
  const std::string overview = resolve_miss(view, *names, "sandbox")->note;
  EXPECT_THAT(overview, HasSubstr("`sandbox`"));
  EXPECT_THAT(overview, HasSubstr("`iii-sandbox`"));
  EXPECT_THAT(overview, HasSubstr("prefix=\"iii-sandbox/\""));
  EXPECT_THAT(resolve_miss(view, *names, "box")->note, HasSubstr("`box`"));
}

TEST(ResolveMissBeyond, ATieHasNoWinnerAndNoLengthIsTooShort) {
  const View view = view_of({{"ab-x/index"}, {"ab-y/index"}, {"box/index"}});
  const auto names = installed({"ab-x", "ab-y", "box"});
  EXPECT_FALSE(resolve_miss(view, *names, "ab"));
  EXPECT_EQ(resolve_miss(view, *names, "o")->skill->id, "box/index");
}

TEST(ResolveMissBeyond, TheVariantOfD110NamesTheWorkerAndWhomToAsk) {
  const auto found = resolve_miss(view_of({}), *installed({"box"}), "box");
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, testing::StartsWith("D110 not_found: \"box\""));
  EXPECT_THAT(found.error().message, HasSubstr("engine::functions::list"));
}

TEST(Suggestions, Vector_TheEngineInFrontOfAPath) {
  const View view = view_of({{"sandbox/index"}, {"iii/index"}, {"iii/skills/iii/quick-reference"}});
  EXPECT_THAT(suggest_skills(view, "iii/skills/sandbox/index"),
              ElementsAre("sandbox", "iii", "iii/skills/iii/quick-reference"));
}

TEST(Suggestions, Vector_AMissingFolderInTheMiddle) {
  const View view = view_of(
      {{"database/iii-database/query"}, {"database/index"}, {"database/iii-database/execute"}});
  EXPECT_THAT(
      suggest_skills(view, "database/query"),
      ElementsAre("database/iii-database/query", "database", "database/iii-database/execute"));
}

TEST(Suggestions, AreThreeAtMostAndNoneInAnEmptyDirectory) {
  EXPECT_THAT(suggest_skills(view_of({}), "a/b"), IsEmpty());
  const View many = view_of({{"x/a"}, {"x/b"}, {"x/c"}, {"x/d"}});
  EXPECT_THAT(suggest_skills(many, "x/z"), ElementsAre("x/a", "x/b", "x/c"));
}

TEST(Suggestions, Vector_SandboxExec) {
  const View view =
      view_of({{"sandbox/skills/sandbox/exec"}, {"sandbox/skills/legacy/exec"}, {"sandbox/index"}});
  EXPECT_THAT(suggest_skills(view, "sandbox/exec"),
              ElementsAre("sandbox/skills/legacy/exec", "sandbox/skills/sandbox/exec", "sandbox"));
}

TEST(Suggestions, ALoneMisspeltSegmentGetsOne) {
  const View view = view_of({{"iii-sandbox/index"}, {"iii/index"}, {"database/index"}});
  EXPECT_THAT(suggest_skills(view, "iii-sanbox"), ElementsAre("iii-sandbox"));
  EXPECT_THAT(suggest_skills(view, "databse"), ElementsAre("database"));
  EXPECT_THAT(suggest_skills(view, "zzz"), IsEmpty());
}

TEST(Suggestions, HiddenDocumentsAreNeverNamed) {
  const View view = view_of({{"orphan/exec"}, {"seen/exec"}}, installed({"seen"}));
  EXPECT_THAT(suggest_skills(view, "x/exec"), ElementsAre("seen/exec"));
}

TEST(Suggestions, OfPromptsAreTheNearestThree) {
  const auto generation = make_generation({}, {"alpha", "beta", "better", "gamma"});
  EXPECT_THAT(suggest_prompts(*generation, "beto"), ElementsAre("beta", "better", "alpha"));
}

}  // namespace
}  // namespace iii::directory
