#include "faces/console/assets.h"

#include <gmock/gmock.h>

#include <fstream>

#include "faces/console/gzip.h"
#include "faces/console/page.h"
#include "faces/console/web_files.h"
#include "foundation/base/temp_folder_for_test.h"

namespace iii::console {
namespace {

void put(const TempFolder& folder, const std::string& name, std::string_view text) {
  const std::filesystem::path path = folder.path() / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

// What stands between the two parts is stored in blocks of at most 65535 bytes.
TEST(GzipFrame, IsOneStreamWhateverStandsInIt) {
  const std::string before = "<p>" + std::string(5'000, 'a');
  for (const std::string& after : {std::string(), std::string("</p>")}) {
    const GzipFrame frame(before, after);
    for (const size_t size : {0U, 1U, 1'000U, 65'535U, 65'536U, 200'000U}) {
      const std::string middle(size, 'x');
      const std::string whole = before + middle + after;
      // zlib compares the checksum and the length at the end of the stream.
      EXPECT_EQ(gunzip(frame.around(middle), whole.size()), whole) << size;
      EXPECT_LT(frame.around(middle).size(), size + 200);
    }
  }
  EXPECT_EQ(gunzip(GzipFrame("", "").around(""), 0), "");
}

TEST(Page, CompressedItIsTheSame) {
  const Page page{Assets()};
  const std::string text = page.text(R"({"a":"<"})");
  EXPECT_THAT(text, testing::HasSubstr(R"({"a":"\u003c"})"));
  EXPECT_EQ(gunzip(page.gzipped(R"({"a":"<"})"), text.size()), text);
}

TEST(Assets, EveryFileOfTheFolderIsCompiledIn) {
  const Assets assets;
  EXPECT_TRUE(assets.immutable());
  EXPECT_EQ(assets.digest().size(), 16U);
  ASSERT_FALSE(web_files().empty());
  for (const WebFile& file : web_files()) {
    const auto plain = assets.find(file.name, false);
    const auto compressed = assets.find(file.name, true);
    ASSERT_TRUE(plain && compressed) << file.name;
    EXPECT_EQ(plain->bytes.bytes.size(), file.size);
    EXPECT_FALSE(plain->gzipped);
    EXPECT_TRUE(compressed->gzipped);
    EXPECT_EQ(gunzip(compressed->bytes.bytes, file.size), plain->bytes.bytes);
    // The time of a build would make every build another.
    EXPECT_EQ(file.gzip.substr(4, 4), std::string_view("\0\0\0\0", 4));
    EXPECT_EQ(file.gzip[3] & 0x08, 0) << "no file name";
  }
  for (const char* name : {"", "nothing.js", "../README.md", "style.css/", "/style.css"}) {
    EXPECT_FALSE(assets.find(name, true)) << name;
  }
}

TEST(Assets, AFolderInsteadShowsEditsAndNothingOutside) {
  const TempFolder folder;
  put(folder, "web/style.css", "a {}");
  put(folder, "web/rooms/bus.js", "1");
  put(folder, "web/notes.txt", "not served");
  put(folder, "secret.js", "2");
  const Assets assets(folder.path() / "web");
  EXPECT_FALSE(assets.immutable());
  EXPECT_EQ(assets.text("style.css"), "a {}");
  put(folder, "web/style.css", "b {}");
  EXPECT_EQ(assets.text("style.css"), "b {}");
  EXPECT_EQ(assets.text("rooms/bus.js"), "1");
  for (const char* name : {"notes.txt", "../secret.js", "/secret.js", "rooms/../../secret.js"}) {
    EXPECT_FALSE(assets.find(name, false)) << name;
  }
}

TEST(Page, DataCannotLeaveItsElement) {
  const TempFolder folder;
  put(folder, "index.html", "<link href=\"{{assets}}/a.css\"><script id=boot>{{boot}}</script>");
  const Assets assets(folder.path());
  const std::string page =
      Page(assets).text("{\"a\":\"</script><script>alert(1)//{{assets}}\u2028\"}");
  EXPECT_EQ(page,
            "<link href=\"/console/assets/dev/a.css\"><script id=boot>"
            "{\"a\":\"\\u003c/script>\\u003cscript>alert(1)//{{assets}}\\u2028\"}</script>");
}

TEST(Page, WithoutSessionItSaysNothing) {
  const Boot boot = boot_without_session({.version = "1.2.3", .address = "a", .ws = "b"});
  EXPECT_EQ(boot.text, R"({"session":false,"token_required":true,"version":"1.2.3"})");
}

}  // namespace
}  // namespace iii::console
