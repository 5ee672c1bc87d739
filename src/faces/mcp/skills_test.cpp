// The Skills extension: entries, manifests, directories.
#include "faces/mcp/skills.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "faces/mcp/base64.h"
#include "faces/mcp/fixture_for_test.h"
#include "faces/mcp/skill_findings.h"
#include "foundation/base/sha256.h"

namespace iii::mcp {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class McpSkillsTest : public McpTest {
 protected:
  static std::string skill(const std::string& name, const std::string& more = "") {
    return "---\nname: " + name + "\ndescription: About " + name + ".\n" + more + "---\n# T\n\nB\n";
  }
  std::vector<std::string> listed() { return column(result("skills/list"), "skills", "uri"); }
  json::Value get(const std::string& uri) {
    return member_of(result("skills/get", R"("uri":")" + uri + "\""), "skill");
  }
  int64_t get_error(const std::string& uri) {
    return code(error("skills/get", R"("uri":")" + uri + "\""));
  }
  json::Value directory(const std::string& uri) {
    return result("resources/directory/read", R"("uri":")" + uri + "\"");
  }
  int64_t directory_error(const std::string& uri) {
    return code(error("resources/directory/read", R"("uri":")" + uri + "\""));
  }
  // What a reader rebuilds.
  std::string bytes_of(const std::string& uri) {
    const json::Value out = result("resources/read", R"("uri":")" + uri + "\"");
    const json::Value& content = first(out, "contents");
    if (const std::string* given = text_of(content, "text")) return *given;
    return base64_decode(text(content, "blob")).value_or("(not base64)");
  }
};

TEST_F(McpSkillsTest, N67ListAndGetAgree) {
  tree.put("global/a/SKILL.md", skill("a"));
  tree.put("global/ns/b-2/SKILL.md", skill("b-2", "license: MIT\nmetadata:\n  k: \"1\"\n"));
  tree.put("global/plain.md");
  tree.put("global/hidden/SKILL.md", skill("hidden"));
  open();
  const json::Value list = result("skills/list");
  EXPECT_THAT(
      column(list, "skills", "uri"),
      ElementsAre("skill://a/SKILL.md", "skill://hidden/SKILL.md", "skill://ns/b-2/SKILL.md"));
  EXPECT_EQ(get("skill://ns/b-2/SKILL.md"), list.find("skills")->as_array()->at(2));
  EXPECT_EQ(json::to_text(*get("skill://ns/b-2/SKILL.md").find("frontmatter")),
            R"({"description":"About b-2.","license":"MIT","metadata":{"k":"1"},"name":"b-2"})");
  for (const char* uri : {"skill://x/SKILL.md", "skill://a", "skill://a/b.md", "iii://a", "x"}) {
    EXPECT_EQ(get_error(uri), kInvalidParams) << uri;
  }
  EXPECT_EQ(code(error("skills/get")), kInvalidParams);
  EXPECT_EQ(code(error("skills/list", R"("cursor":"x")")), kInvalidParams);
}

TEST_F(McpSkillsTest, N68DigestsAndSizesAreThoseOfTheBytesThatAreRead) {
  tree.put("global/a/SKILL.md", "\xEF\xBB\xBF---\r\nname: a\r\ndescription: x\r\n---\r\nText\r\n");
  tree.put("global/a/empty.txt", "");
  tree.put("global/a/binary.bin", std::string("\x00\xff\xfe\n", 4));
  tree.put("global/a/refs/deep/note.md", "ünï\r\n");
  open();
  const json::Value entry = get("skill://a/SKILL.md");
  EXPECT_THAT(column(entry, "resources", "uri"),
              ElementsAre("skill://a/SKILL.md", "skill://a/binary.bin", "skill://a/empty.txt",
                          "skill://a/refs/deep/note.md"));
  for (const json::Value& file : *entry.find("resources")->as_array()) {
    const std::string bytes = bytes_of(text(file, "uri"));
    EXPECT_EQ(text(file, "digest"), "sha256:" + sha256_hex(bytes)) << text(file, "uri");
    EXPECT_EQ(*file.find("size"), json::Value(static_cast<int64_t>(bytes.size())));
  }
}

TEST_F(McpSkillsTest, N70N71OneBadSkillLeavesTheOthersAlone) {
  tree.put("global/good/SKILL.md", skill("good"));
  tree.put("global/Upper/SKILL.md", skill("Upper"));
  tree.put("global/other/SKILL.md", skill("another"));
  tree.put("global/none/SKILL.md", "# No frontmatter\n\nText\n");
  tree.put("global/odd/SKILL.md", "---\nname: odd\ndescription: \"a\n  b\"\n---\nText\n");
  open();
  EXPECT_THAT(listed(), ElementsAre("skill://good/SKILL.md"));
  EXPECT_EQ(get_error("skill://odd/SKILL.md"), kInvalidParams);
  EXPECT_EQ(bytes_of("skill://none/SKILL.md"), "# No frontmatter\n\nText\n");
}

