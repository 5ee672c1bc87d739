#include "foundation/base/walk.h"

#include <gmock/gmock.h>

#include <fstream>

#include "foundation/base/file_digests.h"
#include "foundation/base/files_writer.h"
#include "foundation/base/temp_folder_for_test.h"

namespace iii {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class WalkTest : public testing::Test {
 protected:
  void put(const std::string& path, std::string_view bytes = "x") {
    fs::create_directories((folder.path() / path).parent_path());
    std::ofstream(folder.path() / path) << bytes;
  }
  RootFolder root() { return RootFolder::open(folder.path()).value(); }
  VisitFolder collect() {
    return [this](const std::string& path, std::vector<DirectoryEntry>& entries) {
      std::erase_if(entries, [](const auto& entry) { return entry.name == "left-out"; });
      for (const DirectoryEntry& entry : entries) seen.push_back(path + ":" + entry.name);
      return Result<void>();
    };
  }
  std::string code(const Result<void>& result) { return result ? "" : result.error().code; }

  TempFolder folder;
  std::vector<std::string> seen;
};

TEST_F(WalkTest, VisitsFoldersInOrderAndDoesNotEnterLinks) {
  for (const char* path : {"a/b/x", "a/a", "a/c/x", "a/left-out/x", "d/x"}) put(path);
  fs::create_directory_symlink("../d", folder.path() / "a/link");
  const auto expected = ElementsAre(":a", ":b", ":c", ":link", "b:x", "c:x");
  ASSERT_TRUE(walk(root(), "a", {}, collect()));
  EXPECT_THAT(seen, expected);
  seen.clear();
  ASSERT_TRUE(walk(root(), "a", {.resolve_links = true}, collect()));
  EXPECT_THAT(seen, expected);
  seen.clear();
  ASSERT_TRUE(walk(FolderWriter::open(folder.path()).value(), "a", {}, collect()));
  EXPECT_THAT(seen, expected);
}

TEST_F(WalkTest, LimitsAreErrorsAfterWhatIsWithinThem) {
  for (const char* path : {"a/x", "b", "c"}) put(path);
  EXPECT_EQ(code(walk(root(), "", {.max_entries = 4}, collect())), "");
  EXPECT_THAT(seen, ElementsAre(":a", ":b", ":c", "a:x"));
  seen.clear();
  EXPECT_EQ(code(walk(root(), "", {.max_entries = 3}, collect())), "too_many");
  EXPECT_THAT(seen, ElementsAre(":a", ":b", ":c"));
  seen.clear();
  EXPECT_EQ(code(walk(root(), "", {.max_depth = 1}, collect())), "");
  EXPECT_EQ(code(walk(root(), "", {.max_depth = 0}, collect())), "too_deep");
}

TEST_F(WalkTest, AFolderThatCannotBeListedIsAnErrorOrSkipped) {
  EXPECT_EQ(code(walk(root(), "none", {}, collect())), "missing");
  EXPECT_EQ(code(walk(root(), "none", {.skip_unreadable = true}, collect())), "");
  put("a");
  const VisitFolder refuse = [](const auto&, auto&) { return fail("stop", ""); };
  EXPECT_EQ(code(walk(root(), "", {}, refuse)), "stop");
}

TEST_F(WalkTest, ADigestIsRememberedByTheStampOfAFileThatIsOldEnough) {
  put("a", "#!x");
  const RootFolder young = root();
  const FileStamp stamp = young.stat("a").value();
  const FileDigest digest = file_digest(young, "a", stamp, 3).value();
  EXPECT_EQ(digest.size, 3U);
  EXPECT_TRUE(digest.is_program);
  const FolderWriter writer = FolderWriter::open(folder.path()).value();
  EXPECT_EQ(file_digest(writer, "a", stamp)->sha256, digest.sha256);
  EXPECT_EQ(file_digest(young, "a", stamp, 2).error().code, "too_large");
  EXPECT_FALSE(known_digest(stamp));

  const fs::path program = fs::read_symlink("/proc/self/exe");
  const FolderWriter old = FolderWriter::open(program.parent_path()).value();
  const std::string name = program.filename();
  FileStamp same = old.look(name)->stamp;
  EXPECT_FALSE(known_digest(same));
  const FileDigest read = file_digest(old, name, same).value();
  EXPECT_EQ(read.size, same.size);
  EXPECT_EQ(known_digest(same)->sha256, read.sha256);
  same.ctime_ns += 1;
  EXPECT_FALSE(known_digest(same));
}

}  // namespace
}  // namespace iii
