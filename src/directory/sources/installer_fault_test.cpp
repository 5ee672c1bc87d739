// Installations that fail or die at every single step.
#include <signal.h>
#include <sys/wait.h>

#include <cerrno>

#include "directory/sources/installer_fixture_for_test.h"
#include "directory/sources/installer_locks.h"
#include "directory/sources/journal.h"
#include "foundation/base/sha256.h"

namespace iii::sources {
namespace {

namespace fs = std::filesystem;

using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Eq;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int kMaxSteps = 400;  // more than any installation here takes

// A folder where everything happens at once: files come, go and change, a file becomes a folder and
// a folder a file, some are the user's.
class Scene {
 public:
  Scene() {
    EXPECT_TRUE(folder_.install(bundle_of("0", {{"SKILL.md", "other"}}, "other")));
    EXPECT_TRUE(folder_.install(old_bundle(), {.automatic = true}));
    folder_.put("resend/edited.md", "by the user");
    folder_.put("resend/gone/mine.md", "hand-added");
    fs::create_symlink("elsewhere", folder_.path("resend/linked.md"));
    before_ = folder_.picture();
  }

  static Bundle old_bundle() {
    return bundle_of("1", {{"SKILL.md", "old"},
                           {"deep/er/x.md", "x"},
                           {"edited.md", "e"},
                           {"file-then-folder", "f"},
                           {"folder-then-file/y.md", "y"},
                           {"gone/z.md", "z"},
                           {"same.md", "same"}});
  }
  static Bundle new_bundle() {
    Bundle bundle = bundle_of("2", {{"SKILL.md", "new"},
                                    {"come/in/a.md", "a"},
                                    {"edited.md", "E"},
                                    {"file-then-folder/b.md", "b"},
                                    {"folder-then-file", "F"},
                                    {"same.md", "same"}});
    bundle.source = RegistrySource{"resend", "2", std::nullopt};
    return bundle;
  }
  static InstallOptions options() { return {.force = false, .automatic = true, .exactly = {}}; }

  Result<InstallReport> update(FolderWriter::Fault fault = {}) const {
    return Installer(folder_.path(), std::move(fault)).install(new_bundle(), options(), {});
  }
  const SkillsFolder& folder() const { return folder_; }
  const Files& before() const { return before_; }

 private:
  SkillsFolder folder_;
  Files before_;
};

Files picture_after() {
  const Scene scene;
  EXPECT_TRUE(scene.update());
  return scene.folder().picture();
}

// Fails, or dies, at the step of that number; `from` on at every later one too.
struct FaultAt {
  int number = 0;
  bool later_too = false;
  bool dies = false;
  int error = ENOSPC;
  std::shared_ptr<int> count = std::make_shared<int>(0);

