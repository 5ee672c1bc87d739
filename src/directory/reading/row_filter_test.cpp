#include "directory/reading/row_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "directory/library/testing.h"
#include "directory/reading/find_text.h"
#include "directory/reading/skill_list.h"
#include "foundation/base/text.h"

namespace iii::directory {
namespace {

using content::GenerationPtr;

TEST(FindText, FindsWhatFoldingTheWholeTextFinds) {
  constexpr std::string_view kPieces[] = {"a", "A",        "b",        "B", "Z",
                                          "[", "\xc3\x84", "\xc3\xa4", "k"};
  std::mt19937 dice(7);
  const auto letters = [&](size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i) text += kPieces[dice() % std::size(kPieces)];
    return text;
  };
  size_t found = 0;
  for (int round = 0; round < 5'000; ++round) {
    const std::string text = letters(dice() % 120);
    const std::string needle = fold_case(letters(dice() % 6));
    const bool wanted = fold_case(text).find(needle) != std::string::npos;
    found += wanted ? 1 : 0;
    EXPECT_EQ(contains_folded(text, needle), wanted) << text << " " << needle;
  }
  EXPECT_GT(found, 1'000U);
  EXPECT_LT(found, 4'000U);
}

// Many rows, so that there are several blocks; `salt` makes other texts of the same ids.
std::vector<TestSkill> rows(size_t count, const std::string& salt) {
  std::vector<TestSkill> out;
  for (size_t i = 0; i < count; ++i) {
    const std::string number = std::to_string(100'000 + i);
    out.push_back({.id = "ns-" + number.substr(0, 4) + "/s" + number + (i % 7 == 0 ? "/index" : ""),
                   .title = "Title " + std::to_string(i % 13) + salt,
                   .description = "Über row " + std::to_string(i),
                   .type = i % 5 == 0 ? std::optional<std::string>("how-to") : std::nullopt});
  }
  return out;
}

// The same rows as objects, but for those that `changed` says.
GenerationPtr edited(const GenerationPtr& before, const std::vector<TestSkill>& wanted) {
  const GenerationPtr fresh = make_generation(wanted);
  auto out = std::make_shared<content::Generation>(*fresh);
  for (size_t i = 0; i < out->skills.size(); ++i) {
    const content::Skill& skill = *out->skills[i];
    const content::Skill* old = before->skill(skill.id);
    if (old == nullptr || old->title != skill.title) continue;
    out->skills.set(i, *std::ranges::find(before->skills, old, &content::SkillPtr::get));
  }
  return out;
}

void expect_same(RowFilter& filter, const GenerationPtr& generation) {
  filter.follow(generation);
  const View view(generation, nullptr);
  for (const char* needle :
       {"über row 7", "TITLE 3", "s1001", "index", "x", "nothing", "changed"}) {
    const ListSkillsInput in{.search = needle};
    EXPECT_EQ(list_skills_text(view, in, &filter).value(), json::encode(*list_skills(view, in)))
        << needle;
  }
  for (const ListSkillsInput& in :
       {ListSkillsInput{.type = "how-to"}, ListSkillsInput{.search = "title 2", .type = "how-to"},
        ListSkillsInput{.type = "how-to", .limit = 3}, ListSkillsInput{.type = "other"}}) {
    EXPECT_EQ(list_skills_text(view, in, &filter).value(), json::encode(*list_skills(view, in)));
  }
  const ListSkillsInput page{
      .search = "row", .prefix = "ns-1002/", .limit = 5, .cursor = "ns-1002/s100205"};
  EXPECT_EQ(list_skills_text(view, page, &filter).value(), json::encode(*list_skills(view, page)));
}

TEST(RowFilter, R43_GivesWhatVisitingEveryRowGivesWhateverHasChanged) {
  std::vector<TestSkill> skills = rows(700, "");
  GenerationPtr generation = make_generation(skills);
  RowFilter filter;
  expect_same(filter, generation);
  std::mt19937 dice(11);
  for (int round = 0; round < 30; ++round) {
    const size_t at = dice() % skills.size();
    switch (dice() % 4) {
      case 0:
        skills.erase(skills.begin() + static_cast<std::ptrdiff_t>(at),
                     skills.begin() +
                         static_cast<std::ptrdiff_t>(std::min(skills.size(), at + dice() % 300)));
        break;
      case 1:
        skills[at].title = "Changed " + std::to_string(round);
        break;
      case 2:
        skills.push_back({.id = "new-" + std::to_string(round), .title = "Changed"});
        break;
      default:
        skills.push_back({.id = skills[at].id + "/deeper", .title = "Changed"});
    }
    if (skills.empty()) skills = rows(300, " again");
    std::sort(skills.begin(), skills.end(),
              [](const auto& a, const auto& b) { return a.id < b.id; });
    const auto twice = std::unique(skills.begin(), skills.end(),
                                   [](const auto& a, const auto& b) { return a.id == b.id; });
    skills.erase(twice, skills.end());
    generation = edited(generation, skills);
    expect_same(filter, generation);
  }
}

// The document `a` appears, so `a/index` is shown in full, without having changed itself.
TEST(RowFilter, R43_AnIdIsSearchedAsItIsShownNow) {
  RowFilter filter;
  GenerationPtr generation = make_generation({{.id = "a/index"}});
  const auto count = [&] {
    filter.follow(generation);
    return filter.candidates({.needle = "index"}, 0, generation->skills.size()).size();
  };
  const ListSkillsInput in{.search = "index"};
  EXPECT_EQ(count(), 1U);
  EXPECT_THAT(list_skills_text(View(generation, nullptr), in, &filter).value(),
              testing::HasSubstr("[]"));
  generation = edited(generation, {{.id = "a"}, {.id = "a/index"}});
  filter.follow(generation);
  EXPECT_THAT(list_skills_text(View(generation, nullptr), in, &filter).value(),
              testing::HasSubstr("\"id\":\"a/index\""));
}

TEST(RowFilter, ExcludesAlmostAllRowsThatDoNotFit) {
  RowFilter filter;
  filter.follow(make_generation(rows(2'000, "")));
  const auto count = [&](const RowFilter::Wanted& wanted) {
    return filter.candidates(wanted, 0, 2'000).size();
  };
  EXPECT_LT(count({.needle = "quicksilver"}), 20U);
  EXPECT_EQ(count({.needle = "über row"}), 2'000U);
  EXPECT_EQ(count({.needle = "ro"}), 2'000U) << "too short to exclude anything";
  EXPECT_EQ(count({.needle = "", .type = "how-to"}), 400U);
  EXPECT_EQ(count({.needle = "", .type = "reference"}), 0U);
}

TEST(RowFilter, TextIsWrittenAsTheSchemaOfTheOutputSays) {
  const View view(make_generation(rows(20, "")), nullptr);
  for (const ListSkillsInput& in :
       {ListSkillsInput{}, ListSkillsInput{.include_description = false},
        ListSkillsInput{.limit = 3}, ListSkillsInput{.prefix = "nowhere"}}) {
    EXPECT_EQ(list_skills_text(view, in, nullptr).value(), json::encode(*list_skills(view, in)));
  }
}

}  // namespace
}  // namespace iii::directory
