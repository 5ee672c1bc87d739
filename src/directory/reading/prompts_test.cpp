// directory::prompts::* as a caller meets them.
#include "directory/reading/prompts.h"

#include "directory/reading/fixture_for_test.h"

namespace iii::directory {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class Prompts : public DirectoryTest {
 protected:
  void prompt(const std::string& path, const std::string& description = "Does it.") {
    tree.put("global/" + path, "---\ndescription: " + description + "\n---\nBody.\n");
  }
  std::vector<std::string> listed_prompts(const std::string& payload = "{}") {
    std::vector<std::string> out;
    const json::Value answer = ask("directory::prompts::list", payload);
    for (const json::Value& row : *answer.find("prompts")->as_array()) {
      out.push_back(text(row, "name"));
    }
    return out;
  }
  std::string miss(const std::string& name) {
    return refusal("directory::prompts::get", R"({"name":")" + name + R"("})");
  }
};

TEST_F(Prompts, R70_R73_NamesAreFlatAndInOrderAndTheFirstFileHasTheName) {
  prompt("zoo/prompts/alpha.md", "First in the alphabet, last folder.");
  prompt("abc/prompts/sub/zulu.md");
  prompt("abc/prompts/same.md", "First.");
  prompt("xyz/prompts/same.md", "Second.");
  start();
  EXPECT_THAT(listed_prompts(), ElementsAre("alpha", "same", "zulu"));
  const json::Value same = ask("directory::prompts::get", R"({"name":"same"})");
  EXPECT_EQ(text(same, "description"), "First.");
}

TEST_F(Prompts, R71_TheNameIsTheFrontmattersElseTheFiles) {
  tree.put("global/p/prompts/file.md", "---\nname: '  other '\ndescription: D\n---\nB.\n");
  tree.put("global/p/prompts/blank.md", "---\nname: '  '\ndescription: D\n---\nB.\n");
  tree.put("global/p/prompts/007.md", "---\nname: 7\ndescription: D\n---\nB.\n");
  start();
  EXPECT_THAT(listed_prompts(), ElementsAre("7", "blank", "other"));
}

TEST_F(Prompts, R72_TheDescriptionIsTrimmedAndTheBodyNotNeededToBeListed) {
  tree.put("global/p/prompts/a.md", "---\ndescription: '  D  '\n---\n");
  start();
  const json::Value answer = ask("directory::prompts::list");
  EXPECT_EQ(text((*answer.find("prompts")->as_array())[0], "description"), "D");
  EXPECT_EQ(text(ask("directory::prompts::get", R"({"name":"a"})"), "body"), "");
}

TEST_F(Prompts, GetGivesNameDescriptionBodyAndTime) {
  prompt("p/prompts/a.md");
  start();
  const json::Value answer = ask("directory::prompts::get", R"({"name":"a"})");
  EXPECT_EQ(answer.as_object()->size(), 5U);
  EXPECT_EQ(text(answer, "kind"), "prompt");
  EXPECT_EQ(text(answer, "name"), "a");
  EXPECT_EQ(text(answer, "description"), "Does it.");
  EXPECT_EQ(text(answer, "body"), "Body.\n");
  EXPECT_THAT(text(answer, "modified_at"), testing::EndsWith("+00:00"));
}

TEST_F(Prompts, NamesAreCheckedFirstAndNotTrimmed) {
  prompt("p/prompts/a.md");
  start();
  EXPECT_THAT(miss(""), AllOf(StartsWith("D211 invalid_input: "), HasSubstr("non-empty")));
  EXPECT_THAT(miss(" a"), HasSubstr("lowercase"));
  EXPECT_THAT(miss("A"), HasSubstr("lowercase"));
  EXPECT_THAT(miss(std::string(65, 'a')), AllOf(HasSubstr("65"), HasSubstr("64")));
  EXPECT_THAT(miss("a/b"), HasSubstr("Next: call directory::prompts::list"));
  EXPECT_THAT(refusal("directory::prompts::get", "{}"), HasSubstr("missing field `name`"));
}

TEST_F(Prompts, D210_AMissNamesTheNearestThree) {
  for (const char* name : {"explain", "explore", "expand", "zebra"}) {
    prompt(std::string("p/prompts/") + name + ".md");
  }
  start();
  EXPECT_THAT(miss("explian"),
              AllOf(StartsWith("D210 not_found: prompt \"explian\""), HasSubstr("not found"),
                    HasSubstr("Did you mean: explain, expand, explore."),
                    HasSubstr("Next: call directory::prompts::list")));
}

TEST_F(Prompts, D210_ManyNamesAreComparedOnAnotherThread) {
  prompt("p/prompts/explain.md");
  for (size_t i = 0; i < Library::kFewDocuments; ++i) {
    prompt("p/prompts/zzzzzzzzzzzz-" + std::to_string(i) + ".md");
  }
  start();
  BusyPool busy(library->answer_threads());
  const std::string missed = send("directory::prompts::get", R"({"name":"explian"})");
  EXPECT_EQ(listed_prompts().size(), Library::kFewDocuments + 1) << "the loop goes on";
  EXPECT_FALSE(is_answered(missed));
  busy.end();
  EXPECT_THAT(json::to_text(outcome(missed)), HasSubstr("Did you mean: explain"));
}

TEST_F(Prompts, D210_WithoutAnyPromptNothingIsSuggested) {
  start();
  EXPECT_THAT(listed_prompts(), IsEmpty());
  EXPECT_THAT(miss("a"), AllOf(HasSubstr("D210"), Not(HasSubstr("Did you mean"))));
}

TEST_F(Prompts, R70_WithoutLenienceAPromptNeedsFrontmatterWithADescription) {
  tree.put("global/p/prompts/none.md", "Only text.\n");
  tree.put("global/p/prompts/blank.md", "---\ndescription: ' '\n---\nText.\n");
  tree.put("global/p/prompts/broken.md", "---\ndescription: [\n---\nText.\n");
  tree.put("global/p/prompts/Name.md", "---\ndescription: D\n---\nText.\n");
  tree.put("global/p/prompts/bytes.md", "---\ndescription: D\n---\n\xff\n");
  content_options.lenient = false;
  content_options.normalise_ids = false;
  start();
  EXPECT_THAT(listed_prompts(), IsEmpty());
  const DoctorReport report = examine(View(library->latest()->generation, nullptr), {});
  EXPECT_EQ(report.skipped, 5U);
  EXPECT_GE(report.findings.size(), 5U);
}

TEST_F(Prompts, ALongListComesInPages) {
  for (const char* name : {"a", "b", "c"}) prompt(std::string("p/prompts/") + name + ".md");
  limits.max_answer_bytes = 300;
  start();
  EXPECT_THAT(refusal("directory::prompts::list", "{}"),
              AllOf(StartsWith("D120 too_large: "),
                    HasSubstr("Next: call directory::prompts::list with `limit`")));
  EXPECT_THAT(listed_prompts(R"({"limit":2})"), ElementsAre("a", "b"));
  EXPECT_EQ(text(ask("directory::prompts::list", R"({"limit":2})"), "next_cursor"), "b");
  EXPECT_THAT(listed_prompts(R"({"limit":2,"cursor":"b"})"), ElementsAre("c"));
  EXPECT_THAT(refusal("directory::prompts::list", R"({"limit":0})"), StartsWith("D121 "));
}

}  // namespace
}  // namespace iii::directory
