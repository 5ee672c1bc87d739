// What an installation does to a skills folder, rule by rule.
#include "directory/sources/installer.h"

#include <sys/stat.h>

#include "directory/sources/installer_fixture_for_test.h"
#include "directory/sources/journal.h"

namespace iii::sources {
namespace {

namespace fs = std::filesystem;

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;

const Files kFirst = {{"SKILL.md", "one"}, {"sub/leaf.md", "leaf"}, {"prompts/p.md", "prompt"}};

TEST(Installer, PutsABundleIntoAFolderThatDidNotExistAndRecordsIt) {
  const SkillsFolder folder;
  Bundle bundle = bundle_of("1.2.3", kFirst);
  bundle.skipped = {{"Bad Name.md", "cannot be served"}};
  const auto report = folder.install(bundle);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->name_space, "resend");
  EXPECT_THAT(report->skills_written, ElementsAre("SKILL.md", "sub/leaf.md"));
  EXPECT_THAT(report->prompts_written, ElementsAre("p"));
  EXPECT_TRUE(report->skills_changed && report->prompts_changed);
  EXPECT_EQ(report->skipped.size(), 1u);
  EXPECT_EQ(report->resolved, "1.2.3");
  EXPECT_EQ(folder.get("resend/sub/leaf.md"), "leaf");
  const Lock lock = lock_in(folder.path());
  const LockedNamespace& entry = lock.namespaces.at("resend");
  EXPECT_EQ(report->digest, entry.digest());
  EXPECT_EQ(entry.files.at("SKILL.md"), (LockedFile{sha256_hex("one"), 3}));
  EXPECT_EQ(entry.source, bundle.source);
  EXPECT_THAT(verified(folder.path()),
              ElementsAre("resend/SKILL.md intact", "resend/prompts/p.md intact",
                          "resend/sub/leaf.md intact"));
  EXPECT_TRUE(fs::is_empty(folder.path(".iii-directory/staging")));
  EXPECT_EQ(folder.get(".iii-directory/.gitignore"), "*\n");
}

TEST(Installer, W11IdenticalContentIsNotTouched) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(bundle_of("1", kFirst)));
  struct stat before{};
  struct stat lock_before{};
  ASSERT_EQ(::stat(folder.path("resend/SKILL.md").c_str(), &before), 0);
  ASSERT_EQ(::stat(folder.path("directory.lock").c_str(), &lock_before), 0);
  const auto report = folder.install(bundle_of("1", kFirst));
  ASSERT_TRUE(report);
  EXPECT_THAT(report->unchanged, ElementsAre("SKILL.md", "prompts/p.md", "sub/leaf.md"));
  EXPECT_THAT(report->skills_written, IsEmpty());
  EXPECT_FALSE(report->skills_changed || report->prompts_changed);
  struct stat after{};
  struct stat lock_after{};
  ASSERT_EQ(::stat(folder.path("resend/SKILL.md").c_str(), &after), 0);
  ASSERT_EQ(::stat(folder.path("directory.lock").c_str(), &lock_after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(before.st_ctim.tv_nsec, after.st_ctim.tv_nsec);
  EXPECT_EQ(lock_before.st_ino, lock_after.st_ino);
}

TEST(Installer, W11ANewVersionWithEqualFilesChangesTheLockAlone) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(bundle_of("1", kFirst)));
  const auto inode = fs::last_write_time(folder.path("resend/SKILL.md"));
  const auto report = folder.install(bundle_of("2", kFirst));
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->skills_changed || report->prompts_changed);
  EXPECT_EQ(inode, fs::last_write_time(folder.path("resend/SKILL.md")));
  EXPECT_EQ(lock_in(folder.path()).namespaces.at("resend").resolved, "2");
}

TEST(Installer, ReplacesWhatIsOursAndKeepsTheMode) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(bundle_of("1", kFirst)));
  fs::permissions(folder.path("resend/SKILL.md"), static_cast<fs::perms>(0660));
  const auto report = folder.install(bundle_of("2", {{"SKILL.md", "two"}, {"x.png", "p"}}));
  ASSERT_TRUE(report);
  EXPECT_THAT(report->skills_written, ElementsAre("SKILL.md"));
  EXPECT_EQ(folder.get("resend/SKILL.md"), "two");
  EXPECT_EQ(fs::status(folder.path("resend/SKILL.md")).permissions(), static_cast<fs::perms>(0660));
}

