#include "directory/sources/process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "directory/sources/git_fixture_for_test.h"

namespace iii::sources {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

Command shell(const std::string& script) {
  return {.argv = {"/bin/sh", "-c", script}, .environment = {"PATH=/usr/bin:/bin"}};
}

std::vector<pid_t> pids_in(const fs::path& file) {
  std::ifstream in(file);
  std::vector<pid_t> pids;
  for (pid_t pid = 0; in >> pid;) pids.push_back(pid);
  return pids;
}

bool is_gone(pid_t pid) { return kill(pid, 0) != 0 && errno == ESRCH; }

TEST(Process, TellsExitCodeAndBothOutputs) {
  const Ran ran = run(shell("echo out; echo err >&2; exit 3"), {});
  EXPECT_EQ(ran.ending, Ending::kExited);
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_EQ(ran.output, "out\n");
  EXPECT_EQ(ran.errors, "err\n");
  EXPECT_FALSE(ran.ok());
}

TEST(Process, TellsSignalsFromExitCodes) {
  const Ran ran = run(shell("kill -USR1 $$"), {});
  EXPECT_EQ(ran.ending, Ending::kSignalled);
  EXPECT_EQ(ran.signal, SIGUSR1);
}

TEST(Process, GivesTheChildOnlyTheEnvironmentNamed) {
  ASSERT_EQ(setenv("III_SECRET", "1", 1), 0);
  Command command{.argv = {"/usr/bin/env"}, .environment = {"A=1", "B=two words"}};
  EXPECT_EQ(run(command, {}).output, "A=1\nB=two words\n");
  unsetenv("III_SECRET");
}

TEST(Process, PassesArgumentsAsTheyAre) {
  Command command{.argv = {"/usr/bin/printf", "[%s]", "a b", "$(id)", "", "--x"}};
  EXPECT_EQ(run(command, {}).output, "[a b][$(id)][][--x]");
}

TEST(Process, FeedsInputAndElseNothing) {
  Command command = shell("cat");
  EXPECT_EQ(run(command, {}).output, "");
  command.input = std::string(300'000, 'x');
  EXPECT_EQ(run(command, {}).output, command.input);
}

TEST(Process, WorksInTheFolderNamed) {
  const TempFolder folder;
  Command command = shell("pwd -P");
  command.folder = folder.path();
  EXPECT_EQ(run(command, {}).output, fs::canonical(folder.path()).native() + "\n");
}

TEST(Process, SaysWhyAProgramDidNotStart) {
  const Ran missing = run({.argv = {"iii-no-such-program"}}, {});
  EXPECT_EQ(missing.ending, Ending::kNotStarted);
  EXPECT_EQ(missing.start_error, ENOENT);
  const Ran folder = run({.argv = {"/usr"}}, {});
  EXPECT_EQ(folder.ending, Ending::kNotStarted);
  EXPECT_EQ(folder.start_error, EACCES);
}

TEST(Process, EndsAChildThatSaysTooMuch) {
  Command command = shell("yes");
  command.max_output = 100'000;
  const Ran ran = run(command, {});
  EXPECT_EQ(ran.ending, Ending::kTooMuch);
  EXPECT_EQ(ran.output.size(), 100'000U);
}

TEST(Process, OutputOfExactlyTheLimitIsFine) {
  Command command = shell("printf 12345");
  command.max_output = 5;
  EXPECT_TRUE(run(command, {}).ok());
  command.max_output = 4;
  EXPECT_EQ(run(command, {}).ending, Ending::kTooMuch);
}

TEST(Process, KeepsTheBeginningOfManyErrorsAndReadsTheRest) {
  Command command =
      shell("i=0; while [ $i -lt 2000 ]; do echo 0123456789 >&2; i=$((i+1)); done; echo done");
  command.max_errors = 11;
  const Ran ran = run(command, {});
  EXPECT_EQ(ran.output, "done\n");
  EXPECT_EQ(ran.errors, "0123456789\n");
}

TEST(Process, LimitsFilesThatAreWritten) {
  const TempFolder folder;
  Command command = shell("exec dd if=/dev/zero of=big bs=65536 count=100");
  command.folder = folder.path();
  command.max_file_bytes = 1'000'000;
  const Ran ran = run(command, {});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.errors, HasSubstr("File too large"));
  EXPECT_LE(fs::file_size(folder.path() / "big"), 1'000'000U);
}

TEST(Process, InheritsNoDescriptors) {
  const int low = open("/dev/null", O_RDONLY);
  const int leak = fcntl(low, F_DUPFD, 70);  // without FD_CLOEXEC
  close(low);
  ASSERT_GE(leak, 70);
  const Ran ran = run(shell("for fd in /proc/$$/fd/*; do echo ${fd##*/}; done"), {});
  close(leak);
  EXPECT_THAT(ran.output, testing::Not(HasSubstr("\n" + std::to_string(leak) + "\n")));
  EXPECT_THAT(ran.output, testing::StartsWith("0\n1\n"));
}

TEST(Process, HasSignalsAsTheyComeByDefault) {
  const auto before = signal(SIGPIPE, SIG_IGN);
  const Ran ran = run(shell("kill -PIPE $$"), {});
  signal(SIGPIPE, before);
  EXPECT_EQ(ran.signal, SIGPIPE);
}

// A child that starts one of its own, tells both pids and hangs.
std::string hanging(const fs::path& pids, const std::string& first = "") {
  return first + "sleep 1000 & echo $! $$ > " + pids.native() + ".part; mv " + pids.native() +
         ".part " + pids.native() + "; wait; sleep 1000";
}

TEST(Process, W2DeadlineEndsTheWholeGroup) {
  const TempFolder folder;
  const fs::path pids = folder.path() / "pids";
  Job job;
  Command command = shell(hanging(pids));
  command.go_on = [&] {
    if (fs::exists(pids)) job.deadline = std::chrono::steady_clock::now();
    return true;
  };
  EXPECT_EQ(run(command, job).ending, Ending::kTimedOut);
  const std::vector<pid_t> both = pids_in(pids);
  ASSERT_EQ(both.size(), 2U);
  for (const pid_t pid : both) EXPECT_TRUE(is_gone(pid));
}

TEST(Process, W2WhoIgnoresTheRequestToEndIsKilled) {
  const TempFolder folder;
  const fs::path pids = folder.path() / "pids";
  Command command = shell(hanging(pids, "trap '' TERM; "));
  command.grace = std::chrono::milliseconds(20);
  command.go_on = [&] { return !fs::exists(pids); };
  EXPECT_EQ(run(command, {}).ending, Ending::kStopped);
  const std::vector<pid_t> both = pids_in(pids);
  ASSERT_EQ(both.size(), 2U);
  for (const pid_t pid : both) EXPECT_TRUE(is_gone(pid));
}

TEST(Process, W2NothingOutlivesAChildThatEndsByItself) {
  const Ran ran = run(shell("sleep 1000 & echo $!"), {});
  EXPECT_TRUE(ran.ok());
  EXPECT_TRUE(is_gone(std::stoi(ran.output)));
}

TEST(Process, StopsWhenCancelled) {
  Job job;
  Command command = shell("sleep 1000");
  command.go_on = [&] {
    *job.cancelled = true;
    return true;
  };
  EXPECT_EQ(run(command, job).ending, Ending::kCancelled);
  EXPECT_EQ(run(command, job).ending, Ending::kCancelled);  // does not even start
}

TEST(Process, LeavesNoDescriptorsAndNoZombies) {
  const auto count = [] {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  };
  run(shell("true"), {});
  const auto before = count();
  for (int i = 0; i < 10; ++i) run(shell("sleep 1000 & exit 1"), {});
  run({.argv = {"iii-no-such-program"}}, {});
  EXPECT_EQ(count(), before);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(Process, RunsFromSeveralThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::vector<std::string> said(6);
  for (size_t i = 0; i < said.size(); ++i) {
    threads.emplace_back([&said, i] {
      for (int again = 0; again < 5; ++again) {
        said[i] = run(shell("echo " + std::to_string(i)), {}).output;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < said.size(); ++i) EXPECT_EQ(said[i], std::to_string(i) + "\n");
}

}  // namespace
}  // namespace iii::sources
