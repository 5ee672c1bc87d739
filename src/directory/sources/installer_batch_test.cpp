// Several bundles in one swap: one journal, one change of the lock, each namespace whole or not at
// all.
#include <cerrno>

#include "directory/sources/installer_fixture_for_test.h"
#include "directory/sources/journal.h"

namespace iii::sources {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::Contains;
using testing::Eq;
using testing::HasSubstr;
using testing::Key;
using testing::Not;

constexpr int kMaxSteps = 600;

std::vector<Bundle> version(const std::string& number) {
  std::vector<Bundle> all;
  for (const char* name : {"c", "a", "b"}) {
    Files files{{"SKILL.md", name + number}, {"same.md", "same"}};
    files["only" + number + "/x.md"] = "x";
    all.push_back(bundle_of(number, files, name));
  }
  return all;
}

std::vector<Result<InstallReport>> install(Installer& installer, const std::vector<Bundle>& bundles,
                                           const Job& job = {}) {
  static const InstallOptions kOptions;
  std::vector<Package> packages;
  for (const Bundle& bundle : bundles) {
    packages.push_back({.bundle = &bundle, .options = &kOptions});
  }
  return installer.install_all(packages, job);
}

TEST(InstallerBatch, AllAreWrittenInOneSwap) {
  const SkillsFolder folder;
  Installer installer(folder.path());
  int swaps = 0;
  Job job;
  job.before_swap = [&swaps](const std::vector<std::string>&) { ++swaps; };
  const auto reports = install(installer, version("1"), job);
  ASSERT_EQ(reports.size(), 3U);
  for (const auto& report : reports) ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(reports[0]->name_space, "c") << "in the order of the packages";
  EXPECT_EQ(swaps, 1);
  EXPECT_EQ(folder.get("b/SKILL.md"), "b1");
  EXPECT_EQ(lock_in(folder.path()).namespaces.size(), 3U);
  for (const std::string& state : verified(folder.path())) EXPECT_THAT(state, HasSubstr("intact"));
}

TEST(InstallerBatch, WhatIsRefusedLeavesTheOthersAlone) {
  const SkillsFolder folder;
  folder.put("b", "a file where the namespace should be");
  Installer installer(folder.path());
  std::vector<Bundle> bundles = version("1");
  bundles.push_back(bundle_of("1", {{"../x.md", "x"}}, "outside"));
  bundles.push_back(bundle_of("1", {{"SKILL.md", "twice"}}, "a"));
  const auto reports = install(installer, bundles);
  EXPECT_EQ(code_of(reports[0]), "fine");
  EXPECT_EQ(code_of(reports[1]), "fine");
  EXPECT_EQ(code_of(reports[2]), "D330");
  EXPECT_EQ(code_of(reports[3]), "D312");
  EXPECT_EQ(code_of(reports[4]), "D311");
  EXPECT_EQ(folder.get("a/SKILL.md"), "a1");
  EXPECT_THAT(lock_in(folder.path()).namespaces, Not(Contains(Key("b"))));
}

TEST(InstallerBatch, WhatFailsInTheSwapFailsAlone) {
  const SkillsFolder folder;
  Installer installer(folder.path(), [](std::string_view step, std::string_view path) {
    return step == "rename" && path.starts_with("b/") ? EACCES : 0;
  });
  const auto reports = install(installer, version("1"));
  EXPECT_EQ(code_of(reports[0]), "fine");
  EXPECT_EQ(code_of(reports[1]), "fine");
  EXPECT_EQ(code_of(reports[2]), "D330");
  EXPECT_FALSE(fs::exists(folder.path("b")));
  EXPECT_EQ(folder.get("c/SKILL.md"), "c1");
}

TEST(InstallerBatch, AFailureAtAnyStepLeavesEachNamespaceWhole) {
  const SkillsFolder done;
  Installer straight(done.path());
  install(straight, version("1"));
  const Files before = done.picture();
  install(straight, version("2"));
  int failures = 0;
  for (int step = 0; step < kMaxSteps; ++step) {
    const SkillsFolder folder;
    {
      Installer installer(folder.path());
      install(installer, version("1"));
    }
    const auto count = std::make_shared<int>(0);
    Installer broken(folder.path(), [count, step](std::string_view, std::string_view) {
      return (*count)++ >= step ? EIO : 0;
    });
    const auto reports = install(broken, version("2"));
    if (*count <= step) break;
    ++failures;
    ReadGate gate(folder.path());
    ASSERT_TRUE(gate.enter());
    for (const char* name : {"a", "b", "c"}) {
      const bool newer = fs::exists(folder.path(std::string(name) + "/only2/x.md"));
      EXPECT_EQ(fs::exists(folder.path(std::string(name) + "/only1/x.md")), !newer) << step;
      EXPECT_EQ(folder.get(std::string(name) + "/SKILL.md"), name + std::string(newer ? "2" : "1"));
    }
    for (const std::string& state : verified(folder.path())) {
      EXPECT_THAT(state, HasSubstr("intact")) << step;
    }
    EXPECT_TRUE(gate.leave());
  }
  EXPECT_GT(failures, 40);
}

}  // namespace
}  // namespace iii::sources
