// The walk over the folder of a skill, and parts of its files.
#include "directory/reading/skill_files.h"

#include <gmock/gmock.h>

#include "directory/content/fixture_for_test.h"

namespace iii::directory {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class SkillFilesTest : public testing::Test {
 protected:
  RootFolder root() { return RootFolder::open(tree.at("global")).value(); }

  content::TempTree tree;
};

TEST_F(SkillFilesTest, RulesDecideAboutNestedHiddenAndPrivateFiles) {
  for (const char* path :
       {"SKILL.md", "x.txt", ".env", ".git/config", "docs/.git/config", "inner/skill.md",
        "inner/y.txt", "more/SKILLS.md", "more/x.sh", "z/deep/file"}) {
    tree.put(std::string("global/a/") + path, "x");
  }
  EXPECT_THAT(skill_file_paths(root(), "a"),
              ElementsAre(".env", "SKILL.md", "x.txt", "z/deep/file"));
}

TEST_F(SkillFilesTest, WhatCannotBeServedIsLeftOutOrAnError) {
  tree.put("global/a/SKILL.md", "x");
  tree.put("global/other/file", "x");
  tree.link("global/a/folder", "../other");
  tree.link("global/a/file", "SKILL.md");
  EXPECT_THAT(skill_file_paths(root(), "a"), ElementsAre("SKILL.md", "file"));
  EXPECT_THAT(skill_file_paths(root(), "b"), IsEmpty());
}

TEST_F(SkillFilesTest, ANameThatIsNotUtf8HasNoAddress) {
  tree.put("global/a/SKILL.md", "x");
  tree.put("global/a/\xff.txt", "x");
  EXPECT_THAT(skill_file_paths(root(), "a"), ElementsAre("SKILL.md"));
}

// From every place and with every limit: whole characters, progress, and the same from memory.
TEST_F(SkillFilesTest, PartsOfTextAreWholeCharacters) {
  const std::string text = "aü€🙂b🙂€üa";
  tree.put("global/a/x.txt", text);
  for (uint64_t offset = 0; offset <= text.size() + 1; ++offset) {
    for (uint64_t limit = 0; limit <= text.size() + 1; ++limit) {
      const SkillFilePart part = read_skill_file_part(root(), "a/x.txt", offset, limit).value();
      EXPECT_TRUE(part.is_text) << offset << ' ' << limit;
      EXPECT_EQ(part.bytes, text.substr(part.offset, part.bytes.size()));
      EXPECT_LE(part.offset, offset);
      if (offset < text.size()) EXPECT_GT(part.end(), offset) << limit;
      const SkillFilePart same = part_of_bytes(text, offset, limit);
      EXPECT_EQ(same.bytes, part.bytes);
      EXPECT_EQ(same.offset, part.offset);
    }
  }
}

TEST_F(SkillFilesTest, PartsOfOtherFilesAreExact) {
  const std::string bytes = "\xff\x80\x80\x80\x80\x80\x80\x80\x80\xff";
  tree.put("global/a/x.bin", bytes);
  const SkillFilePart part = read_skill_file_part(root(), "a/x.bin", 2, 5).value();
  EXPECT_FALSE(part.is_text);
  EXPECT_EQ(part.offset, 2U);
  EXPECT_EQ(part.bytes, bytes.substr(2, 5));
}

}  // namespace
}  // namespace iii::directory
