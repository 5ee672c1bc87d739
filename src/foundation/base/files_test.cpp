#include "foundation/base/files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "foundation/base/beneath.h"
#include "foundation/base/temp_folder_for_test.h"
#include "foundation/base/utf8.h"

namespace iii {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

// Every promise is checked twice: with openat2 and the way that does without.
class Files : public testing::TestWithParam<Resolver> {
 protected:
  Files() {
    fs::create_directories(base_ / "root" / "a" / "b");
    put("root/a/doc.md", "hello");
    put("secret.md", "secret");
    fs::create_directories(base_ / "elsewhere");
    put("elsewhere/x.md", "elsewhere");
  }

  void put(const std::string& path, std::string_view text) const {
    std::ofstream(base_ / path, std::ios::binary) << text;
  }
  void link(const std::string& target, const std::string& path) const {
    fs::create_symlink(target, base_ / path);
  }
  RootFolder root() const {
    Result<RootFolder> opened = RootFolder::open(base_ / "root", GetParam());
    EXPECT_TRUE(opened);
    return std::move(*opened);
  }
  std::string error_of(const Result<FileBytes>& result) const {
    return result ? "read: " + result->bytes : result.error().code;
  }

  TempFolder folder_;
  const fs::path& base_ = folder_.path();
};

INSTANTIATE_TEST_SUITE_P(BothWays, Files, testing::Values(Resolver::kAuto, Resolver::kComponents),
                         [](const testing::TestParamInfo<Resolver>& tested) {
                           return tested.param == Resolver::kAuto ? "Openat2" : "Components";
                         });

TEST_P(Files, ReadsAFileBelowTheRoot) {
  const Result<FileBytes> file = root().read("a/doc.md", 100);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->bytes, "hello");
  EXPECT_EQ(file->stamp.size, 5u);
  EXPECT_EQ(file->stamp, root().stat("a/doc.md").value());
}

TEST_P(Files, SaysWhatIsMissing) {
  const Result<FileBytes> file = root().read("a/none.md", 100);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, "missing");
  EXPECT_THAT(file.error().message, HasSubstr("a/none.md"));
  EXPECT_THAT(file.error().message, Not(HasSubstr(base_.string())));
  EXPECT_EQ(error_of(root().read("a/doc.md/x", 100)), "missing");
  EXPECT_FALSE(RootFolder::open(base_ / "nowhere"));
  EXPECT_FALSE(RootFolder::open(base_ / "secret.md"));
}

TEST_P(Files, RefusesPathsThatClimb) {
  EXPECT_EQ(error_of(root().read("../secret.md", 100)), "outside");
  EXPECT_EQ(error_of(root().read("a/../a/doc.md", 100)), "outside");
  EXPECT_EQ(error_of(root().read("/etc/passwd", 100)), "outside");
  EXPECT_EQ(error_of(root().read(std::string_view("a/doc.md\0x", 10), 100)), "outside");
}

TEST_P(Files, FollowsLinksThatStayInside) {
  link("a/doc.md", "root/l.md");
  link("../a", "root/a/b/up");
  link("b/up/doc.md", "root/a/through.md");
  link("../root/a/doc.md", "root/leaves-and-returns.md");
  EXPECT_EQ(error_of(root().read("l.md", 100)), "read: hello");
  EXPECT_EQ(error_of(root().read("a/b/up/doc.md", 100)), "missing");  // a/b/../a is a/a
  link("../../a", "root/a/b/up2");
  EXPECT_EQ(error_of(root().read("a/b/up2/doc.md", 100)), "read: hello");
  EXPECT_EQ(error_of(root().read("leaves-and-returns.md", 100)), "outside");
}

