// Readers and writers of one folder, in one process and in several.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <random>
#include <thread>

#include "directory/sources/installer_fixture_for_test.h"
#include "directory/sources/installer_locks.h"
#include "directory/sources/journal.h"

namespace iii::sources {
namespace {

namespace fs = std::filesystem;

using testing::Each;
using testing::EndsWith;
using testing::HasSubstr;

Job short_job() {
  Job job;
  job.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
  return job;
}

// Many files, each of which says which version it is of; some are in one version only.
Bundle version(int number, int files = 24) {
  const std::string text = "version " + std::to_string(number);
  Files all;
  for (int i = 0; i < files; ++i) {
    const std::string folder = i % 3 == 0 ? "" : "f" + std::to_string(i % 5) + "/";
    all[folder + "d" + std::to_string(i) + ".md"] = text;
  }
  all["only-" + std::to_string(number % 2) + "/x.md"] = text;
  return bundle_of(std::to_string(number), all);
}

// The one version that a folder holds; a complaint when it is a mixture.
std::string whole_version(const fs::path& folder) {
  std::string found;
  size_t files = 0;
  for (const auto& [path, text] : picture_of(folder / "resend")) {
    if (text == "/") continue;
    ++files;
    if (found.empty()) found = text;
    if (text != found) return "mixed: " + found + ", but " + path + " is " + text;
  }
  if (files == 0) return "empty";
  return files == 25 ? found : found + " with " + std::to_string(files) + " files";
}

TEST(ReadGate, IsOpenWhereNothingWasEverInstalled) {
  const SkillsFolder folder;
  ReadGate gate(folder.path());
  EXPECT_TRUE(gate.enter());
  EXPECT_TRUE(gate.leave());
  fs::create_directories(folder.path());
  EXPECT_TRUE(gate.enter());
  EXPECT_TRUE(gate.leave());
  EXPECT_FALSE(fs::exists(folder.path(".iii-directory"))) << "readers leave no traces";
}

TEST(ReadGate, TellsThatTheVeryFirstInstallationCameBetween) {
  const SkillsFolder folder;
  ReadGate gate(folder.path());
  ASSERT_TRUE(gate.enter());
  ASSERT_TRUE(folder.install(version(1)));
  EXPECT_FALSE(gate.leave()) << "no lock could be held, so what was read may be mixed";
  ASSERT_TRUE(gate.enter());
  EXPECT_TRUE(gate.leave());
}

TEST(ReadGate, ReadersKeepWritersOutForABoundedTime) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(version(1)));
  ReadGate gate(folder.path());
  ASSERT_TRUE(gate.enter());
  const Files before = folder.picture();
  const auto report = Installer(folder.path()).install(version(2), {}, short_job());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, "D331");
  EXPECT_THAT(report.error().message, HasSubstr("Next:"));
  EXPECT_EQ(folder.picture(), before);
  EXPECT_TRUE(gate.leave());
  EXPECT_TRUE(folder.install(version(2)));
}

TEST(ReadGate, IsShutDuringASwapAndReadersDoNotWait) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(version(1)));
  ReadGate gate(folder.path());
  int shut = 0;
  Installer slow(folder.path(), [&](std::string_view step, std::string_view path) {
    if (step == "rename" && path.starts_with("resend/")) {
      EXPECT_FALSE(gate.enter());
      ++shut;
    }
    return 0;
  });
  ASSERT_TRUE(slow.install(version(2), {}, {}));
  EXPECT_EQ(shut, 25);
  ASSERT_TRUE(gate.enter());
  EXPECT_EQ(whole_version(folder.path()), "version 2");
  gate.leave();
}

