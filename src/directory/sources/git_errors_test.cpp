#include "directory/sources/git_errors.h"

#include <gmock/gmock.h>

namespace iii::sources {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const GitFailure kAbout{.url = "https://git.example.org/team/secret-repo",
                        .scratch = "/tmp/iii-git-abc",
                        .allowed = milliseconds(3'000),
                        .max_clone_bytes = 100};

std::string explained(const std::string& errors) {
  const Ran ran{.ending = Ending::kExited, .exit_code = 128, .errors = errors};
  return explain_git(ran, kAbout).message;
}

TEST(GitErrors, W20EveryKnownFailureSaysWhatToDo) {
  EXPECT_THAT(explained("fatal: repository 'https://git.example.org/team/secret-repo/' not found"),
              StartsWith("D310 not_found: there is no such repository"));
  EXPECT_THAT(explained("ERROR: Repository not found.\nfatal: Could not read from remote"),
              StartsWith("D310 not_found"));
  EXPECT_THAT(explained("fatal: could not read Username for 'https://git.example.org': terminal "
                        "prompts disabled"),
              HasSubstr("asks for a user name"));
  EXPECT_THAT(explained("git@git.example.org: Permission denied (publickey)."),
              HasSubstr("none of our ssh keys"));
  EXPECT_THAT(explained("Host key verification failed.\r\nfatal: Could not read"),
              HasSubstr("does not know this server"));
  EXPECT_THAT(explained("fatal: unable to access 'https://x/': server certificate verification "
                        "failed. CAfile: none CRLfile: none"),
              HasSubstr("ca_file"));
  EXPECT_THAT(
      explained("fatal: unable to access 'https://x/': The requested URL returned error: 302"),
      HasSubstr("another address"));
  EXPECT_THAT(
      explained("fatal: unable to access 'https://x/': The requested URL returned error: 503"),
      HasSubstr("answered with status 503"));
}

TEST(GitErrors, W4SummariesHoldNoUrlsHostsCredentialsOrPaths) {
  const std::string text = explained(
      "warning: something\nfatal: odd thing at https://user:token@git.example.org/x and "
      "git@git.example.org:team/x (git.example.org) in /tmp/iii-git-abc/store/x with "
      "/root/.ssh/id '/home/me/y'.");
  EXPECT_THAT(text, StartsWith("D321 git_error: git failed: odd thing at … and … (…) in …"));
  for (const char* secret : {"example", "token", "user", "tmp", "root", "home", "://"}) {
    EXPECT_THAT(text, Not(HasSubstr(secret)));
  }
}

TEST(GitErrors, SummariesAreOneShortPrintableLine) {
  EXPECT_LT(explained("fatal: " + std::string(5'000, 'x')).size(), 350U);
  EXPECT_THAT(explained("fatal: a\x1b[31mred\xff"), Not(HasSubstr("\x1b")));
  EXPECT_THAT(explained(""), StartsWith("D321 git_error: git failed. Next: "));
}

TEST(GitErrors, EndingsAreToldApart) {
  const auto of = [](Ran ran) { return explain_git(ran, kAbout).message; };
  EXPECT_THAT(of({.ending = Ending::kTimedOut}),
              StartsWith("D321 git_error: git timed out after 3000 ms"));
  EXPECT_THAT(of({.ending = Ending::kCancelled}), HasSubstr("cancelled"));
  EXPECT_THAT(of({.ending = Ending::kSignalled, .signal = 11}), HasSubstr("signal 11"));
  EXPECT_THAT(of({.ending = Ending::kStopped}), StartsWith("D312 invalid_bundle"));
  EXPECT_THAT(of({.ending = Ending::kExited,
                  .exit_code = 128,
                  .errors = "fatal: index-pack died of signal 25"}),
              StartsWith("D312 invalid_bundle"));
  EXPECT_THAT(of({.ending = Ending::kNotStarted, .start_error = 2}), HasSubstr("install git"));
}

}  // namespace
}  // namespace iii::sources