TEST_F(McpSkillsTest, N72LimitsOfOneSkill) {
  for (size_t i = 1; i < kMaxPortableFiles; ++i) {
    tree.put("global/full/f" + std::to_string(i), "x");
    tree.put("global/more/f" + std::to_string(i), "x");
  }
  tree.put("global/full/SKILL.md", skill("full"));
  tree.put("global/more/SKILL.md", skill("more"));
  tree.put("global/more/one-more", "x");
  const std::string text = skill("large");
  tree.put("global/large/SKILL.md", text);
  tree.put("global/large/data", std::string(kMaxPortableBytes - text.size() + 1, 'x'));
  const std::string exact = skill("exact");
  tree.put("global/exact/SKILL.md", exact);
  tree.put("global/exact/data", std::string(kMaxPortableBytes - exact.size(), 'x'));
  open();
  EXPECT_THAT(listed(), ElementsAre("skill://exact/SKILL.md", "skill://full/SKILL.md"));
}

TEST_F(McpSkillsTest, N73LinksSpecialAndHiddenFiles) {
  tree.put("secret", "private key");
  tree.put("global/linked/SKILL.md", skill("linked"));
  tree.link("global/linked/key", "../../secret");
  tree.put("global/inside/SKILL.md", skill("inside"));
  tree.link("global/inside/again.md", "SKILL.md");
  tree.put("global/fifo/SKILL.md", skill("fifo"));
  ASSERT_EQ(::mkfifo(tree.at("global/fifo/pipe").c_str(), 0644), 0);
  tree.put("global/good/SKILL.md", skill("good"));
  tree.put("global/good/.env", "TOKEN=1");
  tree.put("global/good/.git/config", "x");
  open();
  EXPECT_THAT(listed(), ElementsAre("skill://good/SKILL.md"));
  EXPECT_THAT(column(get("skill://good/SKILL.md"), "resources", "uri"),
              ElementsAre("skill://good/SKILL.md"));
  EXPECT_THAT(column(directory("skill://good"), "resources", "name"), ElementsAre("SKILL.md"));
  for (const char* uri :
       {"skill://linked/key", "skill://inside/again.md", "skill://fifo/pipe", "skill://good/.env",
        "skill://good/.git/config", "skill://good/%2e%2e/linked/SKILL.md"}) {
    EXPECT_EQ(code(error("resources/read", R"("uri":")" + std::string(uri) + "\"")), kInvalidParams)
        << uri;
  }
}

TEST_F(McpSkillsTest, N74OddNamesHaveOneSpellingAndCanBeRead) {
  tree.put("global/my ns/a/SKILL.md", skill("a"));
  for (const char* name : {"b c.txt", "d&e.txt", "ümlaut.txt", "50%.txt", "x:y.txt"}) {
    tree.put(std::string("global/my ns/a/") + name, name);
  }
  open();
  EXPECT_THAT(listed(), ElementsAre("skill://my%20ns/a/SKILL.md"));
  const json::Value entry = get("skill://my%20ns/%61/SKILL.md");
  for (const json::Value& file : *entry.find("resources")->as_array()) {
    EXPECT_EQ(text(file, "digest"), "sha256:" + sha256_hex(bytes_of(text(file, "uri"))));
  }
  EXPECT_EQ(entry.find("resources")->as_array()->size(), 6U);
}

TEST_F(McpSkillsTest, N75Directories) {
  tree.put("global/a/SKILL.md", skill("a"));
  tree.put("global/a/scripts/run.sh", "echo\n");
  tree.folder("global/a/empty");
  open();
  const json::Value root = directory("skill://a");
  EXPECT_THAT(column(root, "resources", "name"), ElementsAre("SKILL.md", "empty", "scripts"));
  EXPECT_THAT(column(root, "resources", "mimeType"),
              ElementsAre("text/markdown", "inode/directory", "inode/directory"));
  EXPECT_EQ(*root.find("ttlMs"), json::Value(0));
  EXPECT_THAT(column(directory("skill://a/scripts"), "resources", "uri"),
              ElementsAre("skill://a/scripts/run.sh"));
  EXPECT_THAT(column(directory("skill://a/empty"), "resources", "uri"), IsEmpty());
  for (const char* uri :
       {"skill://a/SKILL.md", "skill://a/none", "skill://b", "iii://a", "skill://a/.."}) {
    EXPECT_EQ(directory_error(uri), kInvalidParams) << uri;
  }
  EXPECT_EQ(code(error("resources/directory/read")), kInvalidParams);
}