TEST(Installer, W21OtherFilesAreAssetsAndChangeNoSkill) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(bundle_of("1", {{"SKILL.md", "one"}})));
  const auto report = folder.install(bundle_of("2", {{"SKILL.md", "one"}, {"run.sh", "x"}}));
  ASSERT_TRUE(report);
  EXPECT_THAT(report->assets_written, ElementsAre("run.sh"));
  EXPECT_THAT(report->skills_written, IsEmpty());
  EXPECT_FALSE(report->skills_changed);
}

TEST(Installer, W9PrunesWhatTheSourceDroppedAndNobodyEdited) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(
      bundle_of("1", {{"index.md", "i"}, {"a/b/x.md", "x"}, {"a/y.md", "y"}, {"e.md", "e"}})));
  folder.put("resend/a/mine.md", "hand-added");
  folder.put("resend/e.md", "edited");
  const auto report = folder.install(bundle_of("2", {{"SKILL.md", "s"}}));
  ASSERT_TRUE(report);
  EXPECT_THAT(report->pruned, ElementsAre("a/b/x.md", "a/y.md", "index.md"));
  EXPECT_THAT(report->conflicts, ElementsAre("e.md"));
  EXPECT_TRUE(report->skills_changed);
  EXPECT_FALSE(fs::exists(folder.path("resend/a/b"))) << "empty folders go";
  EXPECT_EQ(folder.get("resend/a/mine.md"), "hand-added");
  EXPECT_EQ(folder.get("resend/e.md"), "edited");
  EXPECT_THAT(verified(folder.path()),
              ElementsAre("resend/SKILL.md intact", "resend/a/mine.md extra", "resend/e.md extra"));
}

TEST(Installer, W10EditedFilesAreKeptAndReportedUntilForced) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(bundle_of("1", kFirst)));
  folder.put("resend/SKILL.md", "my edit");
  folder.put("resend/new.md", "written by hand before upstream had it");
  const Bundle second = bundle_of("2", {{"SKILL.md", "two"}, {"new.md", "new"}});
  for (int round = 0; round < 2; ++round) {
    const auto report = folder.install(second);
    ASSERT_TRUE(report);
    EXPECT_THAT(report->conflicts, ElementsAre("SKILL.md", "new.md"));
    EXPECT_THAT(report->skills_written, IsEmpty());
    EXPECT_EQ(folder.get("resend/SKILL.md"), "my edit");
    EXPECT_THAT(verified(folder.path()),
                ElementsAre("resend/SKILL.md edited", "resend/new.md edited"));
  }
  const auto forced = folder.install(second, {.force = true});
  ASSERT_TRUE(forced);
  EXPECT_THAT(forced->conflicts, IsEmpty());
  EXPECT_THAT(forced->skills_written, ElementsAre("SKILL.md", "new.md"));
  EXPECT_EQ(folder.get("resend/SKILL.md"), "two");
}

TEST(Installer, FilesThatTheUserDeletedComeBack) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(bundle_of("1", kFirst)));
  fs::remove(folder.path("resend/SKILL.md"));
  EXPECT_THAT(verified(folder.path()), Contains("resend/SKILL.md missing"));
  const auto report = folder.install(bundle_of("1", kFirst));
  EXPECT_THAT(report->skills_written, ElementsAre("SKILL.md"));
}

TEST(Installer, TheFirstDownloadKeepsWhatWasMadeByHand) {
  const SkillsFolder folder;
  folder.put("resend/SKILL.md", "made by hand");
  folder.put("resend/sub/leaf.md", "leaf");
  folder.put("resend/mine.md", "sibling");
  const auto report = folder.install(bundle_of("1", kFirst));
  ASSERT_TRUE(report);
  EXPECT_THAT(report->conflicts, ElementsAre("SKILL.md"));
  EXPECT_THAT(report->overwritten, IsEmpty());
  EXPECT_THAT(report->unchanged, ElementsAre("sub/leaf.md"));
  EXPECT_EQ(folder.get("resend/SKILL.md"), "made by hand");
  EXPECT_EQ(folder.get("resend/mine.md"), "sibling");
  const auto forced = folder.install(bundle_of("1", kFirst), {.force = true});
  ASSERT_TRUE(forced);
  EXPECT_THAT(forced->overwritten, ElementsAre("SKILL.md"));
  EXPECT_THAT(forced->conflicts, IsEmpty());
  EXPECT_EQ(folder.get("resend/SKILL.md"), "one");
  EXPECT_EQ(folder.get("resend/mine.md"), "sibling");
}

