// directory::doctor with details, and directory::doctor::apply.
#include "directory/reading/fixes.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "directory/reading/finding_details.h"
#include "directory/reading/fixture_for_test.h"

namespace iii::directory {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

using Lines = std::vector<std::vector<std::string>>;

content::Fix fix(uint64_t offset, uint64_t length, std::string text) {
  return {.offset = offset, .length = length, .text = std::move(text)};
}

TEST(PatchOf, ShowsTheLinesThatChangeAndTwoOnEachSide) {
  const std::string bytes = "1\n2\n3\nold\n5\n6\n7\n";
  EXPECT_EQ(patch_of(bytes, fix(6, 3, "new")),
            (Lines{{" ", "2"}, {" ", "3"}, {"-", "old"}, {"+", "new"}, {" ", "5"}, {" ", "6"}}));
}

TEST(PatchOf, ShowsLinesThatOnlyComeOrOnlyGo) {
  EXPECT_EQ(patch_of("a\nb\n", fix(2, 0, "x\n")), (Lines{{" ", "a"}, {"+", "x"}, {" ", "b"}}));
  EXPECT_EQ(patch_of("\n\n---\nb\n", fix(0, 2, "")),
            (Lines{{"-", ""}, {"-", ""}, {" ", "---"}, {" ", "b"}}));
  EXPECT_EQ(patch_of("a", fix(1, 0, "\nb")), (Lines{{" ", "a"}, {"+", "b"}}));
}

TEST(PatchOf, StaysWithinTheFile) {
  EXPECT_EQ(patch_of("a\n", fix(100, 5, "b")), (Lines{{" ", "a"}, {"+", "b"}}));
}

TEST(ExcerptOf, IsAFewLinesAroundTheLine) {
  std::string bytes;
  for (int i = 1; i <= 20; ++i) bytes += "line " + std::to_string(i) + "\r\n";
  const auto middle = excerpt_of(bytes, 10);
  ASSERT_THAT(middle, SizeIs(8));
  EXPECT_THAT(middle.front(), ElementsAre(json::Value(7), json::Value("line 7")));
  EXPECT_THAT(excerpt_of(bytes, 1).front()[0], json::Value(1));
  EXPECT_THAT(excerpt_of(bytes, 20), SizeIs(4));
  EXPECT_THAT(excerpt_of(bytes, 99), SizeIs(0));
}

TEST(ExcerptOf, CutsLongLinesBetweenCharacters) {
  std::string bytes;
  for (int i = 0; i < 1'000; ++i) bytes += "é";
  const auto lines = excerpt_of(bytes, 1);
  ASSERT_THAT(lines, SizeIs(1));
  const std::string& text = *lines[0][1].as_string();
  EXPECT_LE(text.size(), 400U);
  EXPECT_TRUE(text.ends_with("é…")) << text;
}

class Fixes : public DirectoryTest {
 protected:
  static constexpr const char* kColon = "---\nname: x\ndescription: a: b\n---\nText.\n";
  static constexpr const char* kTwo = "\xef\xbb\xbf---\nname: x\ndescription: a: b\n---\nText.\n";

  std::string on_disk(const std::string& path) const {
    std::ifstream file(tree.at(path), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  json::Array findings(const std::string& code) {
    const json::Value answer =
        ask("directory::doctor", R"({"details":true,"code":")" + code + R"("})");
    return *answer.find("findings")->as_array();
  }
  // The patch of a finding, as a caller hands it back.
  static std::string chosen(const json::Value& finding) {
    json::Object out;
    for (const char* key : {"root", "path", "digest", "key"}) {
      out.emplace(key, text(finding, key));
    }
    return json::to_text(out);
  }
  json::Value apply(const std::string& fixes) {
    return ask("directory::doctor::apply", R"({"fixes":[)" + fixes + "]}");
  }
  static uint64_t number(const json::Value& object, std::string_view key) {
    const json::Value* found = object.find(key);
    const int64_t* value = found != nullptr ? found->as_int() : nullptr;
    return value != nullptr ? static_cast<uint64_t>(*value) : 999;
  }
};

TEST_F(Fixes, DetailsAreTheKeyTheLinesThePatchAndTheDigest) {
  tree.put("global/a.md", kColon);
  start();
  const json::Value plain = ask("directory::doctor");
  for (const char* key : {"key", "excerpt", "patch", "digest"}) {
    EXPECT_EQ((*plain.find("findings")->as_array())[0].find(key), nullptr) << key;
  }
  const json::Array found = findings("unquoted_colon");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(text(found[0], "key"), "unquoted_colon:global:a.md:3");
  EXPECT_EQ(text(found[0], "digest"), file_digest(kColon));
  EXPECT_EQ(json::to_text(*found[0].find("excerpt")),
            R"([[1,"---"],[2,"name: x"],[3,"description: a: b"],[4,"---"],[5,"Text."]])");
  EXPECT_EQ(json::to_text(*found[0].find("patch")),
            R"([[" ","---"],[" ","name: x"],["-","description: a: b"],)"
            R"(["+","description: \"a: b\""],[" ","---"],[" ","Text."]])");
}

TEST_F(Fixes, APatchIsAppliedAndSeenInTheNextAnswer) {
  tree.put("global/a.md", kColon);
  tree.put("global/b.md", kColon);
  start();
  const json::Array found = findings("unquoted_colon");
  ASSERT_THAT(found, SizeIs(2));
  const json::Value done = apply(chosen(found[0]));
  EXPECT_EQ(number(done, "applied"), 1U);
  EXPECT_THAT(*done.find("refused")->as_array(), SizeIs(0));
  EXPECT_EQ(on_disk("global/a.md"), "---\nname: x\ndescription: \"a: b\"\n---\nText.\n");
  EXPECT_EQ(on_disk("global/b.md"), kColon);
  EXPECT_EQ(number(done, "generation"), library->latest()->generation->number);
  ASSERT_THAT(findings("unquoted_colon"), SizeIs(1));
}

TEST_F(Fixes, OneOfTwoPatchesOfAFileLeavesTheOther) {
  tree.put("global/a.md", kTwo);
  start();
  const json::Array found = findings("unquoted_colon");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(number(apply(chosen(found[0])), "applied"), 1U);
  EXPECT_EQ(on_disk("global/a.md"),
            "\xef\xbb\xbf---\nname: x\ndescription: \"a: b\"\n---\nText.\n");
  EXPECT_THAT(findings("bom"), SizeIs(1));
}

TEST_F(Fixes, AFileThatChangedIsLeftAlone) {
  tree.put("global/a.md", kColon);
  start();
  const json::Array found = findings("unquoted_colon");
  const std::string edited = std::string(kColon) + "More.\n";
  tree.put("global/a.md", edited);
  const json::Value done = apply(chosen(found[0]));
  EXPECT_EQ(number(done, "applied"), 0U);
  ASSERT_THAT(*done.find("refused")->as_array(), SizeIs(1));
  EXPECT_THAT(text((*done.find("refused")->as_array())[0], "reason"),
              HasSubstr("no longer the one"));
  EXPECT_EQ(on_disk("global/a.md"), edited);
}

TEST_F(Fixes, WhatHasNoSuchPatchIsRefused) {
  tree.put("global/a.md", kColon);
  tree.put("global/tidy.md", "Text.\n");
  start();
  const std::string digest = file_digest(kColon);
  const auto reason = [&](const std::string& root, const std::string& path) {
    const json::Value done =
        apply(R"({"root":")" + root + R"(","path":")" + path + R"(","digest":")" + digest +
              R"(","key":"unquoted_colon:global:a.md:7"})");
    EXPECT_EQ(number(done, "applied"), 0U);
    return text((*done.find("refused")->as_array()).at(0), "reason");
  };
  EXPECT_THAT(reason("global", "a.md"), HasSubstr("no patch `unquoted_colon"));
  EXPECT_THAT(reason("global", "tidy.md"), HasSubstr("no finding about this file"));
  EXPECT_THAT(reason("global", "../../etc/passwd"), HasSubstr("no finding about this file"));
  EXPECT_THAT(reason("nowhere", "a.md"), HasSubstr("no finding about this file"));
}