TEST_F(McpSkillsTest, N76ANestedSkillIsInBothEntries) {
  tree.put("global/outer/SKILL.md", skill("outer"));
  tree.put("global/outer/inner/SKILL.md", skill("inner"));
  tree.put("global/outer/inner/x.txt", "x");
  open();
  EXPECT_THAT(listed(), ElementsAre("skill://outer/SKILL.md", "skill://outer/inner/SKILL.md"));
  EXPECT_THAT(column(get("skill://outer/SKILL.md"), "resources", "uri"),
              ElementsAre("skill://outer/SKILL.md", "skill://outer/inner/SKILL.md",
                          "skill://outer/inner/x.txt"));
}

TEST_F(McpSkillsTest, N77AnEditIsInTheNextEntryWithItsDigest) {
  tree.put("global/a/SKILL.md", skill("a"));
  tree.put("global/a/x.txt", "one");
  open();
  const json::Value before = get("skill://a/SKILL.md");
  tree.put("global/a/x.txt", "two");
  const json::Value after = get("skill://a/SKILL.md");
  EXPECT_NE(before, after);
  EXPECT_EQ(text(after.find("resources")->as_array()->at(1), "digest"),
            "sha256:" + sha256_hex("two"));
  tree.put("global/a/SKILL.md", skill("a", "license: X\n"));
  EXPECT_EQ(text(*get("skill://a/SKILL.md").find("frontmatter"), "license"), "X");
}

TEST_F(McpSkillsTest, N79PagesSplitNoEntryAndRepeatNone) {
  for (int i = 0; i < 1'200; ++i) {
    const std::string name = "s" + std::to_string(1'000 + i);
    tree.put("global/" + name + "/SKILL.md", skill(name));
  }
  open();
  const json::Value one = result("skills/list");
  const json::Value two = result("skills/list", R"("cursor":")" + text(one, "nextCursor") + "\"");
  EXPECT_EQ(one.find("skills")->as_array()->size(), kPageRows);
  EXPECT_EQ(two.find("skills")->as_array()->size(), 200U);
  EXPECT_EQ(two.find("nextCursor"), nullptr);
  EXPECT_EQ(text(first(two, "skills"), "uri"), "skill://s2000/SKILL.md");
}

TEST_F(McpSkillsTest, CompiledInSkillsAreEntriesToo) {
  content_options.builtin = {{"guide/SKILL.md", skill("guide")}};
  open();
  EXPECT_THAT(listed(), ElementsAre("skill://guide/SKILL.md"));
  EXPECT_EQ(bytes_of("skill://guide/SKILL.md"), skill("guide"));
  EXPECT_THAT(column(directory("skill://guide"), "resources", "name"), ElementsAre("SKILL.md"));
}

TEST_F(McpSkillsTest, SkillsInTheHandshakeDialectHaveNoCacheFields) {
  tree.put("global/a/SKILL.md", skill("a"));
  open();
  const json::Value opened = initialize("2025-11-25");
  EXPECT_NE(opened.find("capabilities")->find("extensions"), nullptr);
  const json::Value list = session_result("skills/list");
  EXPECT_THAT(column(list, "skills", "uri"), ElementsAre("skill://a/SKILL.md"));
  EXPECT_EQ(list.find("ttlMs"), nullptr);
}

TEST_F(McpSkillsTest, TheDoctorHasTheReasonOfSkillsThatAreLeftOut) {
  tree.put("global/good/SKILL.md", skill("good"));
  tree.put("global/linked/SKILL.md", skill("linked"));
  tree.link("global/linked/more", "SKILL.md");
  tree.put("global/other/SKILL.md", skill("another"));
  tree.put("global/person/SKILL.md", skill("person", "disable-model-invocation: true\n"));
  tree.put("global/plain.md");
  open();
  SkillRefusals refusals;
  const auto reasons = [&] {
    EXPECT_THAT(listed(), testing::Not(IsEmpty()));  // reads the folders as they are now
    std::vector<std::string> out;
    for (const directory::DoctorFinding& finding :
         skill_findings(directory::View(library->latest(), nullptr), refusals)) {
      EXPECT_EQ(finding.severity, "info");
      EXPECT_EQ(finding.code, "mcp_left_out");
      out.push_back(finding.path + " " + finding.served_as.value_or("") + ": " + finding.message);
    }
    return out;
  };
  for (int repetition = 0; repetition < 2; ++repetition) {
    EXPECT_THAT(
        reasons(),
        ElementsAre(AllOf(StartsWith("linked/SKILL.md linked: "), HasSubstr("more is a link")),
                    AllOf(StartsWith("other/SKILL.md other: "),
                          HasSubstr("`name` in the frontmatter must be the name of the "
                                    "folder, `other`"))));
  }
  tree.put("global/other/SKILL.md", skill("other"));
  tree.remove("global/linked/more");
  tree.link("global/good/deep/more", "../SKILL.md");
  EXPECT_THAT(reasons(), ElementsAre(HasSubstr("deep/more is a link")));
}

}  // namespace
}  // namespace iii::mcp