std::optional<std::string> kept_of(const SkillsFolder& folder, const std::string& path) {
  return lock_in(folder.path()).namespaces.at("resend").files.at(path).kept;
}

TEST(Installer, TheLockDoesNotGiveKeptFilesTheNewVersion) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(bundle_of("1", {{"SKILL.md", "one"}, {"b.md", "b"}})));
  folder.put("resend/SKILL.md", "my edit");
  ASSERT_TRUE(folder.install(bundle_of("1", {{"SKILL.md", "one"}, {"b.md", "b"}})));
  EXPECT_EQ(kept_of(folder, "SKILL.md"), std::nullopt) << "an edit of the newest text";
  folder.put("resend/new.md", "made by hand");
  const Bundle second = bundle_of("2", {{"SKILL.md", "two"}, {"b.md", "b"}, {"new.md", "n"}});
  ASSERT_TRUE(folder.install(second));
  EXPECT_EQ(kept_of(folder, "SKILL.md"), "1");
  EXPECT_EQ(kept_of(folder, "new.md"), "") << "never the source's";
  EXPECT_EQ(kept_of(folder, "b.md"), std::nullopt);
  // The same text upstream in a later version, and then another one.
  ASSERT_TRUE(folder.install(bundle_of("3", {{"SKILL.md", "two"}, {"b.md", "b"}})));
  EXPECT_EQ(kept_of(folder, "SKILL.md"), "1");
  ASSERT_TRUE(folder.install(bundle_of("4", {{"SKILL.md", "four"}, {"b.md", "b"}})));
  EXPECT_EQ(kept_of(folder, "SKILL.md"), "1");
  folder.put("resend/SKILL.md", "four");
  ASSERT_TRUE(folder.install(bundle_of("4", {{"SKILL.md", "four"}, {"b.md", "b"}})));
  EXPECT_EQ(kept_of(folder, "SKILL.md"), std::nullopt);
}

// `doctor --fix` of a downloaded file: ours, not the user's.
TEST(Installer, OurOwnFixesAreReplacedByNewerVersionsAndOtherwiseStay) {
  const SkillsFolder folder;
  Installer installer(folder.path());
  ASSERT_TRUE(folder.install(bundle_of("1", {{"SKILL.md", "broken"}, {"e.md", "e"}})));
  folder.put("resend/e.md", "edited");
  folder.put("resend/SKILL.md", "mended, and longer");
  folder.put("resend/e.md", "edited and mended");
  ASSERT_TRUE(installer.record_fixes(
      {{"resend/SKILL.md", sha256_hex("broken"), sha256_hex("mended, and longer")},
       {"resend/e.md", sha256_hex("edited"), sha256_hex("edited and mended")},
       {"resend/extra.md", sha256_hex("x"), sha256_hex("y")},
       {"loose.md", sha256_hex("x"), sha256_hex("y")},
       {"other/a.md", sha256_hex("x"), sha256_hex("y")}},
      {}));
  EXPECT_THAT(verified(folder.path()), ElementsAre("resend/SKILL.md intact", "resend/e.md edited"));
  auto report = folder.install(bundle_of("1", {{"SKILL.md", "broken"}, {"e.md", "e"}}));
  ASSERT_TRUE(report);
  EXPECT_THAT(report->unchanged, ElementsAre("SKILL.md")) << "the fix is not undone";
  EXPECT_EQ(folder.get("resend/SKILL.md"), "mended, and longer");
  report = folder.install(bundle_of("2", {{"SKILL.md", "two"}, {"e.md", "e"}}));
  ASSERT_TRUE(report);
  EXPECT_THAT(report->skills_written, ElementsAre("SKILL.md"));
  EXPECT_THAT(report->conflicts, ElementsAre("e.md"));
  EXPECT_EQ(folder.get("resend/SKILL.md"), "two");
}

