// Hostile repositories, servers and surroundings.
#include <gmock/gmock.h>
#include <sys/file.h>

#include <cerrno>
#include <csignal>

#include "directory/sources/git.h"
#include "directory/sources/git_command.h"
#include "directory/sources/git_fixture_for_test.h"

namespace iii::sources {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

using GitAttack = GitTest;

TEST_F(GitAttack, W1ASkillFolderThatIsALinkIsRefused) {
  const TempFolder host;
  write_file(host.path() / "SKILL.md", "belongs to the host");
  const Repository repository;
  repository.put("skills/real/SKILL.md", "x");
  repository.link("skills/escape", host.path().native());
  repository.link("top", host.path().native());
  repository.commit();
  for (const std::string skill : {"escape", "top"}) {
    const auto bundle = fetch(repository, skill);
    ASSERT_FALSE(bundle) << skill;
    EXPECT_EQ(bundle.error().code, "D312");
    EXPECT_THAT(message(bundle), HasSubstr("is a symbolic link"));
    EXPECT_THAT(message(bundle), HasSubstr("Next: "));
    EXPECT_THAT(message(bundle), Not(HasSubstr(host.path().native())));
  }
}

TEST_F(GitAttack, W1ALinkInThePlaceOfAllSkillsIsRefused) {
  const TempFolder host;
  write_file(host.path() / "a/SKILL.md", "belongs to the host");
  const Repository repository;
  repository.link("skills", host.path().native());
  repository.commit();
  EXPECT_THAT(message(fetch(repository, "a")),
              HasSubstr("`skills` in the repository is a symbolic"));
}

TEST_F(GitAttack, W1LinksInsideASkillAreSkippedAndTold) {
  const Repository repository;
  repository.put("skills/a/SKILL.md", "x");
  repository.link("skills/a/link.md", "/etc/passwd");
  repository.link("skills/a/up", "../..");
  repository.commit();
  const auto bundle = fetch(repository, "a");
  EXPECT_THAT(paths(bundle), ElementsAre("SKILL.md"));
  ASSERT_EQ(bundle->skipped.size(), 2U);
  EXPECT_EQ(bundle->skipped[0].path, "link.md");
  EXPECT_THAT(bundle->skipped[0].reason, HasSubstr("symbolic link"));
}

TEST_F(GitAttack, SubmodulesAreNeverFollowed) {
  const Repository other;
  other.put("SKILL.md", "other");
  other.commit();
  const Repository repository;
  repository.put("skills/a/SKILL.md", "x");
  repository.git({"submodule", "--quiet", "add", other.path().native(), "skills/a/inner"});
  repository.git({"submodule", "--quiet", "add", other.path().native(), "skills/whole"});
  repository.commit();
  const auto bundle = fetch(repository, "a");
  EXPECT_THAT(paths(bundle), ElementsAre("SKILL.md"));
  ASSERT_EQ(bundle->skipped.size(), 1U);
  EXPECT_EQ(bundle->skipped[0].path, "inner");
  EXPECT_THAT(bundle->skipped[0].reason, HasSubstr("submodule"));
  const auto whole = fetch(repository, "whole");
  EXPECT_THAT(message(whole), HasSubstr("D312 invalid_bundle: `skills/whole`"));
  EXPECT_THAT(message(whole), HasSubstr("is a submodule"));
}

TEST_F(GitAttack, W3AttributesAndFiltersDoNotAct) {
  const TempFolder home;
  write_file(home.path() / ".gitconfig", "[filter \"lfs\"]\n smudge = touch " +
                                             (home.path() / "acted").native() +
                                             "\n required = true\n");
  const Variable variable("HOME", home.path().native());
  const Repository repository;
  const std::string pointer =
      "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12345\n";
  repository.put("skills/a/SKILL.md", "a\nb\n");
  repository.put("skills/a/pic.png", pointer);
  repository.commit();
  repository.put(".gitattributes",
                 "*.png filter=lfs\n*.md text eol=crlf working-tree-encoding=UTF-16\n");
  repository.git({"add", ".gitattributes"});
  repository.git({"commit", "-q", "-m", "x"});
  const auto bundle = fetch(repository, "a");
  EXPECT_EQ(bytes_of(bundle, "SKILL.md"), "a\nb\n");
  EXPECT_EQ(bytes_of(bundle, "pic.png"), pointer);
  EXPECT_FALSE(fs::exists(home.path() / "acted"));
}

TEST_F(GitAttack, W3TheUsersConfigurationAndEnvironmentDoNotAct) {
  const TempFolder home;
  const std::string canary = (home.path() / "acted").native();
  write_program(home.path() / "template/hooks/post-checkout", "touch " + canary);
  write_program(home.path() / "template/hooks/reference-transaction", "touch " + canary);
  write_program(home.path() / "program", "touch " + canary + "; exit 1");
  const std::string program = (home.path() / "program").native();
  const std::string config = "[init]\n templateDir = " + (home.path() / "template").native() +
                             "\n[core]\n hooksPath = " + (home.path() / "template/hooks").native() +
                             "\n fsmonitor = " + program + "\n sshCommand = " + program +
                             "\n[credential]\n helper = !" + program +
                             "\n[url \"file:///nonexistent/\"]\n insteadOf = file:///\n";
  write_file(home.path() / ".gitconfig", config);
  write_file(home.path() / "git/config", config);
  const Variable home_variable("HOME", home.path().native());
  const Variable xdg("XDG_CONFIG_HOME", home.path().native());
  const Variable global("GIT_CONFIG_GLOBAL", (home.path() / ".gitconfig").native());
  const Variable ssh("GIT_SSH_COMMAND", program);
  const Variable ask("GIT_ASKPASS", program);
  const Variable template_folder("GIT_TEMPLATE_DIR", (home.path() / "template").native());
  const Variable count("GIT_CONFIG_COUNT", "1");
  const Variable key("GIT_CONFIG_KEY_0", "url.file:///nonexistent/.insteadOf");
  const Variable value("GIT_CONFIG_VALUE_0", "file:///");
  const Variable directory("GIT_DIR", home.path().native());
  const Variable alternates("GIT_OBJECT_DIRECTORY", home.path().native());
  const Repository repository;
  repository.put("skills/a/SKILL.md", "x");
  repository.commit();
  EXPECT_EQ(bytes_of(fetch(repository, "a"), "SKILL.md"), "x");
  EXPECT_FALSE(fs::exists(canary));
}

TEST_F(GitAttack, HiddenNamesAreSkipped) {
  const Repository repository;
  repository.put("skills/a/SKILL.md", "x");
  repository.put("skills/a/.iii-skill-complete", "forged");
  repository.put("skills/a/.hidden/h.md", "h");
  repository.put("skills/a/sub/.dot.md", "h");
  repository.commit();
  const auto bundle = fetch(repository, "a");
  EXPECT_THAT(paths(bundle), ElementsAre("SKILL.md"));
  EXPECT_EQ(bundle->skipped.size(), 3U);
}

// Trees that git would never make from a working tree, written by hand.
std::string tree_with(const Repository& repository, const std::string& name,
                      const std::string& blob) {
  std::string record = "100644 " + name + '\0';
  for (size_t i = 0; i < blob.size(); i += 2) {
    record += static_cast<char>(std::stoi(blob.substr(i, 2), nullptr, 16));
  }
  return repository.git({"hash-object", "-t", "tree", "--literally", "-w", "--stdin"}, record);
}

TEST_F(GitAttack, PathsThatLeaveTheFolderRefuseEverything) {
  const Repository repository;
  const std::string blob = repository.git({"hash-object", "-w", "--stdin"}, "x");
  for (const std::string name :
       {"..", "a\\b", "line\nbreak", "tab\there", "/etc/passwd", "../up"}) {
    const std::string leaf = tree_with(repository, name, blob);
    const std::string skills = repository.git({"mktree"}, "040000 tree " + leaf + "\ta\n");
    repository.commit_tree(repository.git({"mktree"}, "040000 tree " + skills + "\tskills\n"));
    const auto bundle = fetch(repository, "a");
    ASSERT_FALSE(bundle) << name;
    EXPECT_EQ(bundle.error().code, "D312") << bundle.error().message;
  }
}

TEST_F(GitAttack, NamesThatDifferOnlyInCaseAreRefused) {
  const Repository repository;
  repository.put("skills/a/Read.md", "x");
  repository.put("skills/a/read.md", "y");
  repository.commit();
  EXPECT_THAT(message(fetch(repository, "a")), HasSubstr("D312 invalid_bundle"));
}

TEST_F(GitAttack, NamesThatAreNotTextAreSkipped) {
  const Repository repository;
  repository.put("skills/a/SKILL.md", "x");
  repository.put("skills/a/bad\xff.md", "x");
  repository.commit();
  const auto bundle = fetch(repository, "a");
  EXPECT_THAT(paths(bundle), ElementsAre("SKILL.md"));
  ASSERT_EQ(bundle->skipped.size(), 1U);
  EXPECT_EQ(bundle->skipped[0].path, "bad\\xff.md");
}

TEST_F(GitAttack, W6CapsAreKeptAtTheirEdge) {
  const Repository repository;
  repository.put("skills/a/SKILL.md", "0123456789");
  repository.put("skills/a/d/e/f.md", "01234");
  repository.commit();
  options_.limits.max_files = 2;
  options_.limits.max_file_bytes = 10;
  options_.limits.max_bundle_bytes = 15;
  options_.limits.max_depth = 3;
  EXPECT_TRUE(fetch(repository, "a"));
  const auto refused = [&](uint64_t BundleLimits::* limit) {
    const uint64_t before = options_.limits.*limit;
    options_.limits.*limit = before - 1;
    const auto bundle = fetch(repository, "a");
    options_.limits.*limit = before;
    return !bundle && bundle.error().code == "D312";
  };
  EXPECT_TRUE(refused(&BundleLimits::max_files));
  EXPECT_TRUE(refused(&BundleLimits::max_file_bytes));
  EXPECT_TRUE(refused(&BundleLimits::max_bundle_bytes));
  EXPECT_TRUE(refused(&BundleLimits::max_depth));
}

TEST_F(GitAttack, W6AnObjectThatUnpacksToFarMoreThanItWeighsIsRefused) {
  const Repository repository;
  repository.put("skills/a/SKILL.md", "x");
  repository.put("skills/a/bomb.bin", std::string(64 * 1024 * 1024, '\0'));
  repository.commit();
  const auto bundle = fetch(repository, "a");
  EXPECT_THAT(message(bundle),
              HasSubstr("D312 invalid_bundle: the file \"bomb.bin\" has 67108864"));
}

TEST_F(GitAttack, W6TheStoreOnTheDiskIsBounded) {
  const Repository repository("main", false);
  std::string noise;
  for (unsigned i = 0, x = 1; i < 2'000'000; ++i) {
    x = x * 1'664'525 + 1'013'904'223;
    noise += static_cast<char>(x >> 24);
  }
  repository.put("skills/a/SKILL.md", "x");
  repository.put("big.bin", noise);
  repository.commit();
  options_.limits.max_clone_bytes = 1'000'000;
  const auto bundle = fetch(repository, "a");
  EXPECT_THAT(message(bundle), HasSubstr("D312 invalid_bundle"));
  EXPECT_THAT(message(bundle), HasSubstr("max_clone_bytes"));
}

TEST_F(GitAttack, W2ATimeoutEndsGitAndItsHelpersAndIsCalledOne) {
  const TempFolder folder;
  const fs::path pids = folder.path() / "pids";
  const std::string target = pids.native();
  write_program(folder.path() / "git", "sleep 1000 & echo $! $$ > " + target + ".part; mv " +
                                           target + ".part " + target + "; wait; sleep 1000");
  options_.program = folder.path() / "git";
  job_.allowed = std::chrono::milliseconds(3'000);
  job_.report = [&](const Progress&) {
    if (fs::exists(pids)) job_.deadline = std::chrono::steady_clock::now();
  };
  EXPECT_THAT(message(fetch("https://example.invalid/x", "a")),
              testing::StartsWith("D321 git_error: git timed out after 3000 ms. Next: "));
  std::ifstream in(pids);
  int count = 0;
  for (pid_t pid = 0; in >> pid; ++count) {
    EXPECT_EQ(kill(pid, 0), -1);
    EXPECT_EQ(errno, ESRCH);
  }
  EXPECT_EQ(count, 2);
}

TEST_F(GitAttack, AMissingGitIsSaid) {
  options_.program = "iii-no-such-git";
  EXPECT_THAT(message(fetch("https://example.invalid/x", "a")), HasSubstr("install git"));
}

// What git was called with, by a program that writes it down.
TEST_F(GitAttack, NothingGivenByTheCallerIsAnArgumentOfItsOwn) {
  const TempFolder folder;
  const std::string log = (folder.path() / "log").native();
  write_program(folder.path() / "git",
                "for a; do echo \"$a\"; done > " + log + "\nenv > " + log + ".env\nexit 1");
  options_.program = folder.path() / "git";
  const Variable secret("GIT_SSL_NO_VERIFY", "1");
  ASSERT_FALSE(fetch("ssh://git@example.invalid/x", "a", "evil"));
  std::ifstream in(log);
  const std::string arguments((std::istreambuf_iterator<char>(in)), {});
  EXPECT_THAT(arguments, HasSubstr("\nremote.origin.url=ssh://git@example.invalid/x\n"));
  EXPECT_THAT(arguments, HasSubstr("\nhttp.followRedirects=false\n"));
  EXPECT_THAT(arguments, testing::EndsWith("\nls-remote\n--heads\n--tags\norigin\n"));
  std::ifstream env(log + ".env");
  const std::string environment((std::istreambuf_iterator<char>(env)), {});
  EXPECT_THAT(environment, HasSubstr("GIT_ALLOW_PROTOCOL=https:ssh:file\n"));
  EXPECT_THAT(environment, HasSubstr("BatchMode=yes"));
  EXPECT_THAT(environment, HasSubstr("GIT_TERMINAL_PROMPT=0\n"));
  EXPECT_THAT(environment, Not(HasSubstr("GIT_SSL_NO_VERIFY")));
}

TEST_F(GitAttack, LeftOversOfDeadProcessesAreSweptAndOthersKept) {
  const TempFolder place;
  auto living = Scratch::make(place.path());
  ASSERT_TRUE(living);
  EXPECT_EQ(fs::status(living->path()).permissions(), fs::perms::owner_all);
  write_file(place.path() / "iii-git-dead/in-use", "");
  write_file(place.path() / "iii-git-dead/store/objects/x", "x");
  write_file(place.path() / "iii-git-young/x", "x");  // no lock yet: being made
  const TempFolder elsewhere;
  write_file(elsewhere.path() / "in-use", "");
  fs::create_symlink(elsewhere.path(), place.path() / "iii-git-link");
  sweep_scratch(place.path());
  EXPECT_FALSE(fs::exists(place.path() / "iii-git-dead"));
  EXPECT_TRUE(fs::exists(place.path() / "iii-git-young"));
  EXPECT_TRUE(fs::exists(living->path()));
  EXPECT_TRUE(fs::exists(elsewhere.path() / "in-use"));
}

}  // namespace
}  // namespace iii::sources
