#include "directory/library/document_paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "directory/library/document_table.h"
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

TEST(DocumentTable, FindsFilesByTheirOwnPathWhateverTheirId) {
  const auto generation = generation_of({{"c-1a2b3c/index", "C++/SKILL.md"},
                                         {"foo/bar", "foo/bar.md"},
                                         {"foo/bar-9f8e7d", "Foo/Bar.md"},
                                         {"notes-v1-2", "Notes v1.2.md"},
                                         {"x", "x.md", 1},
                                         {"x-000000", "X.md", 0}});
  const DocumentTablePtr table = DocumentTable::make(generation, nullptr);
  using enum DocumentTable::Fit;
  const auto found = [&](std::string_view path, std::optional<uint16_t> root = {}) {
    const DocumentTable::Match match = table->find_path(path, root);
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
  EXPECT_EQ(table->find_path("NOTES V1.2.MD").fit, kOtherCase);
  EXPECT_EQ(table->find_path("C++").fit, kFolder);
  EXPECT_EQ(found("x.md"), "x");
  EXPECT_EQ(found("x.md", 0), "x-000000") << "in that root only, ignoring case";
}

}  // namespace
}  // namespace iii::directory