TEST(Installer, FixesNeedNoLock) {
  const SkillsFolder folder;
  folder.put("mine/SKILL.md", "x");
  EXPECT_TRUE(Installer(folder.path()).record_fixes({{"mine/SKILL.md", "a", "b"}}, {}));
  EXPECT_FALSE(fs::exists(folder.path(".iii-directory")));
}

TEST(Installer, WithoutARecordNothingIsOverwrittenWhenNobodyAsked) {
  const SkillsFolder folder;
  folder.put("resend/SKILL.md", "made by hand");
  auto report = folder.install(bundle_of("1", {{"SKILL.md", "one"}}), {.automatic = true});
  ASSERT_TRUE(report);
  EXPECT_THAT(report->conflicts, ElementsAre("SKILL.md"));
  EXPECT_EQ(folder.get("resend/SKILL.md"), "made by hand");
  const SkillsFolder marked;  // by the published worker
  marked.put("resend/SKILL.md", "old download");
  marked.put("resend/.iii-skill-complete", "");
  report = marked.install(bundle_of("1", {{"SKILL.md", "one"}}), {.automatic = true});
  EXPECT_THAT(report->overwritten, ElementsAre("SKILL.md"));
}

TEST(Installer, W13AnExplicitDownloadIsRecordedAsAPersonsChoiceAndWritesNoMarker) {
  const SkillsFolder folder;
  Bundle bundle = bundle_of("1.0", kFirst);
  bundle.source = RegistrySource{"resend", "1.0", std::nullopt};
  ASSERT_TRUE(folder.install(bundle));
  const Installer installer(folder.path());
  EXPECT_TRUE(lock_in(folder.path()).namespaces.at("resend").pinned());
  EXPECT_FALSE(installer.has(marker_of("resend")));
}

TEST(Installer, AutomaticDownloadsWriteThePublishedMarker) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(bundle_of("1.0", {}), {.automatic = true}));
  EXPECT_EQ(folder.get("resend/.iii-skill-complete"),
            "{\n  \"worker\": \"resend\",\n  \"source\": \"registry\",\n"
            "  \"tag_or_version\": \"latest\",\n  \"schema\": 1\n}");
  const Installer installer(folder.path());
  EXPECT_TRUE(installer.has(marker_of("resend")));
  EXPECT_FALSE(installer.has(marker_of("other")));
  EXPECT_TRUE(lock_in(folder.path()).namespaces.at("resend").automatic);
  EXPECT_THAT(verified(folder.path()), IsEmpty()) << "the marker is no extra file";
}

TEST(Installer, AnEmptyBundleMakesTheNamespaceAndChangesNothingElse) {
  const SkillsFolder folder;
  const auto report = folder.install(bundle_of("1", {}));
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->skills_changed || report->prompts_changed);
  EXPECT_TRUE(fs::is_directory(folder.path("resend")));
}

TEST(Installer, W12NothingIsWrittenThroughLinks) {
  const SkillsFolder folder;
  const fs::path victim = folder.base() / "victim";
  fs::create_directories(victim);
  std::ofstream(victim / "SKILL.md") << "precious";
  fs::create_directories(folder.path());
  fs::create_directory_symlink(victim, folder.path("resend"));
  const auto whole = folder.install(bundle_of("1", kFirst), {.force = true});
  ASSERT_FALSE(whole);
  EXPECT_EQ(whole.error().code, "D330");
  EXPECT_THAT(whole.error().message,
              AllOf(HasSubstr("link"), HasSubstr("Next:"), Not(HasSubstr(folder.base().string()))));
  fs::remove(folder.path("resend"));
  fs::create_directories(folder.path("resend"));
  fs::create_directory_symlink(victim, folder.path("resend/sub"));
  EXPECT_EQ(code_of(folder.install(bundle_of("1", kFirst), {.force = true})), "D330");
  fs::remove(folder.path("resend/sub"));
  fs::create_directory_symlink("other", folder.path("resend/sub"));
  fs::create_directories(folder.path("resend/other"));
  EXPECT_EQ(code_of(folder.install(bundle_of("1", kFirst), {.force = true})), "D330")
      << "nor through one that stays inside";
  EXPECT_EQ(picture_of(victim), (Files{{"SKILL.md", "precious"}}));
  EXPECT_FALSE(fs::exists(folder.path("directory.lock")));
}