TEST_F(Fixes, AllOfACodeAndAllThereAre) {
  tree.put("global/a.md", kTwo);
  tree.put("global/b.md", kColon);
  tree.put("global/c.md", kColon);
  start();
  json::Value done = ask("directory::doctor::apply", R"({"code":"bom"})");
  EXPECT_EQ(number(done, "applied"), 1U);
  EXPECT_EQ(on_disk("global/a.md"), kColon);
  done = ask("directory::doctor::apply", R"({"all":true})");
  EXPECT_EQ(number(done, "applied"), 3U);
  EXPECT_EQ(number(done, "files"), 3U);
  const json::Value after = ask("directory::doctor");
  EXPECT_THAT(*after.find("findings")->as_array(), SizeIs(0));
}

TEST_F(Fixes, InputThatChoosesNothingOrTooMuchIsRefused) {
  start();
  for (const char* input : {"{}", R"({"all":false})", R"({"all":true,"code":"bom"})"}) {
    EXPECT_THAT(refusal("directory::doctor::apply", input), HasSubstr("D121")) << input;
  }
  std::string many = R"({"root":"a","path":"b","digest":"c","key":"d"})";
  const std::string one = many;
  for (int i = 0; i < 1'000; ++i) many += "," + one;
  EXPECT_THAT(refusal("directory::doctor::apply", R"({"fixes":[)" + many + "]}"),
              HasSubstr("1001 patches"));
  EXPECT_EQ(number(apply(""), "applied"), 0U) << "an empty list is not `all`";
}

TEST_F(Fixes, WhoCancelsStopsBetweenTwoFiles) {
  for (const char* name : {"a", "b", "c"}) tree.put(std::string("global/") + name + ".md", kColon);
  const auto content = content::Content::open(content_options);
  std::stop_source stop;
  const FixWatcher watcher{.cancelled = stop.get_token(),
                           .progress = [&stop](uint64_t done, uint64_t total) {
                             EXPECT_EQ(total, 3U);
                             if (done == 1) stop.request_stop();
                           }};
  EXPECT_EQ(apply_fixes(*content, *content->fresh(), {}, watcher).fixed_files, 2U);
}

}  // namespace
}  // namespace iii::directory
