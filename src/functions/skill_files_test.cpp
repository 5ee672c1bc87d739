// The one walk over the folder of a skill, under both sets of rules.
#include "functions/skill_files.h"

#include <gmock/gmock.h>

#include "content/fixture_for_test.h"
#include "functions/portable_files.h"

namespace iii::directory {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class SkillFilesTest : public testing::Test {
 protected:
  RootFolder root() { return RootFolder::open(tree.at("global")).value(); }
  std::vector<std::string> portable() {
    std::vector<std::string> out;
    for (const PortableFile& file : portable_manifest(root(), "a", digests).value().files) {
      out.push_back(file.path);
    }
    return out;
  }
  std::string portable_error() {
    const auto found = portable_manifest(root(), "a", digests);
    return found ? "(none)" : found.error().code;
  }

  content::TempTree tree;
  FileDigests digests;
};

TEST_F(SkillFilesTest, RulesDecideAboutNestedHiddenAndPrivateFiles) {
  for (const char* path : {"SKILL.md", "x.txt", ".env", ".git/config", "docs/.git/config",
                           "inner/skill.md", "inner/y.txt", "z/deep/file"}) {
    tree.put(std::string("global/a/") + path, "x");
  }
  EXPECT_THAT(skill_file_paths(root(), "a"),
              ElementsAre(".env", "SKILL.md", "x.txt", "z/deep/file"));
  EXPECT_THAT(portable(),
              ElementsAre("SKILL.md", "inner/skill.md", "inner/y.txt", "x.txt", "z/deep/file"));
}

TEST_F(SkillFilesTest, WhatCannotBeServedIsLeftOutOrAnError) {
  tree.put("global/a/SKILL.md", "x");
  tree.put("global/other/file", "x");
  tree.link("global/a/folder", "../other");
  tree.link("global/a/file", "SKILL.md");
  EXPECT_THAT(skill_file_paths(root(), "a"), ElementsAre("SKILL.md", "file"));
  EXPECT_EQ(portable_error(), "link");
  EXPECT_EQ(portable_manifest(root(), "b", digests).error().code, "missing");
  EXPECT_THAT(skill_file_paths(root(), "b"), IsEmpty());
}

TEST_F(SkillFilesTest, ANameThatIsNotUtf8HasNoAddress) {
  tree.put("global/a/SKILL.md", "x");
  tree.put("global/a/\xff.txt", "x");
  EXPECT_THAT(skill_file_paths(root(), "a"), ElementsAre("SKILL.md"));
  EXPECT_EQ(portable_error(), "not_utf8");
}

TEST_F(SkillFilesTest, FoldersWithoutFilesAreBoundedToo) {
  tree.put("global/a/SKILL.md", "x");
  for (size_t i = 1; i < kMaxFolderEntries; ++i) tree.folder("global/a/d" + std::to_string(i));
  EXPECT_THAT(portable(), ElementsAre("SKILL.md"));
  tree.folder("global/a/one-more");
  EXPECT_EQ(portable_error(), "too_many");
}

TEST_F(SkillFilesTest, AManifestSaysWhetherAFileHasFurtherNames) {
  tree.put("global/a/SKILL.md", "x");
  tree.put("global/a/x.txt", "x");
  EXPECT_FALSE(portable_manifest(root(), "a", digests)->has_further_names);
  std::filesystem::create_hard_link(tree.at("global/a/x.txt"), tree.at("outside"));
  EXPECT_TRUE(portable_manifest(root(), "a", digests)->has_further_names);
}

}  // namespace
}  // namespace iii::directory