TEST(Installer, W12ALinkAtTheDestinationIsKeptOrReplacedNeverFollowed) {
  const SkillsFolder folder;
  const fs::path victim = folder.base() / "victim.md";
  std::ofstream(victim) << "precious";
  fs::create_directories(folder.path("resend"));
  fs::create_symlink(victim, folder.path("resend/SKILL.md"));
  fs::create_symlink(victim, folder.path("resend/SKILL.md.tmp"));
  auto report = folder.install(bundle_of("1", kFirst));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->conflicts, ElementsAre("SKILL.md"));
  EXPECT_TRUE(fs::is_symlink(folder.path("resend/SKILL.md")));
  EXPECT_THAT(verified(folder.path()),
              AllOf(Contains("resend/SKILL.md edited"), Contains("resend/SKILL.md.tmp extra")));
  report = folder.install(bundle_of("1", kFirst), {.force = true});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(fs::is_symlink(folder.path("resend/SKILL.md")));
  EXPECT_EQ(folder.get("resend/SKILL.md"), "one");
  EXPECT_EQ(read_whole(victim), "precious");
}

TEST(Installer, W12OurOwnFolderMayNotBeALinkEither) {
  const SkillsFolder folder;
  fs::create_directories(folder.base() / "victim");
  fs::create_directories(folder.path());
  fs::create_directory_symlink(folder.base() / "victim", folder.path(".iii-directory"));
  EXPECT_EQ(code_of(folder.install(bundle_of("1", kFirst))), "D330");
  EXPECT_THAT(picture_of(folder.base() / "victim"), IsEmpty());
  EXPECT_THAT(folder.picture(), Not(Contains(Key("resend"))));
}

TEST(Installer, W23RejectedInputCreatesNothing) {
  const SkillsFolder folder;
  for (const std::string path : {"../x.md", "/x.md", ".hidden.md", "a/../b.md", "./a.md", ""}) {
    EXPECT_EQ(code_of(folder.install(bundle_of("1", {{path, "x"}}))), "D312") << path;
  }
  for (const std::string name : {"..", ".iii-directory", "a/b", ""}) {
    EXPECT_EQ(code_of(folder.install(bundle_of("1", kFirst, name))), "D311") << name;
  }
  Bundle twice = bundle_of("1", kFirst);
  twice.files.push_back(twice.files.front());
  EXPECT_EQ(code_of(folder.install(twice)), "D312");
  LockedNamespace other{.source = RegistrySource{"resend", std::nullopt, "latest"}};
  EXPECT_EQ(code_of(folder.install(bundle_of("1", kFirst), {.exactly = other})), "D332");
  EXPECT_FALSE(fs::exists(folder.path()));
}

TEST(Installer, RestoringWantsExactlyWhatTheLockSays) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(bundle_of("1", kFirst), {.automatic = true}));
  const LockedNamespace locked = lock_in(folder.path()).namespaces.at("resend");
  const Files before = folder.picture();
  Files changed = kFirst;
  changed["SKILL.md"] = "tampered";
  Files more = kFirst;
  more["more.md"] = "m";
  Files fewer = kFirst;
  fewer.erase("SKILL.md");
  for (const Files& files : {changed, more, fewer}) {
    const auto report = folder.install(bundle_of("1", files), {.exactly = locked});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, "D332");
    EXPECT_EQ(folder.picture(), before);
  }
  fs::remove(folder.path("resend/SKILL.md"));
  Bundle exact = bundle_of("1", kFirst);
  exact.source = RegistrySource{"resend", "1", std::nullopt};  // asked by its resolved version
  ASSERT_TRUE(folder.install(exact, {.exactly = locked}));
  EXPECT_EQ(folder.picture(), before) << "the lock still says what was asked at first";
}

