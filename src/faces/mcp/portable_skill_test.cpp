// The files of a skill by the rules of the Skills extension.
#include "faces/mcp/portable_skill.h"

#include <gmock/gmock.h>

#include "directory/content/fixture_for_test.h"

namespace iii::mcp {
namespace {

using testing::ElementsAre;

class PortableSkillTest : public testing::Test {
 protected:
  PortableSkillTest() { tree.put("global/a/SKILL.md", "x"); }
  RootFolder root() { return RootFolder::open(tree.at("global")).value(); }
  std::vector<std::string> paths() {
    std::vector<std::string> out;
    for (const PortableFile& file : portable_files(root(), "a", true).value().files) {
      out.push_back(file.path);
    }
    return out;
  }
  std::string refusal(std::string_view folder = "a") {
    const auto found = portable_files(root(), folder, true);
    return found ? "(none)" : found.error().code;
  }

  content::TempTree tree;
};

TEST_F(PortableSkillTest, NestedSkillsBelongToItHiddenFilesDoNot) {
  for (const char* path : {"x.txt", ".env", ".git/config", "docs/.git/config", "inner/skill.md",
                           "inner/y.txt", "z/deep/file"}) {
    tree.put(std::string("global/a/") + path, "x");
  }
  EXPECT_THAT(paths(),
              ElementsAre("SKILL.md", "inner/skill.md", "inner/y.txt", "x.txt", "z/deep/file"));
}

TEST_F(PortableSkillTest, WhatCannotBeServedIsAnError) {
  EXPECT_EQ(refusal("b"), "missing");
  tree.link("global/a/file", "SKILL.md");
  EXPECT_EQ(refusal(), "link");
  tree.remove("global/a/file");
  tree.put("global/a/\xff.txt", "x");
  EXPECT_EQ(refusal(), "not_utf8");
}

TEST_F(PortableSkillTest, FoldersWithoutFilesAreBoundedToo) {
  for (size_t i = 1; i < directory::kMaxFolderEntries; ++i) {
    tree.folder("global/a/d" + std::to_string(i));
  }
  EXPECT_THAT(paths(), ElementsAre("SKILL.md"));
  tree.folder("global/a/one-more");
  EXPECT_EQ(refusal(), "too_many");
}

TEST_F(PortableSkillTest, FurtherHardLinksAreReported) {
  tree.put("global/a/x.txt", "x");
  EXPECT_FALSE(portable_files(root(), "a", true)->has_further_names);
  std::filesystem::create_hard_link(tree.at("global/a/x.txt"), tree.at("outside"));
  EXPECT_TRUE(portable_files(root(), "a", true)->has_further_names);
}

TEST_F(PortableSkillTest, AWholeFileBeyondTheLimitIsRefused) {
  tree.put("global/a/x.txt", "12345678");
  const auto part = [this](uint64_t limit, bool whole) {
    return read_portable_part(root(), "a/x.txt", {.limit = limit, .whole = whole});
  };
  EXPECT_EQ(part(8, true)->bytes, "12345678");
  EXPECT_EQ(part(7, true).error().code, "too_large");
  EXPECT_EQ(part(7, false)->bytes, "1234567");
}

}  // namespace
}  // namespace iii::mcp