TEST_P(Files, RefusesLinksThatLeave) {
  link("../secret.md", "root/out.md");
  link("../elsewhere", "root/out");
  link((base_ / "secret.md").string(), "root/absolute.md");
  link((base_ / "root/a/doc.md").string(), "root/absolute-inside.md");
  EXPECT_EQ(error_of(root().read("out.md", 100)), "outside");
  EXPECT_EQ(error_of(root().read("out/x.md", 100)), "outside");
  EXPECT_EQ(error_of(root().read("absolute.md", 100)), "outside");
  EXPECT_EQ(error_of(root().read("absolute-inside.md", 100)), "outside");
  EXPECT_EQ(root().stat("out").error().code, "outside");
  EXPECT_EQ(root().list("out").error().code, "outside");
  EXPECT_EQ(root().open_directory("out").error().code, "outside");
}

TEST_P(Files, LoopsOfLinksLeadNowhere) {
  link("loop2.md", "root/loop1.md");
  link("loop1.md", "root/loop2.md");
  EXPECT_EQ(error_of(root().read("loop1.md", 100)), "missing");
}

TEST_P(Files, ListsWithKinds) {
  link("a", "root/dir-link");
  link("a/doc.md", "root/file-link");
  link("nowhere", "root/dangling");
  link("../elsewhere", "root/leaving");
  ASSERT_EQ(::mkfifo((base_ / "root/pipe").c_str(), 0600), 0);
  put("root/.hidden", "x");
  std::vector<std::string> seen;
  const Result<std::vector<DirectoryEntry>> entries = root().list("");
  ASSERT_TRUE(entries);
  for (const DirectoryEntry& entry : *entries) {
    constexpr const char* kNames[] = {"file", "directory", "other", "dangling"};
    seen.push_back(entry.name + " " + kNames[static_cast<int>(entry.kind)] +
                   (entry.is_link ? " link" : ""));
  }
  EXPECT_THAT(seen, UnorderedElementsAre("a directory", ".hidden file", "dir-link directory link",
                                         "file-link file link", "dangling dangling link",
                                         "leaving dangling link", "pipe other"));
}

TEST_P(Files, NeverWaitsForAPipe) {
  ASSERT_EQ(::mkfifo((base_ / "root/pipe.md").c_str(), 0600), 0);
  EXPECT_EQ(error_of(root().read("pipe.md", 100)), "not_a_file");
  EXPECT_EQ(error_of(root().read("a", 100)), "not_a_file");
  link("/dev/zero", "root/zero.md");
  EXPECT_EQ(error_of(root().read("zero.md", 100)), "outside");
}

TEST_P(Files, ChecksTheSizeBeforeReading) {
  EXPECT_EQ(error_of(root().read("a/doc.md", 5)), "read: hello");
  const Result<FileBytes> file = root().read("a/doc.md", 4);
  EXPECT_EQ(error_of(file), "too_large");
  EXPECT_THAT(file.error().message, HasSubstr("5 bytes"));
  EXPECT_EQ(error_of(root().read_head("a/doc.md", 4)), "read: hell");
  EXPECT_EQ(error_of(root().read_head("a/doc.md", 400)), "read: hello");
}

TEST_P(Files, ReadsAPart) {
  EXPECT_EQ(error_of(root().read_part("a/doc.md", 0, 2)), "read: he");
  EXPECT_EQ(error_of(root().read_part("a/doc.md", 1, 2)), "read: el");
  EXPECT_EQ(error_of(root().read_part("a/doc.md", 3, 100)), "read: lo");
  EXPECT_EQ(error_of(root().read_part("a/doc.md", 5, 100)), "read: ");
  EXPECT_EQ(error_of(root().read_part("a/doc.md", UINT64_MAX, 100)), "read: ");
  EXPECT_EQ(root().read_part("a/doc.md", 1, 2)->stamp.size, 5U);
}

TEST_P(Files, ReadTextWantsUtf8) {
  put("root/bad.md", "a\xff");
  EXPECT_EQ(error_of(root().read_text("bad.md", 100)), "not_utf8");
  EXPECT_EQ(error_of(root().read("bad.md", 100)), "read: a\xff");
  EXPECT_EQ(error_of(root().read_text("a/doc.md", 100)), "read: hello");
}