  int operator()(std::string_view, std::string_view) const {
    const int at = (*count)++;
    if (at < number || (at > number && !later_too)) return 0;
    if (dies) ::kill(::getpid(), SIGKILL);
    return error;
  }
  bool struck() const { return *count > number; }
};

template <typename Body>
void in_child_that_dies(Body body) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    body();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
}

// What a reader sees after whatever happened.
Files read_through_gate(const fs::path& folder) {
  ReadGate gate(folder);
  EXPECT_TRUE(gate.enter()) << "nobody is at work here";
  Files picture = picture_of(folder);
  EXPECT_TRUE(gate.leave());
  EXPECT_FALSE(fs::exists(folder / kJournalPath));
  return picture;
}

TEST(InstallerFault, W8AFailureAtAnyStepLeavesEverythingAsItWas) {
  const Files after = picture_after();
  int failures = 0;
  for (int step = 0; step < kMaxSteps; ++step) {
    const Scene scene;
    const FaultAt fault{.number = step};
    const auto report = scene.update(fault);
    if (!fault.struck()) break;
    if (report) {  // sweeping up may fail
      EXPECT_EQ(scene.folder().picture(), after) << step;
    } else {
      ++failures;
      EXPECT_EQ(report.error().code, "D330");
      EXPECT_THAT(report.error().message, HasSubstr("is as it was"));
      EXPECT_EQ(scene.folder().picture(), scene.before()) << step;
      EXPECT_FALSE(fs::exists(scene.folder().path(std::string(kJournalPath)))) << step;
    }
    ASSERT_TRUE(scene.update()) << "and it works again afterwards";
    EXPECT_EQ(scene.folder().picture(), after) << step;
    EXPECT_TRUE(fs::is_empty(scene.folder().path(".iii-directory/staging"))) << step;
  }
  EXPECT_GT(failures, 40);
}

TEST(InstallerFault, W8ADiskThatBreaksForGoodLeavesOneWholeVersion) {
  const Files after = picture_after();
  for (int step = 0; step < kMaxSteps; ++step) {
    const Scene scene;
    const FaultAt fault{.number = step, .later_too = true};
    const auto report = scene.update(fault);
    if (!fault.struck()) break;
    EXPECT_THAT(read_through_gate(scene.folder().path()), AnyOf(Eq(scene.before()), Eq(after)))
        << step;
    if (report) {
      EXPECT_EQ(scene.folder().picture(), after) << step;
    }
  }
}

TEST(InstallerFault, W8AFailureOfFilesThatWereJustReplacedIsUndoneAlsoWithoutHardLinks) {
  const Files after = picture_after();
  {
    const Scene scene;
    const auto report = scene.update(
        [](std::string_view step, std::string_view) { return step == "link" ? EPERM : 0; });
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(scene.folder().picture(), after);
  }
  const Scene scene;
  const auto report = scene.update([](std::string_view step, std::string_view path) {
    if (step == "link") return EPERM;
    return path == kLockFileName ? EIO : 0;
  });
  ASSERT_FALSE(report);
  EXPECT_EQ(scene.folder().picture(), scene.before());
}

TEST(InstallerFault, W8ADeathAtAnyStepIsFinishedOrUndoneByTheNextReader) {
  const Files after = picture_after();
  int finished = 0;
  int undone = 0;
  for (int step = 0; step < kMaxSteps; ++step) {
    const Scene scene;
    bool survived = false;
    in_child_that_dies([&] { (void)scene.update(FaultAt{.number = step, .dies = true}); });
    survived = !fs::exists(scene.folder().path(std::string(kJournalPath))) &&
               fs::is_empty(scene.folder().path(".iii-directory/staging"));
    const Files seen = read_through_gate(scene.folder().path());
    EXPECT_THAT(seen, AnyOf(Eq(scene.before()), Eq(after))) << step;
    (seen == after ? finished : undone) += 1;
    const auto states = verified(scene.folder().path());
    EXPECT_THAT(states, Contains("resend/SKILL.md intact")) << step;
    EXPECT_THAT(states, Contains("resend/same.md intact")) << step;
    ASSERT_TRUE(scene.update());
    EXPECT_EQ(scene.folder().picture(), after) << step;
    if (survived && seen == after) break;
  }
  EXPECT_GT(finished, 10);
  EXPECT_GT(undone, 10);
}

TEST(InstallerFault, W8ARemovalThatFailsOrDiesAtAnyStepIsWholeOrUndone) {
  const auto remove = [](const Scene& scene, FolderWriter::Fault fault = {}) {
    return Installer(scene.folder().path(), std::move(fault)).remove("resend", {}, {});
  };
  const Scene straight;
  const auto whole = remove(straight);
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_THAT(whole->kept, ElementsAre("edited.md", "gone/mine.md", "linked.md"));
  const Files after = straight.folder().picture();
  int failures = 0;
  for (int step = 0; step < kMaxSteps; ++step) {
    const Scene failing;
    const FaultAt fault{.number = step};
    const auto report = remove(failing, fault);
    if (!fault.struck()) break;
    failures += report ? 0 : 1;
    EXPECT_EQ(failing.folder().picture(), report ? after : failing.before()) << step;
    const Scene dying;
    in_child_that_dies([&] { (void)remove(dying, FaultAt{.number = step, .dies = true}); });
    EXPECT_THAT(read_through_gate(dying.folder().path()), AnyOf(Eq(dying.before()), Eq(after)))
        << step;
  }
  EXPECT_GT(failures, 20);
}

TEST(InstallerFault, W8ADeathWhileUndoingIsUndoneByTheNextWriter) {
  for (int step = 30; step < kMaxSteps; ++step) {
    const Scene scene;
    const auto count = std::make_shared<int>(0);
    bool struck = false;
    in_child_that_dies([&] {
      (void)scene.update([=](std::string_view, std::string_view path) {
        const int at = (*count)++;
        if (at >= step) ::kill(::getpid(), SIGKILL);
        return path == kLockFileName ? EIO : 0;
      });
      std::ofstream(scene.folder().base() / "survived") << "x";
    });
    struck = !fs::exists(scene.folder().base() / "survived");
    const Files seen = read_through_gate(scene.folder().path());
    // Death before the failure: finished. After it: put back.
    EXPECT_THAT(seen, AnyOf(Eq(scene.before()), Eq(picture_after()))) << step;
    if (!struck) {
      EXPECT_EQ(seen, scene.before());
      break;
    }
  }
}

TEST(InstallerFault, W8ADeathDuringRecoveryIsNoHarm) {
  const Files after = picture_after();
  for (int step = 30; step < kMaxSteps; step += 7) {
    const Scene scene;
    in_child_that_dies([&] { (void)scene.update(FaultAt{.number = step, .dies = true}); });
    if (!fs::exists(scene.folder().path(std::string(kJournalPath)))) continue;
    for (int again = 0; again < kMaxSteps; again += 3) {
      in_child_that_dies([&] {
        const auto root = FolderWriter::open(scene.folder().path(), Resolver::kAuto,
                                             FaultAt{.number = again, .dies = true});
        const auto lock = SwapLock::wait(*root, {});
        if (lock) (void)recover(*root);
      });
      if (!fs::exists(scene.folder().path(std::string(kJournalPath)))) break;
    }
    EXPECT_THAT(read_through_gate(scene.folder().path()), AnyOf(Eq(scene.before()), Eq(after)))
        << step;
  }
}

TEST(InstallerFault, W10AnEditDuringTheSwapIsKept) {
  const Scene scene;
  const auto report = scene.update([&scene](std::string_view step, std::string_view path) {
    if (step == "rename" && path == kJournalPath) {
      scene.folder().put("resend/SKILL.md", "edited this very moment");
      scene.folder().put("resend/gone/z.md", "this one too");
      scene.folder().put("resend/come/in/a.md", "and this");
    }
    return 0;
  });
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->conflicts, ElementsAre("edited.md", "gone/z.md", "SKILL.md", "come/in/a.md"));
  EXPECT_EQ(scene.folder().get("resend/SKILL.md"), "edited this very moment");
  EXPECT_EQ(scene.folder().get("resend/gone/z.md"), "this one too");
  EXPECT_EQ(scene.folder().get("resend/come/in/a.md"), "and this");
  EXPECT_THAT(report->pruned, testing::Not(Contains("gone/z.md")));
  const Lock lock = lock_in(scene.folder().path());
  const auto& files = lock.namespaces.at("resend").files;
  EXPECT_TRUE(files.at("SKILL.md").kept) << "the lock does not give it the new version";
  EXPECT_EQ(files.at("come/in/a.md").kept, "");
}

