#include "foundation/base/files_writer.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>

#include "foundation/base/temp_folder_for_test.h"

namespace iii {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Every promise is checked twice: with openat2 and the way that does without.
class FilesWriter : public testing::TestWithParam<Resolver> {
 protected:
  FilesWriter() {
    fs::create_directories(base_ / "root" / "a");
    fs::create_directories(base_ / "elsewhere");
    put("root/a/doc.md", "hello");
    put("elsewhere/x.md", "elsewhere");
  }

  void put(const std::string& path, std::string_view text) const {
    std::ofstream(base_ / path, std::ios::binary) << text;
  }
  std::string get(const std::string& path) const {
    std::ifstream file(base_ / path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  FolderWriter root(FolderWriter::Fault fault = {}) const {
    Result<FolderWriter> opened = FolderWriter::open(base_ / "root", GetParam(), std::move(fault));
    EXPECT_TRUE(opened);
    return std::move(*opened);
  }
  template <typename T>
  static std::string code(const Result<T>& result) {
    return result ? "fine" : result.error().code;
  }

  TempFolder folder_;
  const fs::path& base_ = folder_.path();
};

INSTANTIATE_TEST_SUITE_P(BothWays, FilesWriter,
                         testing::Values(Resolver::kAuto, Resolver::kComponents),
                         [](const testing::TestParamInfo<Resolver>& tested) {
                           return tested.param == Resolver::kAuto ? "Openat2" : "Components";
                         });

TEST_P(FilesWriter, MakesFoldersCreatesRenamesLinksAndRemoves) {
  const FolderWriter writer = root();
  ASSERT_TRUE(writer.make_folders("b/c/d"));
  ASSERT_TRUE(writer.make_folders("b/c/d"));
  ASSERT_TRUE(writer.create("b/c/new", "one"));
  EXPECT_EQ(code(writer.create("b/c/new", "two")), "exists");
  ASSERT_TRUE(writer.link("a/doc.md", "b/old"));
  ASSERT_TRUE(writer.rename("b/c/new", "a/doc.md"));
  EXPECT_EQ(get("root/a/doc.md"), "one");
  EXPECT_EQ(get("root/b/old"), "hello");
  ASSERT_TRUE(writer.sync_folder("a"));
  ASSERT_TRUE(writer.sync_folder(""));
  EXPECT_EQ(code(writer.remove_folder("b")), "not_empty");
  ASSERT_TRUE(writer.remove("b/old"));
  EXPECT_EQ(code(writer.remove("b/old")), "missing");
  ASSERT_TRUE(writer.remove_folder("b/c/d"));
  EXPECT_EQ(writer.read("a/doc.md", 10).value(), "one");
  EXPECT_EQ(code(writer.read("a/doc.md", 2)), "too_large");
}

TEST_P(FilesWriter, RefusesPathsThatClimb) {
  const FolderWriter writer = root();
  const std::string nul("a/x\0y", 5);
  for (const std::string& path :
       {std::string("../x.md"), std::string("a/../../x.md"), (base_ / "x.md").string(),
        std::string("a/.."), std::string(""), std::string("a/."), std::string("a/"), nul}) {
    EXPECT_EQ(code(writer.create(path, "x")), "outside") << path;
    EXPECT_EQ(code(writer.rename("a/doc.md", path)), "outside") << path;
    EXPECT_EQ(code(writer.remove(path)), "outside") << path;
  }
  EXPECT_EQ(code(writer.make_folders("../b")), "outside");
  EXPECT_EQ(get("root/a/doc.md"), "hello");
}

TEST_P(FilesWriter, FollowsNoLinkOnTheWayNotEvenOneThatStaysInside) {
  fs::create_directory_symlink("../elsewhere", base_ / "root/out");
  fs::create_directory_symlink("a", base_ / "root/inside");
  const FolderWriter writer = root();
  for (const std::string folder : {"out", "inside"}) {
    EXPECT_EQ(code(writer.create(folder + "/new.md", "x")), "link");
    EXPECT_EQ(code(writer.make_folders(folder + "/deep")), "link");
    EXPECT_EQ(code(writer.make_folders(folder)), "link");
    EXPECT_EQ(code(writer.rename("a/doc.md", folder + "/doc.md")), "link");
    EXPECT_EQ(code(writer.link("a/doc.md", folder + "/doc.md")), "link");
    EXPECT_EQ(code(writer.remove(folder + "/x.md")), "link");
    EXPECT_EQ(code(writer.list(folder)), "link");
    EXPECT_EQ(code(writer.sync_folder(folder)), "link");
    EXPECT_EQ(code(writer.open_lock(folder + "/l")), "link");
    EXPECT_EQ(code(writer.look(folder + "/doc.md")), "link");
  }
  EXPECT_EQ(get("elsewhere/x.md"), "elsewhere");
  EXPECT_EQ(std::distance(fs::directory_iterator(base_ / "elsewhere"), {}), 1);
}

TEST_P(FilesWriter, ALinkAtTheEndIsItselfReplacedOrRemoved) {
  fs::create_symlink("../../elsewhere/x.md", base_ / "root/a/link.md");
  const FolderWriter writer = root();
  EXPECT_EQ(code(writer.create("a/link.md", "x")), "exists");
  EXPECT_EQ(code(writer.open_file("a/link.md")), "link");
  EXPECT_EQ(code(writer.open_lock("a/link.md")), "link");
  EXPECT_TRUE(writer.look("a/link.md")->is_link);
  EXPECT_EQ(writer.read_link("a/link.md").value(), "../../elsewhere/x.md");
  ASSERT_TRUE(writer.link("a/link.md", "a/second"));
  EXPECT_TRUE(fs::is_symlink(base_ / "root/a/second"));
  ASSERT_TRUE(writer.rename("a/doc.md", "a/link.md"));
  EXPECT_FALSE(fs::is_symlink(base_ / "root/a/link.md"));
  ASSERT_TRUE(writer.remove("a/second"));
  EXPECT_EQ(get("elsewhere/x.md"), "elsewhere");
}

TEST_P(FilesWriter, NeverWaitsForAPipeAndRefusesFolders) {
  ASSERT_EQ(::mkfifo((base_ / "root/pipe").c_str(), 0600), 0);
  const FolderWriter writer = root();
  EXPECT_EQ(code(writer.open_file("pipe")), "not_a_file");
  EXPECT_EQ(code(writer.open_lock("pipe")), "not_a_file");
  EXPECT_EQ(code(writer.open_file("a")), "not_a_file");
  EXPECT_EQ(code(writer.make_folders("a/doc.md/x")), "exists");
}

TEST_P(FilesWriter, FaultsStrikeBeforeAnythingHappens) {
  std::vector<std::string> steps;
  const FolderWriter writer = root([&steps](std::string_view step, std::string_view path) {
    steps.push_back(std::string(step) + " " + std::string(path));
    return ENOSPC;
  });
  const Result<void> made = writer.create("a/new", "x");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, "full");
  EXPECT_THAT(made.error().message, HasSubstr("a/new"));
  EXPECT_THAT(made.error().message, Not(HasSubstr(base_.string())));
  EXPECT_EQ(code(writer.rename("a/doc.md", "x")), "full");
  EXPECT_EQ(code(writer.remove("a/doc.md")), "full");
  EXPECT_EQ(code(writer.link("a/doc.md", "y")), "full");
  EXPECT_EQ(code(writer.sync_folder("a")), "full");
  EXPECT_EQ(code(writer.make_folders("z")), "full");
  EXPECT_EQ(code(writer.remove_folder("a")), "full");
  EXPECT_THAT(steps, ElementsAre("create a/new", "rename x", "remove a/doc.md", "link y", "sync a",
                                 "make z", "rmdir a"));
  EXPECT_EQ(std::distance(fs::recursive_directory_iterator(base_ / "root"), {}), 2);
}

}  // namespace
}  // namespace iii