TEST(Installer, RestoringDoesNotGiveUpAnEditUnlessForced) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(bundle_of("1", kFirst)));
  const LockedNamespace locked = lock_in(folder.path()).namespaces.at("resend");
  const Files whole = folder.picture();
  folder.put("resend/SKILL.md", "edited");
  const Files edited = folder.picture();
  EXPECT_EQ(code_of(folder.install(bundle_of("1", kFirst), {.exactly = locked})), "D332");
  EXPECT_EQ(folder.picture(), edited);
  ASSERT_TRUE(folder.install(bundle_of("1", kFirst), {.force = true, .exactly = locked}));
  EXPECT_EQ(folder.picture(), whole);
}

TEST(Installer, ADamagedLockIsNeverOverwritten) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(bundle_of("1", kFirst)));
  for (const std::string damage : {"<<<<<<< HEAD\n", "version: 2\nnamespaces: {}\n", "nonsense"}) {
    folder.put("directory.lock", damage);
    const Files before = folder.picture();
    const auto report = folder.install(bundle_of("2", {{"SKILL.md", "two"}}), {.force = true});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, "D333");
    EXPECT_THAT(report.error().message, HasSubstr("Next:"));
    EXPECT_EQ(folder.picture(), before);
    EXPECT_EQ(Installer(folder.path()).lock().error().code, "D333");
    EXPECT_EQ(Installer(folder.path()).verify(std::nullopt).error().code, "D333");
  }
  fs::remove(folder.path("directory.lock"));
  fs::create_symlink("elsewhere", folder.path("directory.lock"));
  EXPECT_EQ(code_of(folder.install(bundle_of("2", kFirst))), "D333");
}

TEST(Installer, AFileBecomesAFolderAndBack) {
  const SkillsFolder folder;
  const Bundle file = bundle_of("1", {{"b", "file"}, {"SKILL.md", "s"}});
  const Bundle nested = bundle_of("2", {{"b/c/x.md", "x"}, {"SKILL.md", "s"}});
  ASSERT_TRUE(folder.install(file));
  const Files first = folder.picture();
  ASSERT_TRUE(folder.install(nested));
  EXPECT_EQ(folder.get("resend/b/c/x.md"), "x");
  ASSERT_TRUE(folder.install(file));
  EXPECT_EQ(folder.picture(), first);
  ASSERT_TRUE(folder.install(nested));
  folder.put("resend/b/mine.md", "in the way");
  const auto report = folder.install(file, {.force = true});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->conflicts, ElementsAre("b"));
  EXPECT_EQ(folder.get("resend/b/mine.md"), "in the way");
}

TEST(Installer, AFileOfTheUsersInTheWayOfAFolderIsAConflict) {
  const SkillsFolder folder;
  folder.put("resend/sub", "a file");
  const auto report = folder.install(bundle_of("1", kFirst));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->conflicts, ElementsAre("sub/leaf.md"));
  EXPECT_EQ(folder.get("resend/sub"), "a file");
}

TEST(Installer, NamespacesDoNotDisturbEachOther) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(bundle_of("1", kFirst)));
  ASSERT_TRUE(folder.install(bundle_of("1", {{"SKILL.md", "swap"}}, "swap")));
  ASSERT_TRUE(folder.install(bundle_of("2", {}, "resend")));
  EXPECT_EQ(folder.get("swap/SKILL.md"), "swap");
  EXPECT_EQ(lock_in(folder.path()).namespaces.size(), 2u);
  EXPECT_EQ(Installer(folder.path()).verify("swap")->size(), 1u);
  const auto unknown = Installer(folder.path()).verify("swop");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, AllOf(HasSubstr("D310"), HasSubstr("Did you mean: swap")));
}

TEST(Installer, SweepsWhatDeadProcessesStaged) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(bundle_of("1", kFirst)));
  folder.put(".iii-directory/staging/resend~dead/new0", "x");
  folder.put(".iii-directory/staging/other~dead/new0", "x");
  ASSERT_TRUE(folder.install(bundle_of("1", kFirst)));
  EXPECT_TRUE(fs::is_empty(folder.path(".iii-directory/staging")));
}