TEST(InstallerFault, W10AnEditBetweenDeathAndRecoveryIsKept) {
  const Scene scene;
  in_child_that_dies([&] {
    (void)scene.update([](std::string_view step, std::string_view path) {
      if (step == "rename" && path == kLockFileName) ::kill(::getpid(), SIGKILL);
      return 0;
    });
  });
  scene.folder().put("resend/SKILL.md", "edited before anybody looked");
  const Files seen = read_through_gate(scene.folder().path());
  EXPECT_EQ(seen.at("resend/SKILL.md"), "edited before anybody looked");
  EXPECT_THAT(verified(scene.folder().path()), Contains("resend/SKILL.md edited"));
}

TEST(InstallerFault, W10ALockFileThatChangesMeanwhileIsReadAgain) {
  const Scene scene;
  const auto changed = std::make_shared<bool>(false);
  const auto report = scene.update([&scene, changed](std::string_view step, std::string_view path) {
    if (step == "create" && path.ends_with("/new5") && !std::exchange(*changed, true)) {
      // As a pull would: by the new lock, the file that is there was edited.
      Lock lock = lock_in(scene.folder().path());
      lock.namespaces.at("resend").files.at("SKILL.md") = {sha256_hex("pulled"), 6};
      scene.folder().put("directory.lock", render_lock(lock));
    }
    return 0;
  });
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(*changed);
  EXPECT_THAT(report->conflicts, Contains("SKILL.md"));
  EXPECT_EQ(scene.folder().get("resend/SKILL.md"), "old");
}

}  // namespace
}  // namespace iii::sources
