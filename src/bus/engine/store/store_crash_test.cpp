// The store when the process is killed or the disk fails. Children are forked before any thread
// exists.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <set>

#include "bus/engine/store/store_testing.h"

namespace iii::engine {
namespace {

using testing::ElementsAre;

// Writes for ever, keeping some writes in flight, and sends the number of every acknowledged one.
[[noreturn]] void write_until_killed(const std::filesystem::path& folder, int out) {
  StoreRunner runner(folder);
  size_t told = 0;
  for (int i = 0;; ++i) {
    if (!runner.put(runner.next_id(), std::to_string(i), std::string(200, 'x'))) _exit(1);
    if (i % 8 != 0) continue;
    runner.wait_all();
    for (; told < runner.finished().size(); ++told) {
      const int number = runner.finished()[told];
      if (::write(out, &number, sizeof number) != sizeof number) _exit(2);
    }
  }
}

TEST(StoreCrash, EveryAcknowledgedWriteSurvivesKill) {
  TempFolder folder;
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) write_until_killed(folder.path(), ends[1]);
  ::close(ends[1]);
  std::set<int> acknowledged;
  int number = 0;
  while (::read(ends[0], &number, sizeof number) == sizeof number) {
    acknowledged.insert(number);
    if (acknowledged.size() == 500) ::kill(child, SIGKILL);
  }
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  ASSERT_GE(acknowledged.size(), 500U);

  StoreRunner again(folder.path());
  std::set<int> present;
  int last = -1;
  for (const std::string& key : again.load_keys()) {
    present.insert(std::stoi(key));
    EXPECT_GT(std::stoi(key), last);  // the order is that of the writes
    last = std::stoi(key);
  }
  for (const int expected : acknowledged) EXPECT_TRUE(present.contains(expected)) << expected;
}

TEST(StoreCrash, TheLockGoesWithTheProcess) {
  TempFolder folder;
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    StoreRunner runner(folder.path());
    if (::write(ends[1], "x", 1) != 1) _exit(1);
    for (;;) ::pause();
  }
  char ready = 0;
  ASSERT_EQ(::read(ends[0], &ready, 1), 1);
  const auto during = Store::open(folder.path(), [](auto) {});
  ASSERT_FALSE(during);
  EXPECT_EQ(during.error().code, "data_in_use");
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(Store::open(folder.path(), [](auto) {}));
  ::close(ends[0]);
  ::close(ends[1]);
}

// No file of this process may grow beyond this: the nearest thing to a full disk.
void limit_file_size(size_t bytes) {
  ::signal(SIGXFSZ, SIG_IGN);
  struct rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes;
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

TEST(StoreCrash, AFullDiskFailsTheWriteAndAllThatCameAfter) {
  TempFolder folder;
  const bool as_expected = in_child([&folder] {
    limit_file_size(64 * 1024);
    StoreRunner runner(folder.path());
    runner.put(runner.next_id(), "small", "1");
    runner.wait_all();
    if (runner.finished() != std::vector{0}) return false;
    runner.put(runner.next_id(), "large", std::string(200'000, 'x'));
    runner.put(runner.next_id(), "after", "2");
    runner.wait_all();
    // Undone newest first, answered oldest first.
    if (runner.undone() != std::vector{2, 1} || runner.failed() != std::vector{1, 2}) return false;
    if (runner.reason().code != "data_error") return false;
    // The disk is usable again: so is the store.
    limit_file_size(RLIM_INFINITY);
    runner.put(runner.next_id(), "later", "3");
    runner.wait_all();
    return runner.finished() == std::vector{0, 3};
  });
  EXPECT_TRUE(as_expected);
  StoreRunner again(folder.path());
  EXPECT_THAT(again.load_keys(), ElementsAre("small", "later"));
}

TEST(StoreCrash, ClosingDuringAFailureAnswersEverything) {
  TempFolder folder;
  const bool as_expected = in_child([&folder] {
    limit_file_size(64 * 1024);
    StoreRunner runner(folder.path());
    runner.put(runner.next_id(), "large", std::string(200'000, 'x'));
    runner.put(runner.next_id(), "after", "2");
    runner.store().close();
    return runner.failed().size() + runner.finished().size() == 2 && runner.failed().size() >= 1;
  });
  EXPECT_TRUE(as_expected);
}

TEST(StoreCrash, AFolderWithoutPermissionIsAnErrorNotACrash) {
  if (::geteuid() == 0) {
    // Root may write anywhere: an ordinary user is played by a child.
    TempFolder folder;
    std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
    EXPECT_TRUE(in_child([&folder] {
      if (::setuid(65534) != 0) return false;
      const auto opened = Store::open(folder.path() / "data", [](auto) {});
      return !opened && opened.error().code == "data_error";
    }));
  } else {
    TempFolder folder;
    std::filesystem::permissions(folder.path(), std::filesystem::perms::none);
    const auto opened = Store::open(folder.path() / "data", [](auto) {});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, "data_error");
    std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
  }
}

}  // namespace
}  // namespace iii::engine