TEST(ReadGate, AnEndlessStreamOfReadersDoesNotStarveAWriter) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(version(1)));
  ReadGate one(folder.path());
  ReadGate two(folder.path());
  ASSERT_TRUE(one.enter());
  bool installed = false;
  std::thread writer([&] { installed = folder.install(version(2)).has_value(); });
  // One of the two is always inside, until the waiting writer makes newcomers wait.
  for (;;) {
    if (!two.enter()) break;
    one.leave();
    if (!one.enter()) break;
    two.leave();
  }
  one.leave();
  two.leave();
  writer.join();
  EXPECT_TRUE(installed);
}

TEST(ReadGate, NoticesThatTheLockWasRemovedAndMadeAgain) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(version(1)));
  ReadGate gate(folder.path());
  ASSERT_TRUE(gate.enter());
  fs::remove_all(folder.path(".iii-directory"));
  ASSERT_TRUE(folder.install(version(2)));
  EXPECT_FALSE(gate.leave());
  const auto root = FolderWriter::open(folder.path());
  const auto swap = SwapLock::wait(*root, {});
  ASSERT_TRUE(swap);
  EXPECT_FALSE(gate.enter()) << "it looks at the new lock";
}

TEST(ReadGate, SetsADamagedJournalAsideAndWaitsForOneOfANewerProgram) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(version(1)));
  for (const std::string damage :
       {"", "{", "{\"version\":1}",
        "{\"version\":1,\"namespace\":\"..\",\"stage\":\".iii-directory/staging/x\",\"steps\":[],"
        "\"made\":[],\"emptied\":[]}",
        "{\"version\":1,\"namespace\":\"resend\",\"stage\":\".iii-directory/staging/x\",\"steps\":"
        "[{\"path\":\"other/x\",\"was\":\"absent\",\"now\":\"absent\",\"staged\":\"\","
        "\"backup\":\"\"}],\"made\":[],\"emptied\":[]}"}) {
    folder.put(std::string(kJournalPath), damage);
    ReadGate gate(folder.path());
    EXPECT_TRUE(gate.enter()) << damage;
    EXPECT_FALSE(fs::exists(folder.path(std::string(kJournalPath))));
  }
  folder.put(std::string(kJournalPath), "{\"version\":3}");
  ReadGate gate(folder.path());
  EXPECT_FALSE(gate.enter());
  EXPECT_TRUE(fs::exists(folder.path(std::string(kJournalPath))));
  EXPECT_EQ(code_of(folder.install(version(2))), "D330");
}

TEST(InstallerLocks, W12ANamespaceHeldElsewhereMeansBusyAndNotForOthers) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(version(1)));
  const auto root = FolderWriter::open(folder.path());
  const auto held = FileLock::wait(*root, ".iii-directory/locks/resend", {});
  ASSERT_TRUE(held);
  EXPECT_EQ(code_of(Installer(folder.path()).install(version(2), {}, short_job())), "D331");
  EXPECT_TRUE(folder.install(bundle_of("1", {{"SKILL.md", "x"}}, "other")));
  EXPECT_EQ(whole_version(folder.path()), "version 1");
}

TEST(InstallerLocks, W12ThreadsTakeTurns) {
  const SkillsFolder folder;
  Installer installer(folder.path());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&installer, i] {
      for (int round = 0; round < 5; ++round) {
        EXPECT_TRUE(installer.install(version(i), {}, {}));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(whole_version(folder.path()), testing::MatchesRegex("version [0-3]"));
  EXPECT_THAT(verified(folder.path()), Each(EndsWith(" intact")));
}

// Installs versions in turns, for ever or that many times.
[[noreturn]] void install_in_turns(const fs::path& folder, int first, int rounds,
                                   FolderWriter::Fault fault = {}) {
  Installer installer(folder, std::move(fault));
  for (int i = 0; rounds == 0 || i < rounds; ++i) {
    if (!installer.install(version(first + i % 2), {}, {})) ::_exit(1);
  }
  ::_exit(0);
}

TEST(InstallerCrash, W12TwoProcessesInstallOneNamespaceAndNoReaderEverSeesAMixture) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(version(1)));
  std::vector<pid_t> children;
  for (const int first : {1, 2}) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) install_in_turns(folder.path(), first, 40);
    children.push_back(child);
  }
  ReadGate gate(folder.path());
  int reads = 0;
  while (!children.empty()) {
    if (gate.enter()) {
      EXPECT_THAT(whole_version(folder.path()), testing::MatchesRegex("version [123]"));
      EXPECT_TRUE(gate.leave());
      ++reads;
    }
    int status = 0;
    if (::waitpid(children.back(), &status, WNOHANG) != 0) {
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
      children.pop_back();
    }
  }
  EXPECT_GT(reads, 0);
  EXPECT_THAT(verified(folder.path()), Each(EndsWith(" intact")));
}

