#include "directory/reading/skill_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "directory/library/testing.h"

namespace iii::directory {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

IndexSkillsOutput page_of(const View& view, const IndexSkillsInput& in = {}) {
  return index_page(view, in)->out;
}

std::vector<std::string> ids(const View& view, const ListSkillsInput& in) {
  std::vector<std::string> out;
  for (const content::Skill* row : list_skills(view, in)->rows)
    out.push_back(view.display(row->id));
  return out;
}

SkillRow first_row(const View& view, const ListSkillsInput& in) {
  return skill_row(view, *list_skills(view, in)->rows.at(0));
}

View sample() {
  return View(make_generation({{"a"},
                               {"a-b/x"},
                               {"a/b", "", "Über die Datenbank"},
                               {"a/index"},
                               {"a_b/index"},
                               {"ab/index", "Title", "text", "index"}}),
              nullptr);
}

TEST(ListSkills, R46_OrderIsByOnDiskIdAndR41PrefixToo) {
  EXPECT_THAT(ids(sample(), {}), ElementsAre("a", "a-b/x", "a/b", "a/index", "a_b", "ab"));
  EXPECT_THAT(ids(sample(), {.prefix = "a/"}), ElementsAre("a/b", "a/index"));
  EXPECT_THAT(ids(sample(), {.prefix = "A"}), IsEmpty());
  EXPECT_EQ(ids(sample(), {.prefix = ""}).size(), 6U);
}

TEST(ListSkills, R42_TypeIsExact) {
  EXPECT_THAT(ids(sample(), {.type = "index"}), ElementsAre("ab"));
  EXPECT_THAT(ids(sample(), {.type = "Index"}), IsEmpty());
  EXPECT_THAT(ids(sample(), {.type = ""}), IsEmpty());
}

TEST(ListSkills, R43_SearchIgnoresCaseAndSeesShownIdTitleAndDescription) {
  EXPECT_THAT(ids(sample(), {.search = "ÜBER"}), ElementsAre("a/b"));
  EXPECT_THAT(ids(sample(), {.search = "title"}), ElementsAre("ab"));
  EXPECT_THAT(ids(sample(), {.search = "ab"}), ElementsAre("ab"));
  EXPECT_THAT(ids(sample(), {.search = "über", .include_description = false}), ElementsAre("a/b"));
}

TEST(ListSkills, R45_WithoutDescriptionsTheKeyStays) {
  const View view = sample();
  const std::string out = list_json(view, *list_skills(view, {.search = "title"}), false);
  EXPECT_THAT(out, HasSubstr(R"("type":"index","function_id":null,"description":"")"));
  EXPECT_THAT(out, Not(HasSubstr("next_cursor")));
}

TEST(ListSkills, PagesJoinToTheWholeList) {
  const View view = sample();
  std::vector<std::string> all;
  ListSkillsInput in{.limit = 4};
  for (;;) {
    const auto page = list_skills(view, in);
    for (const content::Skill* row : page->rows) all.push_back(view.display(row->id));
    if (!page->next_cursor) break;
    in.cursor = page->next_cursor;
  }
  EXPECT_EQ(all, ids(view, {}));
}

TEST(ListSkills, R52_OnlyInstalledWorkersAndTheFixedNamespacesAreSeen) {
  const auto names = std::make_shared<const NameSet>(NameSet{"known"});
  const View view(
      make_generation(
          {{"root"}, {"directory/x"}, {"iii/x"}, {"known/x"}, {"other/x"}, {"Known/x"}}),
      names);
  EXPECT_THAT(ids(view, {}), ElementsAre("directory/x", "iii/x", "known/x", "root"));
}

TEST(IndexSkills, R60_OverviewsAreTypedOrOneLevelDeep) {
  const View view(
      make_generation({{"index"}, {"a/index", "A"}, {"a/b/index"}, {"x/y", "Y", "", "index"}}),
      nullptr);
  const IndexSkillsOutput out = page_of(view);
  EXPECT_EQ(out.workers_count, 2U);
  EXPECT_EQ(out.body,
            "# Skills index\n\n2 worker(s).\n"
            "\n## A\n\nFull reference: call `directory::skills::get { \"id\": \"a\" }` (legacy "
            "`iii://a`).\n"
            "\n## Y\n\nFull reference: call `directory::skills::get { \"id\": \"x/y\" }` "
            "(legacy `iii://x/y`).\n");
}

TEST(IndexSkills, R63_NothingGivesTheThreeHeaderLines) {
  EXPECT_EQ(page_of(View(make_generation({}), nullptr)).body, "# Skills index\n\n0 worker(s).\n");
}

TEST(IndexSkills, R61_TheCountIsThatOfAllOverviewsAndR62TheOrderThatOfTheList) {
  const View view(make_generation({{"b/index", "First title"},
                                   {"a_b/index", "Z"},
                                   {"a/index", "Y"},
                                   {"a-b/index", "X", std::string(5'000, 'x')}}),
                  nullptr);
  const IndexSkillsOutput out = page_of(view);
  EXPECT_EQ(out.workers_count, 4U);
  EXPECT_THAT(out.body, HasSubstr("4 worker(s)."));
  EXPECT_LT(out.body.find("## X"), out.body.find("## Y"));
  EXPECT_LT(out.body.find("## Y"), out.body.find("## Z"));
  EXPECT_LT(out.body.find("## Z"), out.body.find("## First title"));
}

TEST(IndexSkills, R64_ThePointerNamesTheShownIdAndNoAddressOutside) {
  const View view(make_generation({{"a"}, {"a/index", "A"}, {"b/index", "B", "Text."}}), nullptr);
  const std::string body = page_of(view).body;
  EXPECT_THAT(body, HasSubstr("`directory::skills::get { \"id\": \"a/index\" }` (legacy "
                              "`iii://a/index`)."));
  EXPECT_THAT(body, HasSubstr("\n## B\n\nText.\n\nFull reference: call "));
  EXPECT_THAT(body, Not(HasSubstr("http")));
  EXPECT_TRUE(body.ends_with('\n'));
}

// Rows of the recorded vectors: `Worker NN`, id `worker-NN`, description of 200 bytes.
std::vector<TestSkill> numbered_workers(int count) {
  std::vector<TestSkill> skills;
  for (int i = 0; i < count; ++i) {
    const std::string n = (i < 10 ? "0" : "") + std::to_string(i);
    skills.push_back({"worker-" + n + "/index", "Worker " + n, std::string(200, 'x')});
  }
  return skills;
}

size_t occurrences(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(IndexSkills, Vector_NineWorkersFitWhole) {
  const IndexSkillsOutput out = page_of(View(make_generation(numbered_workers(9)), nullptr));
  EXPECT_EQ(out.body.size(), 2'846U);
  EXPECT_THAT(out.body, Not(HasSubstr("omitted")));
}

TEST(IndexSkills, Vector_FiftyWorkersKeepTheirHeadingsAndNineDescriptions) {
  const IndexSkillsOutput out = page_of(View(make_generation(numbered_workers(50)), nullptr));
  EXPECT_EQ(out.workers_count, 50U);
  EXPECT_EQ(occurrences(out.body, "\n## "), 50U);
  EXPECT_EQ(occurrences(out.body, "\n" + std::string(200, 'x') + "\n"), 9U);
  const size_t note = out.body.find("\n(");
  EXPECT_EQ(note, 7'398U);
  EXPECT_THAT(out.body.substr(note), HasSubstr("descriptions omitted"));
  EXPECT_THAT(out.body.substr(note), HasSubstr("directory::skills::get"));
  EXPECT_THAT(out.body, Not(HasSubstr("truncated")));
}

TEST(IndexSkills, Vector_ADescriptionThatLandsOnTheLimitIsWrittenOneByteMoreIsNot) {
  // How long the page is once the second heading stands.
  const auto page = [](size_t description, const std::string& third) {
    return page_of(View(make_generation({{"a/index", "A"},
                                         {"b/index", "B", std::string(description, 'b')},
                                         {"c/index", "C", third}}),
                        nullptr))
        .body;
  };
  const size_t before = page(0, "").find("\n## B\n") + std::string("\n## B\n").size();
  const size_t fits = kIndexBytes - before - 2;
  EXPECT_THAT(page(fits, ""), HasSubstr(std::string(fits, 'b')));
  EXPECT_THAT(page(fits, ""), Not(HasSubstr("omitted")));
  EXPECT_THAT(page(fits + 1, "later"), Not(HasSubstr("bb")));
  EXPECT_THAT(page(fits + 1, "later"), HasSubstr("descriptions omitted"));
  EXPECT_THAT(page(fits + 1, "later"), HasSubstr("\nlater\n")) << "a shorter one still fits";
}

// ---- kinds, names, paths, and skills that are kept for users

content::GenerationPtr with_details() {
  auto generation =
      std::make_shared<content::Generation>(*make_generation({{"repo/skills/pdf/index", "PDF"},
                                                              {"repo/skills/pdf/forms", "Forms"},
                                                              {"repo/readme", "Repo"},
                                                              {"repo/c-1a2b3c/index", "C"},
                                                              {"repo/secret/index", "Secret"}}));
  for (size_t i = 0; i < generation->skills.size(); ++i) {
    auto changed = std::make_shared<content::Skill>(*generation->skills[i]);
    changed->version.inode = 1;
    if (changed->id.ends_with("forms")) changed->kind = content::SkillKind::kReference;
    if (changed->id.ends_with("readme")) changed->kind = content::SkillKind::kReadme;
    if (changed->id == "repo/c-1a2b3c/index") {
      changed->file.path = "repo/C++/SKILL.md";
      changed->name = "Zeiger";
    }
    if (changed->id == "repo/secret/index") changed->for_agents = false;
    if (changed->id.ends_with("pdf/index")) changed->name = "pdf";
    generation->skills.set(i, std::move(changed));
  }
  return generation;
}

TEST(ListSkills, RowsHaveAKindAndAreFilteredByIt) {
  const View view(with_details(), nullptr);
  const auto of_kind = [&view](const char* kind) { return ids(view, {.kind = json::Raw{kind}}); };
  EXPECT_THAT(of_kind(R"("skill")"), ElementsAre("repo/c-1a2b3c", "repo/skills/pdf"));
  EXPECT_THAT(of_kind(R"(["reference","readme"])"),
              ElementsAre("repo/readme", "repo/skills/pdf/forms"));
  EXPECT_EQ(of_kind("null").size(), 4U);
  EXPECT_THAT(of_kind("[]"), IsEmpty());
  for (const char* bad : {R"("prompts")", "5", R"(["skill",7])"}) {
    const auto refused = list_skills(view, {.kind = json::Raw{bad}});
    ASSERT_FALSE(refused) << bad;
    EXPECT_THAT(refused.error().message, testing::StartsWith("D121 ")) << bad;
  }
  EXPECT_EQ(first_row(view, {.search = "forms"}).kind, "reference");
}

TEST(ListSkills, SkillsThatAreKeptForUsersAreListedOnlyWhenAskedFor) {
  const View view(with_details(), nullptr);
  EXPECT_THAT(ids(view, {.search = "secret"}), IsEmpty());
  const ListSkillsInput all{.search = "secret", .include_user_only = true};
  ASSERT_EQ(ids(view, all).size(), 1U);
  EXPECT_EQ(first_row(view, all).user_only, true);
  EXPECT_EQ(first_row(view, {.search = "forms"}).user_only, std::nullopt);
  EXPECT_THAT(page_of(view).body, Not(HasSubstr("Secret")));
  EXPECT_THAT(page_of(view, {.include_user_only = true}).body, HasSubstr("Secret"));
}

TEST(ListSkills, TheNameAndThePathThatTheAuthorGaveAreShownAndSearched) {
  const content::GenerationPtr generation = with_details();
  const View view(generation, nullptr);
  for (const char* needle : {"zeiger", "c++"}) {
    const ListSkillsInput in{.search = needle};
    EXPECT_THAT(ids(view, in), ElementsAre("repo/c-1a2b3c")) << needle;
  }
  const auto row = first_row(view, {.search = "c++"});
  EXPECT_EQ(row.name, "Zeiger");
  EXPECT_EQ(row.path, "repo/C++/SKILL.md");
  const auto plain = first_row(view, {.search = "pdf", .kind = json::Raw{R"("skill")"}});
  EXPECT_EQ(plain.name, std::nullopt) << "the id says it already";
  EXPECT_EQ(plain.path, std::nullopt);
  EXPECT_THAT(ids(view, {.search = "skill.md"}), IsEmpty()) << "usual paths are not searched";
}

TEST(IndexSkills, TheSkillsOfARepositoryAreFoundWhereItHasNoOverviewOfItsOwn) {
  const View repository(with_details(), nullptr);
  EXPECT_EQ(page_of(repository).workers_count, 2U);
  EXPECT_EQ(page_of(repository, {.prefix = "repo/skills/"}).workers_count, 1U);
  EXPECT_EQ(page_of(repository, {.kind = json::Raw{R"("readme")"}}).workers_count, 1U);
  EXPECT_FALSE(index_page(repository, {.kind = json::Raw{"1"}}));
  const View worker(make_generation({{"w/index"}, {"w/sub/index"}}), nullptr);
  EXPECT_EQ(page_of(worker).workers_count, 1U) << "R60";
  EXPECT_EQ(page_of(worker, {.prefix = "w/"}).workers_count, 2U);
}

}  // namespace
}  // namespace iii::directory
