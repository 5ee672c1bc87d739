// directory::skills::browse: rows of everything, filters, counts.
#include "directory/reading/browse.h"

#include <sys/stat.h>

#include "directory/library/testing.h"
#include "directory/reading/browse_select.h"
#include "directory/reading/fixture_for_test.h"
#include "foundation/base/text.h"

namespace iii::directory {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> ids(const View& view, const BrowseSelection& selection) {
  std::vector<std::string> out;
  for (const uint32_t row : selection.rows) {
    out.push_back(table_row(view, view.table()->rows()[row]).id);
  }
  return out;
}
std::vector<std::string> found(const View& view, std::string_view words) {
  return ids(view, select_rows(view, {.q = std::string(words)}));
}

TEST(BrowseSelect, RanksByLastPartThenIdThenTextAndWantsEveryWord) {
  const View view(make_generation({
                      {.id = "a/mail", .description = "Letters"},
                      {.id = "b/other", .description = "About Mail and letters"},
                      {.id = "c/send-mail"},
                      {.id = "mail/index"},
                      {.id = "z/ÜBER", .title = "Über", .description = "straße"},
                  }),
                  nullptr);
  EXPECT_THAT(found(view, "MAIL"), ElementsAre("mail", "a/mail", "c/send-mail", "b/other"));
  EXPECT_THAT(found(view, " letters \t mail"), ElementsAre("a/mail", "b/other"));
  EXPECT_THAT(found(view, "über"), ElementsAre("z/ÜBER"));
  EXPECT_THAT(found(view, "mail nothing"), IsEmpty());
  // A term never reaches from one text or row into the next.
  EXPECT_THAT(found(view, "lettersb"), IsEmpty());
  EXPECT_EQ(found(view, "").size(), 5U);
}

TEST(BrowseSelect, WhatIsMeantMostLikelyComesFirst) {
  const View view(make_generation({
                      {.id = "a/notes", .title = "Notes", .description = "in a database"},
                      {.id = "archive/database-backups"},
                      {.id = "b/notes", .title = "Database notes"},
                      {.id = "database/index"},
                      {.id = "database/archive"},
                      {.id = "database/query"},
                      {.id = "old-database/query"},
                      {.id = "tools/database"},
                  }),
                  nullptr);
  EXPECT_THAT(
      found(view, "database"),
      ElementsAre("database", "tools/database", "archive/database-backups", "database/archive",
                  "database/query", "old-database/query", "b/notes", "a/notes"));
  EXPECT_THAT(found(view, "database/query"), ElementsAre("database/query", "old-database/query"));
  EXPECT_THAT(found(view, "query database"), ElementsAre("database/query", "old-database/query"));
}

TEST(BrowseSelect, CountsSayWhatOtherFiltersLeave) {
  const View view(make_generation({
                      {.id = "a/one", .type = "how-to"},
                      {.id = "a/two", .type = "reference"},
                      {.id = "b/one", .type = "how-to"},
                      {.id = "b/two"},
                  }),
                  nullptr);
  const BrowseSelection all =
      select_rows(view, {.type = {{"how-to"}}, .name_space = {{"a", "unknown"}}});
  EXPECT_THAT(ids(view, all), ElementsAre("a/one"));
  EXPECT_EQ(all.served, 1U);
  EXPECT_EQ(json::encode(all.facets),
            R"({"state":[["served",1],["finding",0],["missing",0],["filtered",0],["shadowed",0]],)"
            R"("root":[["global",1]],"type":[["how-to",1],["none",0],["reference",1]],)"
            R"("namespace":[["a",1],["b",1]],"namespaces":2})");
}

// What a straightforward reading of the rules gives.
TEST(BrowseSelect, FindsWhatLookingAtEveryRowFindsAlsoAfterChanges) {
  std::vector<TestSkill> skills;
  for (int i = 0; i < 3'000; ++i) {
    skills.push_back({.id = "n" + std::to_string(i % 7) + "/s" + std::to_string(i),
                      .title = "Title " + std::to_string(i % 13),
                      .description = "row " + std::to_string(i * 31 % 997)});
  }
  const auto tables = std::make_shared<DocumentTables>();
  for (int round = 0; round < 3; ++round) {
    skills[static_cast<size_t>(round) * 900].title = "Changed " + std::to_string(round);
    const content::GenerationPtr generation = make_generation(skills);
    auto snapshot = std::make_shared<Snapshot>(generation, generation);
    snapshot->tables = tables;
    const View view(snapshot, nullptr);
    for (const std::string_view words :
         {"1", "s29", "title 12", "row 99 s1", "changed", "e 3 n4"}) {
      std::vector<std::string> wanted;
      for (const TestSkill& skill : skills) {
        const std::string text =
            ascii_lower(skill.id + "\n" + skill.title + "\n" + skill.description);
        const auto terms = browse_terms(words);
        if (std::ranges::all_of(terms, [&](const auto& t) { return text.contains(t); })) {
          wanted.push_back(skill.id);
        }
      }
      EXPECT_THAT(found(view, words), testing::UnorderedElementsAreArray(wanted)) << words;
    }
  }
}

class Browse : public DirectoryTest {
 protected:
  void begin() {
    open_library();
    add_browse(table, *library, nullptr);
    add_doctor(table, {.library = *library});
    add_skill_functions(table, *library, limits);
    serve();
  }
  json::Value row(const std::string& id) {
    const json::Value answer = ask("directory::skills::browse", R"({"limit":256})");
    for (const json::Value& each : *answer.find("rows")->as_array()) {
      if (text(each, "id") == id) return each;
    }
    ADD_FAILURE() << "no row " << id << " in " << json::to_text(answer);
    return {};
  }
  std::string state(const std::string& id) { return text(row(id), "state"); }
};

TEST_F(Browse, WhatIsNotServedIsARowWithItsReason) {
  tree.put("global/good/SKILL.md", "---\ndescription: Fine.\n---\n# Good\n\nText.\n");
  tree.put("global/good/colon.md", "---\ndescription: a: b\n---\n# Colon\n\nText.\n");
  tree.put("global/web/clip.md", "# Clip \xff\n");
  tree.put("global/mine/plan.md", "# Hidden\n\nText.\n");
  tree.put("local/mine/plan.md", "# Shown\n\nText.\n");
  tree.put("global/good/prompts/ask.md", "\n");
  begin();
  EXPECT_EQ(state("good"), "served");
  EXPECT_EQ(state("good/colon"), "finding");
  EXPECT_EQ(text(row("good/colon"), "code"), "unquoted_colon");
  EXPECT_EQ(state("web/clip"), "missing");
  EXPECT_EQ(text(row("web/clip"), "code"), "not_utf8");
  EXPECT_EQ(state("mine/plan"), "served");
  EXPECT_EQ(text(row("mine/plan"), "root"), "local");
  const json::Value hidden = row("global:mine/plan.md");
  EXPECT_EQ(text(hidden, "state"), "shadowed");
  EXPECT_EQ(text(hidden, "namespace"), "mine");
  EXPECT_THAT(text(hidden, "reason"), HasSubstr("local root"));
  const json::Value prompt = row("good/prompts/ask.md");
  EXPECT_EQ(text(prompt, "state"), "missing");
  EXPECT_EQ(text(prompt, "kind"), "prompt");
  EXPECT_EQ(text(prompt, "code"), "prompt_undescribed");
  // A file that is mended is a row like any other in the next answer.
  tree.put("global/web/clip.md", "# Clip\n\nText.\n");
  EXPECT_EQ(state("web/clip"), "served");
}

TEST_F(Browse, PagesTellWhereAnIdIs) {
  for (int i = 100; i < 200; ++i) tree.put("global/n/s" + std::to_string(i) + ".md", "# S\n\nT.\n");
  begin();
  const json::Value page =
      ask("directory::skills::browse", R"({"q":"s1","offset":98,"limit":5,"locate":"n/s150"})");
  EXPECT_EQ(*page.find("total"), json::Value(100));
  EXPECT_EQ(*page.find("index"), json::Value(50));
  ASSERT_EQ(page.find("rows")->as_array()->size(), 2U);
  EXPECT_EQ(text(page.find("rows")->as_array()->front(), "id"), "n/s198");
  EXPECT_EQ(*page.find("generation"), json::Value(1));
  const json::Value none =
      ask("directory::skills::browse", R"({"q":"nothing","locate":"n/s150","offset":500})");
  EXPECT_EQ(*none.find("total"), json::Value(0));
  EXPECT_EQ(*none.find("index"), json::Value(-1));
  EXPECT_THAT(refusal("directory::skills::browse", R"({"state":["odd"]})"), HasSubstr("`state`"));
  EXPECT_THAT(refusal("directory::skills::browse", R"({"limit":0})"), HasSubstr("D121"));
}

TEST_F(Browse, DocumentsOfAbsentWorkersAreFilteredRows) {
  installed_options.filter = true;
  manager = Manager::kAnswers;
  workers = R"({"workers":[{"name":"mail"}]})";
  tree.put("global/mail/SKILL.md", "# Mail\n\nText.\n");
  tree.put("global/pdf/SKILL.md", "# Pdf\n\nText.\n");
  tree.put("global/notes.md", "# Notes\n\nText.\n");
  begin();
  EXPECT_EQ(state("mail"), "served");
  EXPECT_EQ(state("notes"), "served");
  EXPECT_EQ(state("pdf"), "filtered");
  EXPECT_EQ(text(row("pdf"), "code"), "hidden_by_filter");
}

}  // namespace
}  // namespace iii::directory
