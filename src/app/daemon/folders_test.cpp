#include "app/daemon/folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "app/daemon/hidden.h"
#include "directory/content/content.h"
#include "foundation/base/temp_folder_for_test.h"

namespace iii::daemon {
namespace {

using testing::ElementsAre;
using testing::EndsWith;

class FoldersTest : public testing::Test {
 protected:
  void put(const std::string& path) const {
    const auto file = folder.path() / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << "---\ndescription: x\n---\n# A\n\nText.\n";
  }
  DirectoryConfig config() const {
    DirectoryConfig out;
    out.local_skills_folder = (folder.path() / "local").string();
    out.skills_folder = (folder.path() / "global").string();
    return out;
  }
  static directory::View read(const DirectoryConfig& config,
                              directory::NamesPtr installed = nullptr) {
    return {content::Content::open(content_options(config, "/h"))->fresh(), std::move(installed)};
  }

  TempFolder folder;
};

TEST_F(FoldersTest, EachFolderHasItsOwnCountsAndTheyAddUp) {
  put("global/mail/SKILL.md");
  put("global/mail/prompts/write.md");
  put("local/notes/SKILL.md");
  put("local/notes/run.sh");
  put("more/a/SKILL.md");
  DirectoryConfig its = config();
  its.extra_skills_folders = {(folder.path() / "more").string()};
  const directory::View files = read(its);
  std::vector<std::string> lines;
  for (const Folder& each : folders_of(its, "/h", files)) {
    lines.push_back(folder_line(each));
    EXPECT_FALSE(is_wrong(each));
  }
  EXPECT_THAT(
      lines, ElementsAre("local folder " + its.local_skills_folder + ": 1 skill, 0 prompts",
                         "global folder " + its.skills_folder + ": 1 skill, 1 prompt",
                         "extra-1 folder " + its.extra_skills_folders[0] + ": 1 skill, 0 prompts"));
  EXPECT_EQ(documents_line(files),
            "5 files: 3 skills, 1 prompt, 1 supporting file, 0 skipped; 2 compiled-in skills");
}

TEST_F(FoldersTest, AFolderThatWasThereAndIsGoneIsTold) {
  const DirectoryConfig its = config();
  SeenFolders seen;
  const auto look = [&] { return seen.look(folders_of(its, "/h")); };
  EXPECT_EQ(look(), std::nullopt) << "nobody has made them yet";
  put("global/mail/SKILL.md");
  EXPECT_EQ(look(), std::nullopt);
  const auto away = folder.path() / "away";
  std::filesystem::rename(its.skills_folder, away);
  EXPECT_EQ(look(), "the global folder does not exist any more");
  std::ofstream(its.skills_folder) << "a file";
  EXPECT_EQ(look(), "the global folder cannot be read any more");
  std::filesystem::remove(its.skills_folder);
  std::filesystem::rename(away, its.skills_folder);
  EXPECT_EQ(look(), std::nullopt) << "it is back";
}

TEST_F(FoldersTest, AFolderThatSomebodyNamedAndThatCannotBeReadIsWrong) {
  put("global/mail/SKILL.md");
  DirectoryConfig its = config();
  its.skills_folder += "/mail/SKILL.md";
  std::filesystem::create_symlink("loop", folder.path() / "loop");
  its.extra_skills_folders = {(folder.path() / "loop").string(), its.skills_folder + "/below"};
  std::vector<std::string> lines;
  for (const Folder& each : folders_of(its, "/h")) {
    lines.push_back(folder_line(each));
    EXPECT_TRUE(is_wrong(each)) << lines.back();
  }
  EXPECT_THAT(lines, ElementsAre(EndsWith("local does not exist"), EndsWith("is not a folder"),
                                 EndsWith("cannot be read: Too many levels of symbolic links"),
                                 EndsWith("cannot be read: Not a directory")));
}

TEST_F(FoldersTest, ADefaultFolderMayBeMissing) {
  DirectoryConfig its;
  const auto folders = folders_of(its, folder.path() / "home");
  EXPECT_EQ(folders[1].state, FolderState::kMissing);
  EXPECT_FALSE(is_wrong(folders[1]));
}

TEST_F(FoldersTest, WhatTheFilterHidesIsCounted) {
  put("global/mail/SKILL.md");
  put("global/mail/send.md");
  put("global/notes/SKILL.md");
  put("global/top.md");
  const auto installed =
      std::make_shared<directory::NameSet>(directory::NameSet{"iii-directory", "notes"});
  const directory::View view = read(config(), installed);
  EXPECT_EQ(view.total().hidden, 2U);
  EXPECT_EQ(some_of(hidden_workers(view)), "mail");
  EXPECT_EQ(some_of({"a", "b", "c", "d", "e", "f", "g"}), "a, b, c, d, e, and 2 more");
}

}  // namespace
}  // namespace iii::daemon
