#include "functions/skill_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "functions/testing.h"

namespace iii::functions {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> ids(const View& view, const ListSkillsInput& in) {
  std::vector<std::string> out;
  for (const SkillEntry& row : list_skills(view, in)->skills) out.push_back(row.id);
  return out;
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
  const auto out = list_skills(sample(), {.search = "title", .include_description = false});
  EXPECT_EQ(out->skills[0].description, "");
  EXPECT_THAT(json::encode(*out),
              HasSubstr(R"("type":"index","function_id":null,"description":"")"));
  EXPECT_THAT(json::encode(*out), Not(HasSubstr("next_cursor")));
}

TEST(ListSkills, PagesJoinToTheWholeList) {
  const View view = sample();
  std::vector<std::string> all;
  ListSkillsInput in{.limit = 4};
  for (;;) {
    const auto page = list_skills(view, in);
    for (const SkillEntry& row : page->skills) all.push_back(row.id);
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
  const auto out = index_skills(view);
  EXPECT_EQ(out.workers_count, 2U);
  EXPECT_EQ(out.body,
            "# Skills index\n\n2 worker(s).\n"
            "\n## A\n\nFull reference: call `directory::skills::get` with `{\"id\":\"a\"}` (legacy "
            "`iii://a`).\n"
            "\n## Y\n\nFull reference: call `directory::skills::get` with `{\"id\":\"x/y\"}` "
            "(legacy `iii://x/y`).\n");
}

TEST(IndexSkills, R63_NothingGivesTheThreeHeaderLines) {
  EXPECT_EQ(index_skills(View(make_generation({}), nullptr)).body,
            "# Skills index\n\n0 worker(s).\n");
}

TEST(IndexSkills, OverflowLeavesOutDescriptionsNeverHeadings) {
  std::vector<TestSkill> skills;
  for (int i = 0; i < 50; ++i) {
    const std::string n = (i < 10 ? "0" : "") + std::to_string(i);
    skills.push_back({"worker-" + n + "/index", "Worker " + n, std::string(200, 'x')});
  }
  const auto out = index_skills(View(make_generation(skills), nullptr));
  EXPECT_EQ(out.workers_count, 50U);
  size_t headings = 0;
  for (size_t at = out.body.find("\n## "); at != std::string::npos;
       at = out.body.find("\n## ", at + 1))
    ++headings;
  EXPECT_EQ(headings, 50U);
  EXPECT_THAT(out.body, HasSubstr("descriptions omitted"));
  EXPECT_THAT(out.body, Not(HasSubstr("truncated")));
}

}  // namespace
}  // namespace iii::functions
