// Repositories as people have them: odd names, links, large and empty bodies, files beside a skill.
#include <filesystem>

#include "directory/reading/fixture_for_test.h"
#include "directory/reading/skill_files.h"
#include "foundation/base/sha256.h"
#include "foundation/base/text.h"

namespace iii::directory {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

class RealRepositories : public DirectoryTest {
 protected:
  json::Value get(const std::string& id, const std::string& more = "") {
    std::string quoted;
    json::append_string(quoted, id);
    return ask("directory::skills::get", R"({"id":)" + quoted + more + "}");
  }
  std::string miss(const std::string& id, const std::string& more = "") {
    return refusal("directory::skills::get", R"({"id":")" + id + R"(")" + more + "}");
  }
  json::Value file(const std::string& id, const std::string& path, const std::string& more = "") {
    return ask("directory::skills::file",
               R"({"id":")" + id + R"(","path":")" + path + R"(")" + more + "}");
  }
  std::string no_file(const std::string& id, const std::string& path) {
    return refusal("directory::skills::file", R"({"id":")" + id + R"(","path":")" + path + R"("})");
  }
  std::vector<std::string> files_of(const std::string& id) {
    std::vector<std::string> out;
    for (const json::Value& each : *get(id).find("files")->as_array()) {
      out.push_back(text(each, "kind") + " " + text(each, "path"));
    }
    return out;
  }
};

TEST_F(RealRepositories, EveryFileIsFoundByItsOwnPath) {
  const std::vector<std::string> paths = {
      "v1.2/Notes (draft).md",         "Größe/über uns.md", "UPPER/Case.md", "a b/SKILL.md",
      std::string(100, 'x') + "/y.md", "plain/doc.md"};
  for (const std::string& path : paths) tree.put("global/" + path, "# " + path + "\n\nText.\n");
  start();
  for (const std::string& path : paths) {
    EXPECT_EQ(text(get(path), "title"), path);
    EXPECT_EQ(text(get("./" + path), "title"), path);
    EXPECT_EQ(text(get(path.substr(0, path.size() - 3)), "title"), path);
  }
  EXPECT_EQ(text(get("a b"), "title"), "a b/SKILL.md") << "a folder stands for its overview";
  EXPECT_EQ(text(get("V1.2/notes (DRAFT).md"), "title"), paths[0]) << "case is forgiven";
  EXPECT_THAT(miss("v1.2/Nothing.md"), StartsWith("D111 ")) << "as published";
}

TEST_F(RealRepositories, AnExactIdGoesBeforeAPath) {
  tree.put("global/a/index.md", "# Index\n\nText.\n");
  tree.put("global/a.md", "# File\n\nText.\n");
  start();
  EXPECT_EQ(text(get("a"), "title"), "File");
  EXPECT_EQ(text(get("a/index"), "title"), "Index");
  EXPECT_EQ(text(get("a.md"), "title"), "File");
}

TEST_F(RealRepositories, APathOfAHiddenSkillSaysThatItIsHidden) {
  tree.put("global/other/My Notes.md");
  installed_options.filter = true;
  manager = Manager::kAnswers;
  workers = R"({"workers":[{"name":"known"}]})";
  start();
  EXPECT_THAT(miss("other/My Notes.md"),
              AllOf(StartsWith("D110 "), HasSubstr("filter_unregistered")));
}

TEST_F(RealRepositories, ALinkIsReadFromTheDocumentThatHasIt) {
  tree.put("global/r/pdf/SKILL.md", "# Pdf\n\nText.\n");
  tree.put("global/r/pdf/references/Form Guide.md", "# Forms\n\nText.\n");
  tree.put("global/r/docx/SKILL.md", "# Docx\n\nText.\n");
  tree.put("global/top.md", "# Top\n\nText.\n");
  start();
  const std::string from = R"(,"from":"r/pdf")";
  EXPECT_EQ(text(get("references/Form Guide.md#fill", from), "title"), "Forms");
  EXPECT_EQ(text(get("./references/Form%20Guide.md", from), "title"), "Forms");
  EXPECT_EQ(text(get("../docx/SKILL.md", from), "title"), "Docx");
  EXPECT_EQ(text(get("../docx", from), "title"), "Docx");
  EXPECT_EQ(text(get("top", from), "title"), "Top") << "an id";
  EXPECT_EQ(text(get("#part", from), "title"), "Pdf");
  EXPECT_EQ(text(get("../SKILL.md", R"(,"from":"r/pdf/references/Form Guide.md")"), "title"),
            "Pdf");
  EXPECT_THAT(miss("./gone.md", from),
              AllOf(StartsWith("D110 not_found: the link"), HasSubstr("\"r/pdf/gone.md\""),
                    HasSubstr("Next: "), HasSubstr("directory::skills::file")));
  EXPECT_THAT(miss("../../../../etc/passwd", from), HasSubstr("out of the skills folder"));
  EXPECT_THAT(miss("a.md", R"(,"from":"no/such")"), HasSubstr("D110"));
}

TEST_F(RealRepositories, AnEmptyBodyIsAnAnswer) {
  tree.put("global/empty.md", "---\ntitle: T\n---\n");
  tree.put("global/p/prompts/e.md", "---\ndescription: D\n---\n");
  start();
  EXPECT_EQ(text(get("empty"), "body"), "");
  EXPECT_EQ(get("empty").find("bytes_total"), nullptr);
  EXPECT_EQ(text(ask("directory::prompts::get", R"({"name":"e"})"), "body"), "");
}

TEST_F(RealRepositories, ABodyOfAnySizeIsReadInParts) {
  content_options.max_file_bytes = 100'000;
  const std::string body = [] {
    std::string out;
    for (int i = 0; out.size() < 600'000; ++i) out += "Zeile " + std::to_string(i) + " ä€.\n";
    return out;
  }();
  tree.put("global/large.md", "---\ntitle: L\n---\n" + body);
  tree.put("global/fits.md", std::string(400'000, 'x'));
  start();
  json::Value part = get("large");
  EXPECT_EQ(*part.find("bytes_total"), json::Value(static_cast<int64_t>(body.size())));
  EXPECT_THAT(text(part, "more"), HasSubstr("offset=" + json::to_text(*part.find("next_offset"))));
  std::string whole = text(part, "body");
  EXPECT_LE(whole.size(), kPartBytes);
  while (part.find("next_offset") != nullptr) {
    const json::Value next = *part.find("next_offset");
    part = get("large", R"(,"limit":99999,"offset":)" + json::to_text(next));
    EXPECT_EQ(*part.find("offset"), next) << "parts join";
    whole += text(part, "body");
  }
  EXPECT_EQ(part.find("more"), nullptr);
  EXPECT_EQ(whole, body);
  EXPECT_EQ(text(get("fits"), "body").size(), 400'000U) << "at the limit it comes at once";
  tree.put("global/fits.md", std::string(400'001, 'x'));
  EXPECT_EQ(text(get("fits"), "body").size(), kPartBytes) << "beyond it in parts";
  EXPECT_EQ(text(get("large", R"(,"offset":99999999)"), "body"), "");
}

TEST_F(RealRepositories, APartIsCutBetweenCharacters) {
  tree.put("global/a.md", "aä€😀z");
  start();
  const json::Value part = get("a", R"(,"offset":2,"limit":4)");
  EXPECT_EQ(text(part, "body"), "ä");
  EXPECT_EQ(*part.find("offset"), json::Value(1));
  EXPECT_EQ(*part.find("next_offset"), json::Value(3));
  EXPECT_EQ(*part.find("bytes_total"), json::Value(11));
  EXPECT_EQ(text(get("a", R"(,"offset":6,"limit":1)"), "body"), "😀") << "a character always fits";
  EXPECT_THAT(miss("a", R"(,"limit":0)"), StartsWith("D121 "));
}

TEST_F(RealRepositories, TheFilesOfASkillAreListed) {
  tree.put("global/s/SKILL.md");
  tree.put("global/s/references/a b.md", "# A\n\nText.\n");
  tree.put("global/s/scripts/run.py", "print(1)\n");
  tree.put("global/s/scripts/tool", "#!/bin/sh\n");
  tree.put("global/s/logo.png", "\x89PNG");
  tree.put("global/s/.git/config", "x");
  tree.put("global/s/nested/skill.md");
  tree.put("global/s/nested/run.sh", "x");
  tree.put("outside/secret.txt", "secret");
  tree.link("global/s/link.txt", "../../outside/secret.txt");
  tree.link("global/s/linked", "../../outside");
  tree.link("global/s/up", "..");
  start();
  EXPECT_THAT(files_of("s"), ElementsAre("asset logo.png", "document references/a b.md",
                                         "script scripts/run.py", "script scripts/tool"));
  const json::Value answer = get("s");
  const json::Value& run = (*answer.find("files")->as_array())[2];
  EXPECT_EQ(*run.find("size"), json::Value(9));
  EXPECT_EQ(text(run, "sha256"), sha256_hex("print(1)\n"));
  EXPECT_EQ(answer.find("files_total"), nullptr);
  tree.put("global/s/scripts/run.py", "print(2)\n");
  const json::Value later = get("s");
  EXPECT_EQ(text((*later.find("files")->as_array())[2], "sha256"), sha256_hex("print(2)\n"));
  EXPECT_EQ(get("s", R"(,"include_files":false)").find("files"), nullptr);
  EXPECT_EQ(get("s/references/a b.md").find("files"), nullptr);
  const json::Value batch = ask("directory::skills::get", R"({"ids":["s"]})");
  EXPECT_EQ((*batch.find("skills")->as_array())[0].find("files"), nullptr);
}

TEST_F(RealRepositories, ManyFilesAreCounted) {
  tree.put("global/s/SKILL.md");
  for (size_t i = 0; i < kMaxSkillFiles; ++i) {
    tree.put("global/s/f" + std::to_string(1'000 + i) + ".txt", "x");
  }
  start();
  json::Value answer = get("s");
  EXPECT_THAT(*answer.find("files")->as_array(), SizeIs(kMaxSkillFiles));
  EXPECT_EQ(answer.find("files_total"), nullptr);
  tree.put("global/s/g.txt", "x");
  answer = get("s");
  EXPECT_THAT(*answer.find("files")->as_array(), SizeIs(kMaxSkillFiles));
  EXPECT_EQ(*answer.find("files_total"), json::Value(static_cast<int64_t>(kMaxSkillFiles) + 1));
}

TEST_F(RealRepositories, AFileOfASkillIsRead) {
  tree.put("global/s/SKILL.md");
  tree.put("global/s/references/a.md", "# A\n\nText.\n");
  tree.put("global/s/run.py", "print('ä')\n");
  tree.put("global/s/logo.png", std::string("\x89PN\0\xff", 5));
  start();
  const json::Value run = file("s", "run.py");
  EXPECT_EQ(text(run, "encoding"), "utf-8");
  EXPECT_EQ(text(run, "content"), "print('ä')\n");
  EXPECT_EQ(text(run, "sha256"), sha256_hex("print('ä')\n"));
  const json::Value logo = file("s", "./logo.png");
  EXPECT_EQ(text(logo, "encoding"), "base64");
  EXPECT_EQ(text(logo, "content"), base64_encode(std::string_view("\x89PN\0\xff", 5)));
  EXPECT_EQ(text(logo, "path"), "logo.png");
  const json::Value part = file("s", "run.py", R"(,"limit":8)");
  EXPECT_EQ(text(part, "content"), "print('") << "not half of a character";
  EXPECT_EQ(*part.find("next_offset"), json::Value(7));
  EXPECT_EQ(part.find("sha256"), nullptr);
  EXPECT_EQ(text(file("s", "run.py", R"(,"offset":7)"), "content"), "ä')\n");
  EXPECT_EQ(text(file("s/references/a", "run.py"), "content"), "print('ä')\n")
      << "a reference belongs to its skill";
}

TEST_F(RealRepositories, NoFileOutsideTheSkillIsRead) {
  content_options.builtin = builtin_documents();
  tree.put("global/s/SKILL.md");
  tree.put("global/s/scripts/run.py", "x");
  tree.put("global/s/.git/config", "secret");
  tree.put("global/s/nested/SKILL.md");
  tree.put("global/s/nested/run.sh", "x");
  tree.put("global/other/SKILL.md");
  tree.put("outside/secret.txt", "secret");
  tree.link("global/s/link.txt", "../../outside/secret.txt");
  tree.link("global/s/linked", "../../outside");
  start();
  for (const char* path : {"../other/SKILL.md", "/etc/passwd", "..", ".", ""}) {
    EXPECT_THAT(no_file("s", path), StartsWith("D115 ")) << path;
  }
  for (const char* path : {"link.txt", "linked/secret.txt", ".git/config", "scripts"}) {
    EXPECT_THAT(no_file("s", path),
                AllOf(testing::ContainsRegex("^D11[46] "), Not(HasSubstr(tree.at("").string()))))
        << path;
  }
  EXPECT_THAT(no_file("s", "nested/run.sh"), HasSubstr("belongs to the skill \"s/nested\""));
  EXPECT_THAT(no_file("s", "run.py"), HasSubstr("Did you mean: scripts/run.py."));
  EXPECT_THAT(no_file("s", "scripts/rnu.py"), HasSubstr("Did you mean: scripts/run.py."));
  EXPECT_THAT(no_file("iii", "x"), StartsWith("D114 "));
  EXPECT_THAT(no_file("no/such", "x"), StartsWith("D110 "));
}

// An answer that is larger than what is encoded on the loop.
TEST_F(RealRepositories, ALargeListArrivesWhole) {
  for (int i = 0; i < 400; ++i) {
    tree.put("global/n/" + std::to_string(i) + ".md",
             "---\ndescription: " + std::string(4'000, 'x') + "\n---\nText.\n");
  }
  start();
  EXPECT_THAT(listed(), SizeIs(400));
  EXPECT_THAT(listed(R"({"search":"XXX"})"), SizeIs(400));
}

}  // namespace
}  // namespace iii::directory
