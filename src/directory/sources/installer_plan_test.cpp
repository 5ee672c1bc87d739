// Plans that are asked for and not carried out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "directory/sources/installer_fixture_for_test.h"

namespace iii::sources {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> brief(const std::vector<FileDiff>& files) {
  std::vector<std::string> out;
  for (const FileDiff& file : files) {
    out.push_back(file.path + " " + file.change + " " + std::to_string(file.size));
  }
  return out;
}

TEST(Plan, OfAFirstInstallationMakesNoFolder) {
  const SkillsFolder folder;
  const auto report = folder.install(bundle_of("1", {{"SKILL.md", "one\n"}}), {.dry_run = true});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(std::filesystem::exists(folder.path()));
  EXPECT_THAT(brief(report->files), ElementsAre("SKILL.md added 4"));
  EXPECT_EQ(report->files[0].diff, "@@ -0,0 +1,1 @@\n+one\n");
  EXPECT_THAT(report->skills_written, ElementsAre("SKILL.md"));
}

TEST(Plan, NamesEveryFileAndWritesNothing) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(bundle_of(
      "1", {{"SKILL.md", "one\n"}, {"edited.md", "e"}, {"gone.md", "gone\n"}, {"same.md", "s"}})));
  folder.put("resend/edited.md", "mine\n");
  const Files before = folder.picture();
  const Bundle next = bundle_of("2", {{"SKILL.md", "two\n"},
                                      {"binary", std::string("a\0b", 3)},
                                      {"edited.md", "E\n"},
                                      {"same.md", "s"}});
  const auto report = folder.install(next, {.dry_run = true});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(folder.picture(), before);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path(".iii-directory/staging")));
  EXPECT_THAT(brief(report->files), ElementsAre("SKILL.md changed 4", "binary added 3",
                                                "edited.md kept 2", "gone.md removed 5"));
  EXPECT_EQ(report->files[0].diff, "@@ -1,1 +1,1 @@\n-one\n+two\n");
  EXPECT_THAT(report->files[1].note, HasSubstr("not text"));
  EXPECT_EQ(report->files[2].diff, "@@ -1,1 +1,1 @@\n-mine\n+E\n");
  EXPECT_THAT(report->unchanged, ElementsAre("same.md"));
  EXPECT_EQ(report->resolved, "2");

  const auto carried_out = folder.install(next);
  ASSERT_TRUE(carried_out);
  EXPECT_THAT(carried_out->files, IsEmpty());
  EXPECT_EQ(carried_out->added, report->added);
  EXPECT_EQ(carried_out->changed, report->changed);
  EXPECT_EQ(carried_out->pruned, report->pruned);
  EXPECT_EQ(carried_out->conflicts, report->conflicts);
}

TEST(Plan, IsRefusedAsTheInstallationWouldBe) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(bundle_of("1", {{"SKILL.md", "one"}})));
  Bundle other = bundle_of("1", {{"SKILL.md", "one"}});
  other.source = RepoSource{.repo = "https://example.org/a/b", .skill = "resend"};
  EXPECT_EQ(code_of(folder.install(other, {.dry_run = true})), "D335");
  EXPECT_EQ(code_of(folder.install(bundle_of("1", {{"../x", "x"}}), {.dry_run = true})), "D312");
}

TEST(Plan, ADifferenceIsOfAllFilesOrOfOne) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(bundle_of("1", {{"SKILL.md", "one\n"}, {"a.md", "a\n"}})));
  folder.put("resend/a.md", "mine\n");
  const Installer installer(folder.path());
  const Bundle next = bundle_of("2", {{"SKILL.md", "one\n"}, {"a.md", "A\n"}, {"b.md", "b\n"}});
  const auto all = installer.diff(next, {});
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->current, "1");
  EXPECT_EQ(all->latest, "2");
  EXPECT_EQ(all->unchanged, 1U);
  EXPECT_THAT(brief(all->files), ElementsAre("a.md changed 2", "b.md added 2"));
  const auto one = installer.diff(next, "b.md");
  ASSERT_TRUE(one);
  EXPECT_THAT(brief(one->files), ElementsAre("b.md added 2"));
  EXPECT_EQ(installer.diff(next, "c.md").error().code, "D310");
}

}  // namespace
}  // namespace iii::sources