TEST(Installer, StopsWhenTheJobIsCancelled) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(bundle_of("1", kFirst)));
  const Files before = folder.picture();
  const Job job;
  job.cancelled->store(true);
  const auto report =
      Installer(folder.path()).install(bundle_of("2", {{"SKILL.md", "two"}}), {}, job);
  EXPECT_EQ(code_of(report), "D331");
  EXPECT_EQ(folder.picture(), before);
  EXPECT_TRUE(fs::is_empty(folder.path(".iii-directory/staging")));
}

TEST(Installer, OneWhoCancelsAfterTheLastFileWasStagedLeavesEverythingAsItWas) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(bundle_of("1", kFirst)));
  const Files before = folder.picture();
  std::stop_source stop;
  bool swapped = false;
  // The staged lock is the last thing that is written before the journal.
  Installer installer(folder.path(), [&stop](std::string_view step, std::string_view path) {
    if (step == "create" && path.ends_with("/lock")) stop.request_stop();
    return 0;
  });
  Job job;
  job.stop = stop.get_token();
  job.before_swap = [&swapped](const auto&) { swapped = true; };
  EXPECT_EQ(code_of(installer.install(bundle_of("2", {{"SKILL.md", "two"}}), {}, job)), "D331");
  EXPECT_TRUE(stop.stop_requested());
  EXPECT_FALSE(swapped);
  EXPECT_EQ(folder.picture(), before);
  EXPECT_TRUE(fs::is_empty(folder.path(".iii-directory/staging")));
}

TEST(Installer, OneWhoCancelsDuringTheSwapIsTooLate) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(bundle_of("1", kFirst)));
  std::stop_source stop;
  Job job;
  job.stop = stop.get_token();
  job.before_swap = [&stop](const auto&) { stop.request_stop(); };
  const auto report =
      Installer(folder.path()).install(bundle_of("2", {{"SKILL.md", "two"}}), {}, job);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(folder.get("resend/SKILL.md"), "two");
}

TEST(Installer, StampsTellWhichFilesWereTouched) {
  const SkillsFolder folder;
  const Installer installer(folder.path());
  ASSERT_TRUE(folder.install(bundle_of("1", kFirst)));
  const auto edited = [&installer] {
    std::vector<std::string> out;
    const auto verified = installer.verify(std::nullopt);
    EXPECT_TRUE(verified && verified->size() == 1 && verified->front().written_ns);
    EXPECT_EQ(verified->front().intact + verified->front().files.size(), kFirst.size());
    for (const VerifiedFile& file : verified->front().files) out.push_back(file.path);
    EXPECT_EQ(verified->front().ok, out.empty());
    return out;
  };
  for (int again = 0; again < 2; ++again) EXPECT_THAT(edited(), IsEmpty());
  folder.put("resend/SKILL.md", "ONE");  // as long as it was
  EXPECT_THAT(edited(), ElementsAre("SKILL.md"));
}

// As others see it: the same object for as long as the file has the same content.
TEST(Installer, ALockIsParsedOnceForEachVersionOfTheFile) {
  const SkillsFolder folder;
  const Installer installer(folder.path());
  ASSERT_TRUE(folder.install(bundle_of("1", kFirst)));
  const LockPtr first = installer.lock().value();
  const std::string text = folder.get("directory.lock");
  fs::remove(folder.path("directory.lock"));
  EXPECT_THAT(installer.lock().value()->namespaces, IsEmpty());
  folder.put("directory.lock", text);
  EXPECT_EQ(installer.lock().value(), first) << "another file, the same content";
  ASSERT_TRUE(folder.install(bundle_of("2", kFirst)));
  EXPECT_EQ(installer.lock().value()->namespaces.at("resend").resolved, "2");
}

TEST(Installer, ReportsProgress) {
  const SkillsFolder folder;
  std::vector<uint64_t> done;
  Job job;
  job.report = [&done](const Progress& progress) {
    EXPECT_EQ(progress.step, "writing");
    done.push_back(progress.done);
  };
  ASSERT_TRUE(Installer(folder.path()).install(bundle_of("1", kFirst), {}, job));
  EXPECT_THAT(done, ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace iii::sources
