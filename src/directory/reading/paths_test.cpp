#include "directory/reading/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "directory/library/testing.h"

namespace iii::directory {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Paths, AreTakenApart) {
  EXPECT_EQ(folder_of("a/b/c.md"), "a/b");
  EXPECT_EQ(folder_of("c.md"), "");
  EXPECT_EQ(file_name("a/b/c.md"), "c.md");
  EXPECT_EQ(without_suffix("a.b/C.MD"), "a.b/C");
  EXPECT_EQ(without_suffix("a.markdown"), "a");
  EXPECT_EQ(without_suffix("a.md.txt"), "a.md.txt");
  EXPECT_TRUE(is_skill_file("Skill.markdown"));
  EXPECT_FALSE(is_skill_file("SKILL.txt"));
  EXPECT_FALSE(is_skill_file("skills.md"));
}

TEST(Paths, AreJoinedWithoutLeavingTheRoot) {
  EXPECT_EQ(join_relative("a/b", "./c.md"), "a/b/c.md");
  EXPECT_EQ(join_relative("a/b", "../c/./d.md"), "a/c/d.md");
  EXPECT_EQ(join_relative("a", ".."), "");
  EXPECT_EQ(join_relative("a", "../.."), std::nullopt);
  EXPECT_EQ(join_relative("", "../x"), std::nullopt);
}

TEST(Paths, LinksLeadToSeveralPlacesBestFirst) {
  EXPECT_THAT(link_targets("a/b/SKILL.md", "./x%20y.md#part"),
              ElementsAre("a/b/x%20y.md#part", "a/b/x y.md"));
  EXPECT_THAT(link_targets("a/b/SKILL.md", "x.md"), ElementsAre("a/b/x.md", "a/x.md", "x.md"));
  EXPECT_THAT(link_targets("a/b/SKILL.md", "/x.md"), ElementsAre("x.md"));
  EXPECT_THAT(link_targets("a/b.md", "#part"), testing::Contains("a/b.md"));
  EXPECT_THAT(link_targets("a/b.md", "../../x.md"), IsEmpty());
}

struct File {
  std::string id;
  std::string path;
  uint16_t root = 0;
};

content::GenerationPtr generation_of(std::vector<File> files) {
  auto out = std::make_shared<content::Generation>();
  out->roots = {{content::RootKind::kLocal, "local"}, {content::RootKind::kGlobal, "global"}};
  std::ranges::sort(files, {}, &File::id);
  for (const File& file : files) {
    auto skill = std::make_shared<content::Skill>();
    skill->id = file.id;
    skill->file = {file.root, file.path};
    skill->version.inode = 1;
    out->skills.push_back(std::move(skill));
  }
  return out;
}

PathIndex index_of(const content::GenerationPtr& generation, const PathIndex& before = {}) {
  RowBlocks<PathBlock>::Update update(before.blocks(), generation);
  while (update.step()) {
  }
  return PathIndex(update.take());
}

TEST(PathIndex, FindsFilesByTheirOwnPathWhateverTheirId) {
  const auto generation = generation_of({{"c-1a2b3c/index", "C++/SKILL.md"},
                                         {"foo/bar", "foo/bar.md"},
                                         {"foo/bar-9f8e7d", "Foo/Bar.md"},
                                         {"notes-v1-2", "Notes v1.2.md"},
                                         {"x", "x.md", 1},
                                         {"x-000000", "X.md", 0}});
  const PathIndex index = index_of(generation);
  using enum PathIndex::Fit;
  const auto found = [&](std::string_view path, std::optional<uint16_t> root = {}) {
    const PathIndex::Match match = index.find(path, root);
    return match.skill == nullptr ? std::string("-") : match.skill->id;
  };
  EXPECT_EQ(found("C++/SKILL.md"), "c-1a2b3c/index");
  EXPECT_EQ(found("C++"), "c-1a2b3c/index");
  EXPECT_EQ(found("c++"), "c-1a2b3c/index");
  EXPECT_EQ(found("foo/bar.md"), "foo/bar");
  EXPECT_EQ(found("Foo/Bar.md"), "foo/bar-9f8e7d");
  EXPECT_EQ(found("Foo/Bar"), "foo/bar-9f8e7d");
  EXPECT_EQ(found("Notes v1.2.md"), "notes-v1-2");
  EXPECT_EQ(found("Notes v1.2"), "notes-v1-2");
  EXPECT_EQ(found("Notes"), "-");
  EXPECT_EQ(found(""), "-");
  EXPECT_EQ(index.find("NOTES V1.2.MD").fit, kOtherCase);
  EXPECT_EQ(index.find("C++").fit, kFolder);
  EXPECT_EQ(found("x.md"), "x");
  EXPECT_EQ(found("x.md", 0), "x-000000") << "in that root only, ignoring case";
}

TEST(PathIndex, FollowsTheGenerations) {
  std::vector<File> files;
  for (int i = 0; i < 1'000; ++i) {
    const std::string n = std::to_string(10'000 + i);
    files.push_back({"d" + n, "D " + n + ".md"});
  }
  const auto before = generation_of(files);
  const PathIndex first = index_of(before);
  auto after = std::make_shared<content::Generation>(*before);
  for (int i = 0; i < 10; ++i) after->skills.erase(300);
  const PathIndex second = index_of(after, first);
  EXPECT_EQ(second.find("D 10305.md").skill, nullptr);
  for (const int i : {0, 299, 310, 999}) {
    const std::string n = std::to_string(10'000 + i);
    EXPECT_EQ(second.find("D " + n + ".md").skill->id, "d" + n);
  }
  EXPECT_EQ(first.blocks().pieces()[1].block, second.blocks().pieces()[1].block)
      << "blocks without a change are kept";
}

}  // namespace
}  // namespace iii::directory
