// A namespace belongs to its source; executable bits are recorded and verified.
#include <sys/stat.h>

#include "directory/sources/installer_fixture_for_test.h"

namespace iii::sources {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Bundle repo_bundle(const std::string& url, const Files& files, const std::string& folder,
                   RepoSource source = {}) {
  source.repo = url;
  if (source.skill.empty()) source.skill = "creator";
  Bundle bundle = bundle_of(std::string(40, 'a'), files);
  bundle.source = source;
  bundle.folder = folder;
  return bundle;
}

TEST(InstallerOwner, AnotherRepositoryIsRefusedWithBothNamed) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(repo_bundle(
      "https://git.test/one", {{"SKILL.md", "one"}, {"more.md", "m"}}, "skills/creator")));
  const Files before = folder.picture();
  const Bundle other = repo_bundle("https://git.test/two", {{"SKILL.md", "two"}}, "skills/creator");
  const auto refused = folder.install(other);
  ASSERT_EQ(code_of(refused), "D335");
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("https://git.test/one"), HasSubstr("https://git.test/two"),
                    HasSubstr("`as`"), HasSubstr("`force`")));
  EXPECT_EQ(folder.picture(), before);
  const auto forced = folder.install(other, {.force = true, .automatic = false, .exactly = {}});
  ASSERT_TRUE(forced) << forced.error().message;
  EXPECT_THAT(forced->pruned, ElementsAre("more.md"));
  EXPECT_EQ(folder.get("creator/SKILL.md"), "two");
}

TEST(InstallerOwner, AnotherNameDecidesAsWell) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(repo_bundle("https://git.test/one", {{"SKILL.md", "one"}}, "x")));
  const RepoSource as{.repo = {}, .skill = "creator", .ref = {}, .path = {}, .as = "creator2"};
  ASSERT_TRUE(folder.install(repo_bundle("https://git.test/two", {{"SKILL.md", "two"}}, "x", as)));
  EXPECT_EQ(folder.get("creator/SKILL.md") + folder.get("creator2/SKILL.md"), "onetwo");
  const Lock lock = lock_in(folder.path());
  EXPECT_EQ(namespace_of(lock.namespaces.at("creator2").source), "creator2");
}

TEST(InstallerOwner, RegistryAndRepositoryAreDifferentSources) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(bundle_of("1", {{"SKILL.md", "one"}}, "creator")));
  const Bundle repo = repo_bundle("https://git.test/one", {{"SKILL.md", "two"}}, "x");
  EXPECT_EQ(code_of(folder.install(repo)), "D335");
  ASSERT_TRUE(folder.install(repo, {.force = true, .automatic = false, .exactly = {}}));
  EXPECT_EQ(code_of(folder.install(bundle_of("1", {{"SKILL.md", "one"}}, "creator"),
                                   {.force = false, .automatic = true, .exactly = {}})),
            "D335");
}

TEST(InstallerOwner, TheSameSourceInAnotherVersionOrSpellingIsAnUpdate) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(repo_bundle("https://git.test/a/b", {{"SKILL.md", "1"}}, "skills/c")));
  const RepoSource ref{.repo = {}, .skill = "creator", .ref = "v2"};
  EXPECT_EQ(code_of(folder.install(
                repo_bundle("https://git.test/a/b.git", {{"SKILL.md", "2"}}, "skills/c", ref))),
            "fine");
  EXPECT_EQ(
      code_of(folder.install(repo_bundle("git@git.test:a/b.git", {{"SKILL.md", "3"}}, "moved/c"))),
      "fine")
      << "moved inside its repository, and asked for in the same way";
  const RepoSource path{.repo = {}, .skill = "creator", .ref = {}, .path = "moved/c"};
  EXPECT_EQ(code_of(folder.install(
                repo_bundle("https://git.test/a/b", {{"SKILL.md", "4"}}, "moved/c", path))),
            "fine")
      << "asked for differently, found in the same place";
  const RepoSource elsewhere{.repo = {}, .skill = "creator", .ref = {}, .path = "other/c"};
  EXPECT_EQ(code_of(folder.install(
                repo_bundle("https://git.test/a/b", {{"SKILL.md", "5"}}, "other/c", elsewhere))),
            "D335")
      << "another skill of the same repository";
}

mode_t mode_of(const fs::path& path) {
  struct stat about{};
  EXPECT_EQ(::stat(path.c_str(), &about), 0);
  return about.st_mode & 0777;
}

Bundle with_script(bool executable, const std::string& text = "#!/bin/sh\n") {
  Bundle bundle = bundle_of("1", {{"SKILL.md", "x"}, {"run.sh", text}});
  bundle.files[1].executable = executable;
  EXPECT_EQ(bundle.files[1].path, "run.sh");
  return bundle;
}

TEST(InstallerMode, ExecutableFilesAreWrittenRecordedAndVerified) {
  const SkillsFolder folder;
  const auto report = folder.install(with_script(true));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->executable, ElementsAre("run.sh"));
  const fs::path script = folder.path("resend/run.sh");
  const mode_t plain = mode_of(folder.path("resend/SKILL.md"));
  EXPECT_EQ(mode_of(script), plain | ((plain & 0444) >> 2)) << "as the umask says";
  EXPECT_TRUE(lock_in(folder.path()).namespaces.at("resend").files.at("run.sh").executable);
  EXPECT_THAT(folder.get("directory.lock"), HasSubstr("mode: x"));
  EXPECT_THAT(verified(folder.path()),
              ElementsAre("resend/SKILL.md intact", "resend/run.sh intact"));
  fs::permissions(script, fs::perms::owner_read);
  EXPECT_THAT(verified(folder.path()), ElementsAre("resend/SKILL.md intact", "resend/run.sh mode"));
}

TEST(InstallerMode, ABitThatTheUserChangedIsLeftAloneUnlessForced) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(with_script(true)));
  const fs::path script = folder.path("resend/run.sh");
  fs::permissions(script, fs::perms::owner_exec, fs::perm_options::remove);
  auto report = folder.install(with_script(true));
  EXPECT_THAT(report->changed, IsEmpty());
  EXPECT_EQ(mode_of(script) & 0100, 0U);
  report = folder.install(with_script(true), {.force = true, .automatic = false, .exactly = {}});
  EXPECT_THAT(report->changed, ElementsAre("run.sh"));
  EXPECT_EQ(mode_of(script) & 0100, 0100U);
}

TEST(InstallerMode, TheBitFollowsTheSourceInBothDirections) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(with_script(false)));
  const fs::path script = folder.path("resend/run.sh");
  EXPECT_EQ(mode_of(script) & 0111, 0U);
  EXPECT_THAT(folder.install(with_script(true))->changed, ElementsAre("run.sh"));
  EXPECT_EQ(mode_of(script) & 0100, 0100U);
  EXPECT_THAT(folder.install(with_script(true))->changed, IsEmpty());
  EXPECT_THAT(folder.install(with_script(true, "new text"))->changed, ElementsAre("run.sh"));
  EXPECT_EQ(mode_of(script) & 0100, 0100U);
  EXPECT_THAT(folder.install(with_script(false, "new text"))->changed, ElementsAre("run.sh"));
  EXPECT_EQ(mode_of(script) & 0111, 0U);
}

}  // namespace
}  // namespace iii::sources