TEST_P(Files, WritesAtomicallyAndKeepsTheMode) {
  ::chmod((base_ / "root/a/doc.md").c_str(), 0640);
  const uint64_t before = root().stat("a/doc.md")->inode;
  ASSERT_TRUE(root().write("a/doc.md", "new"));
  EXPECT_EQ(error_of(root().read("a/doc.md", 100)), "read: new");
  EXPECT_NE(root().stat("a/doc.md")->inode, before);
  EXPECT_EQ(fs::status(base_ / "root/a/doc.md").permissions(), static_cast<fs::perms>(0640));
  ASSERT_TRUE(root().write("a/fresh.md", "fresh"));
  EXPECT_EQ(root().list("a")->size(), 3u) << "no temporary file stays behind";
}

TEST_P(Files, WritesThroughALinkInsideAndNeverOutside) {
  link("doc.md", "root/a/link.md");
  link("../secret.md", "root/out.md");
  link("../elsewhere", "root/out");
  ASSERT_TRUE(root().write("a/link.md", "via link"));
  EXPECT_TRUE(fs::is_symlink(base_ / "root/a/link.md"));
  EXPECT_EQ(error_of(root().read("a/doc.md", 100)), "read: via link");
  EXPECT_EQ(root().write("out.md", "x").error().code, "outside");
  EXPECT_EQ(root().write("out/new.md", "x").error().code, "outside");
  EXPECT_EQ(root().write("../secret.md", "x").error().code, "outside");
  EXPECT_EQ(root().write("a", "x").error().code, "not_a_file");
  EXPECT_EQ(root().write("no/such/folder.md", "x").error().code, "missing");
  std::ifstream secret(base_ / "secret.md");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(secret), {}), "secret");
}

TEST_P(Files, StaysBelowTheFolderThatWasOpened) {
  const RootFolder opened = root();
  fs::rename(base_ / "root", base_ / "moved");
  fs::create_directory_symlink(base_ / "elsewhere", base_ / "root");
  EXPECT_EQ(error_of(opened.read("a/doc.md", 100)), "read: hello");
  EXPECT_EQ(error_of(opened.read("x.md", 100)), "missing");
}

TEST_P(Files, ANulInAnyComponentIsRefused) {
  using namespace std::string_view_literals;
  for (const std::string_view path : {"a\0b/doc.md"sv, "a/doc.md\0x"sv, "\0/doc.md"sv, "a/\0"sv}) {
    EXPECT_EQ(error_of(root().read(path, 100)), "outside") << printable(path);
  }
}

TEST(FileStamp, IsSettledOnceAFurtherWriteWouldShow) {
  constexpr int64_t kSecond = 1'000'000'000;
  const FileStamp fine{.ctime_ns = 100 * kSecond + 5};
  EXPECT_FALSE(fine.settled(100 * kSecond + 6));
  EXPECT_TRUE(fine.settled(101 * kSecond));
  const FileStamp coarse{.ctime_ns = 100 * kSecond};
  EXPECT_FALSE(coarse.settled(102 * kSecond));
  EXPECT_TRUE(coarse.settled(103 * kSecond));
  const FileStamp future{.mtime_ns = 1, .ctime_ns = 200 * kSecond + 5};
  EXPECT_FALSE(future.settled(100 * kSecond));
}

TEST(Utf8, AcceptsWellFormedTextOnly) {
  for (const std::string_view good :
       {"", "plain ascii, longer than eight bytes", "\u00e4\u20ac\U0001f600 mixed",
        "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf", "\xee\x80\x80", "\xc2\x80", "\xe0\xa0\x80",
        "\xf0\x90\x80\x80", "12345678\u00e4"}) {
    EXPECT_TRUE(is_utf8(good)) << printable(good);
  }
  for (const std::string_view bad :
       {"\xff", "\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "12345678\xc3", "\xe2\x82", "\xf0\x9f\x98"}) {
    EXPECT_FALSE(is_utf8(bad)) << printable(bad);
  }
  EXPECT_EQ(printable("n\xff\n\u00e4"), "n\\xff\\x0a\u00e4");
}

}  // namespace
}  // namespace iii
