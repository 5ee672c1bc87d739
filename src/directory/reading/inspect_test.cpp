// directory::skills::inspect and ::explain, the folders in the answer of directory::doctor, and
// directory::prompts::list with details.
#include "directory/reading/inspect.h"

#include "directory/reading/browse.h"
#include "directory/reading/explain.h"
#include "directory/reading/fixture_for_test.h"

namespace iii::directory {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class Inspect : public DirectoryTest {
 protected:
  void begin() {
    open_library();
    const auto places = [this](const content::Generation& generation) {
      std::vector<RootPlace> out;
      for (const content::RootInfo& root : generation.roots) {
        out.push_back({.name = "~/" + root.label, .path = tree.at(root.label)});
      }
      return out;
    };
    add_skill_functions(table, *library, limits);
    add_doctor(table, {.library = *library, .places = places});
    add_browse(table, *library, nullptr);
    add_explain(table, *library);
    add_prompt_functions(table, *library, [](std::string_view) {
      return std::vector<PromptArgumentRow>{{.name = "table", .required = true}};
    });
    add_inspect(table, {.library = *library, .places = places});
    serve();
  }
  json::Value inspect(const std::string& id) {
    return ask("directory::skills::inspect", R"({"id":")" + id + R"("})");
  }
  json::Value explain(const std::string& id) {
    return ask("directory::skills::explain", R"({"id":")" + id + R"("})");
  }
  static std::string whole(const json::Value& value) { return json::to_text(value); }
};

TEST_F(Inspect, ADocumentWithItsTreeAndSource) {
  tree.put("global/db/SKILL.md",
           "---\ndescription: Ask tables.\n---\n# Db\n\nSee [more](more.md), "
           "[x](javascript:x) and [out](https://a.b).\n");
  tree.put("global/db/more.md", "# More\n\nText.\n");
  begin();
  const json::Value found = inspect("db");
  EXPECT_EQ(text(found, "id"), "db");
  EXPECT_EQ(text(found, "state"), "served");
  EXPECT_EQ(*found.find("served"), json::Value(true));
  EXPECT_THAT(text(found, "source"), testing::StartsWith("---\ndescription"));
  EXPECT_THAT(text(found, "body"), testing::StartsWith("# Db"));
  EXPECT_THAT(text(found, "digest"), testing::MatchesRegex("sha256:[0-9a-f]{64}"));
  EXPECT_THAT(whole(*found.find("tree")),
              AllOf(HasSubstr(R"("id":"db/more")"), HasSubstr(R"("kind":"refused")"),
                    HasSubstr(R"("kind":"web")")));
  EXPECT_EQ(whole(*found.find("related")), R"(["db/more"])");
  EXPECT_THAT(whole(*found.find("chain")), HasSubstr(R"("role":"serves")"));
  EXPECT_EQ(whole(*found.find("lock")), "null");
  EXPECT_EQ(inspect("db/more.md").find("id")->as_string() != nullptr, true);
  EXPECT_THAT(refusal("directory::skills::inspect", R"({"id":"dbb"})"), HasSubstr("D110"));
}

TEST_F(Inspect, WhatIsNotServedCanBeInspected) {
  tree.put("global/mine/plan.md", "# Hidden\n\nText.\n");
  tree.put("local/mine/plan.md", "# Shown\n\nText.\n");
  tree.put("global/web/clip.md", "# Clip \xff\n");
  tree.put("global/web/odd.md", "# Odd\n\na\u202eb\n");
  begin();
  const json::Value hidden = inspect("global:mine/plan.md");
  EXPECT_EQ(text(hidden, "state"), "shadowed");
  EXPECT_THAT(text(hidden, "source"), HasSubstr("# Hidden"));
  EXPECT_THAT(whole(*hidden.find("chain")),
              AllOf(HasSubstr(R"("role":"serves")"), HasSubstr(R"("role":"hidden")")));
  const json::Value broken = inspect("web/clip");
  EXPECT_EQ(*broken.find("served"), json::Value(false));
  EXPECT_EQ(broken.find("source"), nullptr);
  EXPECT_NE(broken.find("digest"), nullptr);
  EXPECT_THAT(whole(*broken.find("findings")), HasSubstr("not_utf8"));
  EXPECT_THAT(whole(*inspect("web/odd").find("risks")), HasSubstr("hidden_bidi"));
}

TEST_F(Inspect, ExplainSaysWhyAndWhatToDo) {
  installed_options.filter = true;
  manager = Manager::kAnswers;
  workers = R"({"workers":[{"name":"mail"},{"name":"mine"},{"name":"web"}]})";
  tree.put("global/mail/SKILL.md", "---\ndescription: a: b\n---\n# Mail\n\nText.\n");
  tree.put("global/pdf/SKILL.md", "# Pdf\n\nText.\n");
  tree.put("global/mine/plan.md", "# Hidden\n\nText.\n");
  tree.put("local/mine/plan.md", "# Shown\n\nText.\n");
  tree.put("global/web/clip.md", "# Clip \xff\n");
  tree.put("global/web/prompts/ask.md", "\n");
  tree.put("global/web/prompts/good.md", "---\ndescription: Asks.\n---\nAsk.\n");
  begin();
  EXPECT_EQ(text(explain("mail"), "verdict"), "served");
  EXPECT_THAT(text(explain("mail"), "reason"),
              AllOf(HasSubstr("global:mail/SKILL.md"), HasSubstr("[unquoted_colon]")));
  EXPECT_EQ(explain("mail").find("next"), nullptr);
  EXPECT_EQ(text(explain("pdf"), "verdict"), "filtered");
  EXPECT_THAT(text(explain("pdf"), "reason"), HasSubstr("[hidden_by_filter]"));
  EXPECT_THAT(text(explain("pdf"), "next"), HasSubstr("filter_unregistered"));
  EXPECT_EQ(text(explain("mine/plan"), "verdict"), "served");
  EXPECT_EQ(text(explain("global:mine/plan.md"), "verdict"), "shadowed");
  EXPECT_EQ(text(explain("web/clip.md"), "verdict"), "missing");
  EXPECT_EQ(text(explain("ask"), "verdict"), "missing");
  EXPECT_EQ(text(explain("ask"), "kind"), "prompt");
  EXPECT_EQ(text(explain("good"), "verdict"), "served");
  EXPECT_EQ(text(explain("web/prompts/good.md"), "id"), "good");
  const json::Value absent = explain("maill");
  EXPECT_EQ(text(absent, "verdict"), "absent");
  EXPECT_THAT(whole(*absent.find("near")), HasSubstr("mail"));
}

TEST_F(Inspect, EveryFileIsInOneColumn) {
  tree.put("global/a/SKILL.md", "# A\n\nText.\n");
  tree.put("global/a/run.sh", "echo\n");
  tree.put("global/a/prompts/ask.md", "---\ndescription: Asks.\n---\nAsk.\n");
  tree.put("global/mine/plan.md", "# Hidden\n\nText.\n");
  tree.put("local/mine/plan.md", "# Shown\n\nText.\n");
  tree.put("local/mine/x.png", "x");
  begin();
  const auto check = [this](uint64_t supporting) {
    json::Value doctor = ask("directory::doctor");
    std::map<std::string, int64_t> sums;
    for (const json::Value& root : *doctor.find("roots")->as_array()) {
      int64_t sum = 0;
      for (const char* key : {"skills", "prompts", "supporting", "skipped"}) {
        sum += *root.find(key)->as_int();
      }
      EXPECT_EQ(*root.find("files")->as_int(), sum) << whole(root);
      if (*root.find("on_disk") != json::Value(true)) continue;
      for (const char* key : {"files", "skills", "prompts", "supporting", "skipped"}) {
        sums[key] += *root.find(key)->as_int();
      }
    }
    for (const auto& [key, sum] : sums) EXPECT_EQ(*doctor.find(key)->as_int(), sum) << key;
    EXPECT_EQ(sums["supporting"], static_cast<int64_t>(supporting));
    return doctor;
  };
  const json::Value doctor = check(2);
  const json::Value& global = (*doctor.find("roots")->as_array())[1];
  EXPECT_EQ(text(global, "root"), "global");
  EXPECT_EQ(whole(*global.find("reasons")), R"([["shadowed",1]])");
  tree.remove("global/a/run.sh");
  tree.put("local/mine/y.png", "y");
  tree.put("local/mine/z.png", "z");
  check(3);
  // Lists keep its row.
  tree.put("global/a/bad.md", "# Bad \xff\n");
  const json::Value after = check(3);
  const auto& roots = *after.find("roots")->as_array();
  EXPECT_EQ(*roots[0].find("unreadable"), json::Value(0));
  EXPECT_EQ(*roots[1].find("unreadable"), json::Value(1));
}

TEST_F(Inspect, AFolderThatCannotBeReadSaysWhy) {
  tree.put("local", "not a folder");
  begin();
  const auto problems = [this] {
    std::vector<std::string> out;
    const json::Value doctor = ask("directory::doctor");
    for (const json::Value& root : *doctor.find("roots")->as_array()) {
      out.push_back(root.find("problem") == nullptr ? "none" : text(root, "problem"));
    }
    return out;
  };
  EXPECT_THAT(problems(), ElementsAre("is not a folder", "does not exist", "none"));
  tree.put("global/a/SKILL.md", "# A\n\nText.\n");
  EXPECT_THAT(problems(), ElementsAre("is not a folder", "none", "none"));
}

TEST_F(Inspect, AFileThatNobodyMayReadIsARowWithAReason) {
  tree.put("global/secret/key.md", "# Key\n\nText.\n");
  std::filesystem::permissions(tree.at("global/secret/key.md"), std::filesystem::perms::none);
  const content::AsNobody nobody;
  begin();
  const json::Value found = inspect("secret/key");
  EXPECT_EQ(text(found, "state"), "missing");
  EXPECT_EQ(text(found, "code"), "unreadable");
  EXPECT_EQ(found.find("source"), nullptr);
  EXPECT_EQ(text(explain("secret/key"), "verdict"), "missing");
}

TEST_F(Inspect, PromptsSayWhereTheyComeFrom) {
  tree.put("global/a/prompts/ask.md", "---\ndescription: Asks.\n---\nAsk {{table}}.\n");
  begin();
  const json::Value plain = ask("directory::prompts::list");
  EXPECT_EQ(plain.find("prompts")->as_array()->front().find("path"), nullptr);
  const json::Value answer = ask("directory::prompts::list", R"({"details":true})");
  ASSERT_EQ(answer.find("prompts")->as_array()->size(), 1U);
  const json::Value& prompt = answer.find("prompts")->as_array()->front();
  EXPECT_EQ(prompt.find("origin"), nullptr);
  EXPECT_EQ(text(prompt, "root"), "global");
  EXPECT_EQ(text(prompt, "path"), "a/prompts/ask.md");
  EXPECT_EQ(whole(*prompt.find("arguments")), R"([{"name":"table","required":true}])");
}

}  // namespace
}  // namespace iii::directory
