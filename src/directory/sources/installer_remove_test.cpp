#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "directory/sources/installer_fixture_for_test.h"

namespace iii::sources {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;

Result<RemoveReport> remove(const SkillsFolder& folder, const std::string& name,
                            const InstallOptions& options = {}) {
  return Installer(folder.path()).remove(name, options, {});
}

const Files kBundle{{"SKILL.md", "one"}, {"sub/leaf.md", "leaf"}, {"prompts/p.md", "p"}};

TEST(Remove, TakesFilesFoldersAndTheEntry) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(bundle_of("1", {{"SKILL.md", "other"}}, "other")));
  const Files before = folder.picture();
  ASSERT_TRUE(folder.install(bundle_of("1", kBundle)));
  const auto planned = remove(folder, "resend", {.dry_run = true});
  ASSERT_TRUE(planned);
  const auto removed = remove(folder, "resend");
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_THAT(removed->removed, ElementsAre("SKILL.md", "prompts/p.md", "sub/leaf.md"));
  EXPECT_EQ(planned->removed, removed->removed);
  EXPECT_THAT(removed->kept, IsEmpty());
  EXPECT_EQ(folder.picture(), before);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path(".iii-directory/staging")));
  EXPECT_FALSE(std::filesystem::exists(folder.path(".iii-directory/journal")));
}

TEST(Remove, KeepsWhatAPersonChangedUnlessForced) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(bundle_of("1", kBundle)));
  folder.put("resend/SKILL.md", "mine");
  folder.put("resend/notes/added.md", "mine, too");
  const auto removed = remove(folder, "resend");
  ASSERT_TRUE(removed);
  EXPECT_THAT(removed->kept, ElementsAre("SKILL.md", "notes/added.md"));
  EXPECT_EQ(folder.get("resend/SKILL.md"), "mine");
  EXPECT_THAT(folder.picture(), Not(Contains(Key("resend/sub"))));
  EXPECT_THAT(lock_in(folder.path()).namespaces, IsEmpty());

  ASSERT_TRUE(folder.install(bundle_of("1", kBundle)));
  ASSERT_TRUE(remove(folder, "resend", {.force = true}));
  EXPECT_THAT(folder.picture(), Not(Contains(Key("resend"))));
}

TEST(Remove, AFolderThatIsGoneAlreadyLosesItsEntry) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(bundle_of("1", kBundle)));
  std::filesystem::remove_all(folder.path("resend"));
  ASSERT_TRUE(remove(folder, "resend"));
  EXPECT_THAT(folder.picture(), ElementsAre(Key("directory.lock")));
  EXPECT_THAT(lock_in(folder.path()).namespaces, IsEmpty());
}

TEST(Remove, WhatWasNotInstalledIsLeftAlone) {
  const SkillsFolder folder;
  EXPECT_EQ(remove(folder, "resend", {.force = true}).error().code, "D310");
  ASSERT_TRUE(folder.install(bundle_of("1", kBundle)));
  folder.put("mine/SKILL.md", "mine");
  const auto refused = remove(folder, "mine", {.force = true});
  ASSERT_FALSE(refused);
  EXPECT_EQ(folder.get("mine/SKILL.md"), "mine");
  EXPECT_THAT(remove(folder, "resent").error().message, HasSubstr("Did you mean: resend"));
}

// A person edits directory.lock between the plan and the swap: it is kept, and is not a file of the
// namespace.
TEST(Remove, ALockFileThatChangesMeanwhileIsNotReportedAsAFile) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(bundle_of("1", kBundle, "a-namespace-longer-than-directory-lock")));
  bool edited = false;
  const auto edit = [&](std::string_view, std::string_view path) {
    if (edited || !path.ends_with("journal")) return 0;
    edited = true;
    std::ofstream(folder.path("directory.lock"), std::ios::app) << "# edited\n";
    return 0;
  };
  const auto removed =
      Installer(folder.path(), edit).remove("a-namespace-longer-than-directory-lock", {}, {});
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_TRUE(edited);
  EXPECT_THAT(removed->kept, IsEmpty());
  EXPECT_EQ(removed->removed.size(), kBundle.size());
}

// Cancelled, or stopped while somebody else writes: nothing is removed.
TEST(Remove, ACancelledJobRemovesNothing) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(bundle_of("1", kBundle)));
  const Files before = folder.picture();
  const Job job;
  job.cancelled->store(true);
  EXPECT_FALSE(Installer(folder.path()).remove("resend", {}, job));
  EXPECT_EQ(folder.picture(), before);
}

}  // namespace
}  // namespace iii::sources
