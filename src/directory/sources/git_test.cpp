#include "directory/sources/git.h"

#include <gmock/gmock.h>

#include "directory/sources/git_fixture_for_test.h"

namespace iii::sources {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST_F(GitTest, TakesTheFilesOfASkillSortedWithTheirRoles) {
  const Repository repository;
  repository.put("skills/alpha/sub/leaf.md", "# leaf\n");
  repository.put("skills/alpha/SKILL.md", "# alpha\r\n");
  repository.put("skills/alpha/prompts/ask.md", "ask\n");
  repository.put("skills/alpha/pic.png", std::string("\0\xff\n", 3));
  repository.put("skills/beta/SKILL.md", "# beta\n");
  const std::string commit = repository.commit();
  const auto bundle = fetch(repository, "alpha");
  EXPECT_THAT(paths(bundle), ElementsAre("SKILL.md", "pic.png", "prompts/ask.md", "sub/leaf.md"));
  ASSERT_TRUE(bundle);
  EXPECT_EQ(bundle->files[0].bytes, "# alpha\r\n");
  EXPECT_EQ(bundle->files[1].bytes, std::string("\0\xff\n", 3));
  EXPECT_EQ(bundle->files[1].role, FileRole::kAsset);
  EXPECT_EQ(bundle->files[2].role, FileRole::kPrompt);
  EXPECT_EQ(bundle->resolved, commit);
  EXPECT_EQ(bundle->branch, "main");
  EXPECT_EQ(bundle->folder, "skills/alpha");
  EXPECT_EQ(namespace_of(bundle->source), "alpha");
}

TEST_F(GitTest, W22LooksInSkillsFirstThenInTheFolderItself) {
  const Repository repository;
  repository.put("alpha/SKILL.md", "top");
  repository.put("skills/other/SKILL.md", "x");
  repository.commit();
  auto bundle = fetch(repository, "alpha");
  EXPECT_EQ(bytes_of(bundle, "SKILL.md"), "top");
  EXPECT_EQ(bundle->folder, "alpha");
  repository.put("skills/alpha/SKILL.md", "inner");
  repository.commit();
  bundle = fetch(repository, "alpha");
  EXPECT_EQ(bytes_of(bundle, "SKILL.md"), "inner");
  EXPECT_EQ(bundle->folder, "skills/alpha");
}

TEST_F(GitTest, W22AFolderAtTheTopNeedsASkillFile) {
  const Repository repository;
  repository.put("src/main.c", "x");
  repository.commit();
  EXPECT_THAT(message(fetch(repository, "src")), HasSubstr("D310 not_found"));
}

TEST_F(GitTest, W22TakesARepositoryThatIsTheSkill) {
  const Repository repository;
  repository.put("SKILL.md", "---\nname: alpha\n---\n# x\n");
  repository.put("docs/more.md", "more");
  repository.put(".github/workflows/ci.yml", "x");
  repository.put(".github/FUNDING.yml", "x");
  repository.commit();
  const auto bundle = fetch(repository, "alpha");
  EXPECT_THAT(paths(bundle), ElementsAre("SKILL.md", "docs/more.md"));
  EXPECT_EQ(bundle->folder, "");
  ASSERT_EQ(bundle->skipped.size(), 1U);  // told once, not file by file
  EXPECT_EQ(bundle->skipped[0].path, ".github");
  EXPECT_THAT(message(fetch(repository, "beta")), HasSubstr("D310 not_found"));
}

TEST_F(GitTest, W22ASkillWithoutANameIsKnownByItsRepository) {
  const Repository repository;
  repository.put("SKILL.md", "# nameless\n");
  repository.commit();
  const std::string name = repository.path().filename().native();
  EXPECT_EQ(bytes_of(fetch(repository, name), "SKILL.md"), "# nameless\n");
  EXPECT_THAT(message(fetch(repository, "other")), HasSubstr("D310 not_found"));
}

TEST_F(GitTest, W22UsesTheDefaultBranchWhereThereIsNoMain) {
  const Repository repository("trunk");
  repository.put("skills/a/SKILL.md", "x");
  repository.commit();
  repository.git({"branch", "aaa"});
  const auto bundle = fetch(repository, "a");
  ASSERT_TRUE(bundle);
  EXPECT_EQ(bundle->branch, "trunk");
}

TEST_F(GitTest, MainComesBeforeTheDefaultBranch) {
  const Repository repository("trunk");
  repository.put("skills/a/SKILL.md", "trunk");
  repository.commit();
  repository.git({"checkout", "-q", "-b", "main"});
  repository.put("skills/a/SKILL.md", "main");
  repository.commit();
  repository.git({"checkout", "-q", "trunk"});
  EXPECT_EQ(bytes_of(fetch(repository, "a"), "SKILL.md"), "main");
}

TEST_F(GitTest, W22TakesBranchesTagsAndCommits) {
  const Repository repository;
  repository.put("skills/a/SKILL.md", "one");
  const std::string one = repository.commit();
  repository.git({"tag", "light"});
  repository.git({"tag", "-a", "-m", "x", "heavy"});
  repository.put("skills/a/SKILL.md", "two");
  const std::string two = repository.commit();
  repository.git({"branch", "feature/x"});
  repository.put("skills/a/SKILL.md", "three");
  repository.commit();
  for (const std::string& ref :
       {std::string("light"), std::string("heavy"), std::string("refs/tags/heavy"), one}) {
    const auto bundle = fetch(repository, "a", ref);
    EXPECT_EQ(bytes_of(bundle, "SKILL.md"), "one") << ref;
    ASSERT_TRUE(bundle);
    EXPECT_EQ(bundle->resolved, one);
    EXPECT_EQ(bundle->branch, ref);
    EXPECT_EQ(resolve_repo({repository.url(), "a", ref}, options_, job_), one);
  }
  EXPECT_EQ(fetch(repository, "a", "feature/x")->resolved, two);
  EXPECT_EQ(bytes_of(fetch(repository, "a", ascii_lower(two)), "SKILL.md"), "two");
}

TEST_F(GitTest, ABranchComesBeforeATagOfItsName) {
  const Repository repository;
  repository.put("skills/a/SKILL.md", "tag");
  repository.commit();
  repository.git({"tag", "both"});
  repository.put("skills/a/SKILL.md", "branch");
  repository.commit();
  repository.git({"branch", "both"});
  EXPECT_EQ(bytes_of(fetch(repository, "a", "both"), "SKILL.md"), "branch");
}

TEST_F(GitTest, W20AMissingBranchNamesOnesThatAreThere) {
  const Repository repository;
  repository.put("skills/a/SKILL.md", "x");
  const std::string commit = repository.commit();
  repository.git({"branch", "develop"});
  const std::string text = message(fetch(repository, "a", "devlop"));
  EXPECT_THAT(text, HasSubstr("D310 not_found: the repository has no branch or tag \"devlop\""));
  EXPECT_THAT(text, HasSubstr("Did you mean \"develop\"?"));
  EXPECT_THAT(text, HasSubstr("Next: "));
  EXPECT_THAT(message(fetch(repository, "a", commit.substr(0, 10))), HasSubstr("40 digits"));
  EXPECT_THAT(message(fetch(repository, "a", std::string(40, '1'))),
              HasSubstr("D310 not_found: the repository has no such commit"));
}

TEST_F(GitTest, W20AMissingSkillNamesOnesThatAreThere) {
  const Repository repository;
  repository.put("skills/mcp-builder/SKILL.md", "x");
  repository.commit();
  const auto bundle = fetch(repository, "mcp-bilder");
  ASSERT_FALSE(bundle);
  EXPECT_EQ(bundle.error().code, "D310");
  EXPECT_THAT(message(bundle), HasSubstr("skills/mcp-bilder"));
  EXPECT_THAT(message(bundle), HasSubstr("Did you mean \"mcp-builder\"?"));
  EXPECT_THAT(message(bundle), Not(HasSubstr(repository.path().native())));
}

TEST_F(GitTest, W20ARepositoryThatIsNotThereIsNotFound) {
  const auto bundle = fetch("file:///nonexistent/repository", "a");
  ASSERT_FALSE(bundle);
  EXPECT_EQ(bundle.error().code, "D310");
  EXPECT_THAT(message(bundle), Not(HasSubstr("nonexistent")));
  const Repository empty;
  EXPECT_THAT(message(fetch(empty, "a")), HasSubstr("no branches yet"));
}

TEST_F(GitTest, AFileInThePlaceOfTheFolderIsNoSkill) {
  const Repository repository;
  repository.put("skills/plain", "x");
  repository.commit();
  const auto bundle = fetch(repository, "plain");
  EXPECT_THAT(message(bundle),
              HasSubstr("D310 not_found: `skills/plain` in the repository is a file"));
}

TEST_F(GitTest, WorksWithServersThatKnowNoFilter) {
  const Repository repository("main", false);
  repository.put("skills/a/SKILL.md", "x");
  repository.put("SKILL.md", "root");
  repository.commit();
  EXPECT_EQ(bytes_of(fetch(repository, "a"), "SKILL.md"), "x");
}

TEST_F(GitTest, FetchesOnlyTheFilesOfTheSkill) {
  const Repository repository;
  repository.put("skills/a/SKILL.md", "x");
  std::string noise;
  for (unsigned i = 0, x = 1; i < 3'000'000; ++i) {
    x = x * 1'664'525 + 1'013'904'223;
    noise += static_cast<char>(x >> 24);
  }
  repository.put("big.bin", noise);
  repository.commit();
  uint64_t most = 0;
  job_.report = [&](const Progress& progress) { most = std::max(most, progress.done); };
  EXPECT_EQ(bytes_of(fetch(repository, "a"), "SKILL.md"), "x");
  EXPECT_LT(most, 500'000U);
  options_.limits.max_clone_bytes = 1'000'000;  // the rest would not even fit
  EXPECT_EQ(bytes_of(fetch(repository, "a"), "SKILL.md"), "x");
}

TEST_F(GitTest, TakesRepositoriesWithLongerIds) {
  const Repository repository("main", true, {"--object-format=sha256"});
  repository.put("skills/a/SKILL.md", "x");
  const std::string commit = repository.commit();
  ASSERT_EQ(commit.size(), 64U);
  const auto bundle = fetch(repository, "a");
  EXPECT_EQ(bytes_of(bundle, "SKILL.md"), "x");
  EXPECT_EQ(bundle->resolved, commit);
}

TEST_F(GitTest, TakesManyFilesAndEqualOnes) {
  const Repository repository;
  for (int i = 0; i < 300; ++i) {
    repository.put("skills/a/f" + std::to_string(i) + ".md", i < 250 ? std::to_string(i) : "same");
  }
  repository.commit();
  const auto bundle = fetch(repository, "a");
  EXPECT_EQ(paths(bundle).size(), 300U);
  EXPECT_EQ(bytes_of(bundle, "f249.md"), "249");
  EXPECT_EQ(bytes_of(bundle, "f299.md"), "same");
}

TEST_F(GitTest, ReportsItsSteps) {
  const Repository repository;
  repository.put("skills/a/SKILL.md", "x");
  repository.commit();
  std::vector<std::string> steps;
  job_.report = [&](const Progress& progress) {
    if (steps.empty() || steps.back() != progress.step) steps.push_back(progress.step);
  };
  ASSERT_TRUE(fetch(repository, "a"));
  EXPECT_THAT(steps, ElementsAre("asking", "fetching", "checking", "fetching", "checking"));
}

TEST_F(GitTest, LocalRepositoriesNeedTheTestSwitch) {
  const Repository repository;
  repository.put("skills/a/SKILL.md", "x");
  repository.commit();
  options_.allow_local = false;
  EXPECT_THAT(message(fetch(repository, "a")), HasSubstr("D311 invalid_input"));
  EXPECT_THAT(message(fetch(repository.path().native(), "a")), HasSubstr("D311 invalid_input"));
}

}  // namespace
}  // namespace iii::sources