// `scripts/kill_downloads` asks for more rounds than an ordinary test run.
int kill_rounds() {
  const char* const asked = std::getenv("III_KILL_ROUNDS");
  return asked != nullptr ? std::atoi(asked) : 40;
}

using Micros = std::chrono::duration<double, std::micro>;

bool begins_swap(std::string_view step, std::string_view path) {
  return step == "rename" && path == kJournalPath;
}

// Forks a process that installs for ever, and kills it: somewhere in its first installations, or
// somewhere in a swap, which is but a small part of an installation on a slow disk.
class Victim {
 public:
  Victim(const SkillsFolder& folder, std::mt19937& random) : folder_(folder), random_(random) {
    const auto began = std::chrono::steady_clock::now();
    auto swap_began = began;
    Installer installer(folder.path(), [&](std::string_view step, std::string_view path) {
      if (begins_swap(step, path)) swap_began = std::chrono::steady_clock::now();
      return 0;
    });
    EXPECT_TRUE(installer.install(version(2), {}, {}));
    const auto ended = std::chrono::steady_clock::now();
    whole_ = ended - began;
    swap_ = ended - swap_began;
  }

  void live_and_die(bool in_swap) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      install_in_turns(folder_.path(), 1, 0, [out = ends[1]](auto step, auto path) {
        if (begins_swap(step, path) && ::write(out, "x", 1) != 1) ::_exit(2);
        return 0;
      });
    }
    char swapping = 0;
    if (in_swap) {
      EXPECT_EQ(::read(ends[0], &swapping, 1), 1);
    }
    // Any moment will do; nothing is waited for.
    const Micros longest = in_swap ? swap_ : whole_ * 4;
    std::this_thread::sleep_for(
        Micros(std::uniform_real_distribution<double>(0, longest.count())(random_)));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    for (const int end : ends) ::close(end);
  }

 private:
  const SkillsFolder& folder_;
  std::mt19937& random_;
  Micros whole_{};
  Micros swap_{};
};

TEST(InstallerCrash, W8AfterAKillAtARandomMomentEveryReadIsOneWholeVersion) {
  const SkillsFolder folder;
  ASSERT_TRUE(folder.install(version(1)));
  std::mt19937 random(std::random_device{}());
  Victim victim(folder, random);
  int unfinished = 0;
  for (int round = 0; round < kill_rounds(); ++round) {
    victim.live_and_die(round % 2 == 0);
    if (fs::exists(folder.path(std::string(kJournalPath)))) ++unfinished;
    ReadGate gate(folder.path());
    ASSERT_TRUE(gate.enter());
    ASSERT_THAT(whole_version(folder.path()), testing::MatchesRegex("version [12]")) << round;
    ASSERT_TRUE(gate.leave());
    const auto states = verified(folder.path());
    ASSERT_EQ(states.size(), 25u);
    ASSERT_THAT(states, Each(EndsWith(" intact"))) << round;
  }
  std::printf("%d kills, %d of them during a swap\n", kill_rounds(), unfinished);
  if (kill_rounds() >= 40) {
    EXPECT_GT(unfinished, 0);
  }
  ASSERT_TRUE(folder.install(version(3)));
  EXPECT_TRUE(fs::is_empty(folder.path(".iii-directory/staging")));
}

}  // namespace
}  // namespace iii::sources
