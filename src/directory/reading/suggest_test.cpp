#include "directory/reading/suggest.h"

#include <gmock/gmock.h>

#include <random>

#include "directory/library/testing.h"
#include "foundation/base/text.h"

namespace iii::directory {
namespace {

// The same by the plain method: every id, every letter.

size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

// A third of the letters may be wrong, at least one.
bool is_near(std::string_view missed, std::string_view candidate) {
  const size_t allowed = std::max<size_t>(1, missed.size() / 3);
  const size_t longer = std::max(missed.size(), candidate.size());
  const size_t shorter = std::min(missed.size(), candidate.size());
  return longer - shorter <= allowed && distance(missed, candidate) <= allowed;
}

bool has_segment(std::string_view id, std::string_view segment) {
  for (size_t at = id.find(segment); at != std::string_view::npos; at = id.find(segment, at + 1)) {
    const size_t end = at + segment.size();
    if ((at == 0 || id[at - 1] == '/') && (end == id.size() || id[end] == '/')) return true;
  }
  return false;
}

// Whether `id` is near as it stands or as it may be shown. Asked before the shown form is made,
// which takes a search.
bool may_be_near(std::string_view missed, std::string_view id) {
  constexpr std::string_view kOverview = "/index";
  if (is_near(missed, id)) return true;
  return id.ends_with(kOverview) && is_near(missed, id.substr(0, id.size() - kOverview.size()));
}

// Whole ids and namespaces that look like the missed one; for typos that share no segment with
// anything.
std::vector<std::string> near_misses(const View& view, const std::string& missed) {
  std::vector<std::pair<size_t, std::string>> near;
  std::string previous;
  for (const content::SkillPtr& skill : view.generation().skills) {
    if (!may_be_near(missed, skill->id) || !view.shows(skill->id)) continue;
    std::string shown = view.display(skill->id);
    if (shown == previous || !is_near(missed, shown)) continue;
    near.emplace_back(distance(missed, shown), shown);
    previous = std::move(shown);
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string> out;
  for (size_t i = 0; i < near.size() && i < 3; ++i) out.push_back(std::move(near[i].second));
  return out;
}

std::vector<std::string> plain_skills(const View& view, std::string_view missed) {
  const std::string lower = ascii_lower(missed);
  const std::vector<std::string_view> segments = split(missed, '/');
  std::vector<std::pair<int64_t, size_t>> scored;  // (−score, place): ties stay in id order
  const auto& skills = view.generation().skills;
  for (size_t i = 0; i < skills.size(); ++i) {
    int64_t shared = 0;
    for (const std::string_view segment : segments) {
      shared += has_segment(skills[i]->id, segment) ? 1 : 0;
    }
    // Without a shared segment the score cannot be positive, so the distance need not be known.
    if (shared == 0 || !view.shows(skills[i]->id)) continue;
    const auto apart = static_cast<int64_t>(distance(lower, ascii_lower(skills[i]->id)));
    const int64_t score = 100 * shared - apart;
    if (score > 0) scored.emplace_back(-score, i);
  }
  std::sort(scored.begin(), scored.end());
  std::vector<std::string> out;
  for (size_t n = 0; n < scored.size() && n < 3; ++n) {
    out.push_back(view.display(skills[scored[n].second]->id));
  }
  return out.empty() ? near_misses(view, lower) : out;
}

std::vector<std::string> plain_prompts(const content::Generation& generation,
                                       std::string_view missed) {
  const std::string lower = ascii_lower(missed);
  std::vector<std::pair<size_t, std::string>> near;
  for (const content::PromptPtr& prompt : generation.prompts) {
    near.emplace_back(distance(lower, ascii_lower(prompt->name)), prompt->name);
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string> out;
  for (size_t i = 0; i < near.size() && i < 3; ++i) out.push_back(std::move(near[i].second));
  return out;
}

std::string word(std::mt19937& random, size_t longest) {
  std::string out;
  for (size_t n = 1 + random() % longest; n > 0; --n) out += "abcdeinrst-"[random() % 11];
  return out;
}

// Ids as repositories have them: few first segments, common ones in the middle, many overviews.
std::vector<TestSkill> random_skills(std::mt19937& random, size_t count) {
  std::vector<TestSkill> out;
  for (size_t i = 0; i < count; ++i) {
    std::string id = random() % 3 == 0 ? "plugins" : word(random, 6);
    if (random() % 2 == 0) id += "/skills";
    if (random() % 2 == 0) id += "/" + word(random, 12);
    if (random() % 8 == 0) id += "/" + word(random, 90) + "/" + word(random, 60);
    if (random() % 2 == 0) id += "/index";
    out.push_back({.id = std::move(id)});
  }
  std::ranges::sort(out, {}, &TestSkill::id);
  const auto twice = std::ranges::unique(out, {}, &TestSkill::id);
  out.erase(twice.begin(), twice.end());
  return out;
}

std::string misspelt(std::string id, std::mt19937& random) {
  for (size_t edits = random() % 4; edits > 0 && !id.empty(); --edits) {
    const size_t at = random() % id.size();
    switch (random() % 3) {
      case 0:
        id.erase(at, 1);
        break;
      case 1:
        id.insert(at, 1, 'z');
        break;
      default:
        id[at] = random() % 4 == 0 ? '/' : 'Q';
    }
  }
  return id;
}

TEST(Suggest, GivesWhatComparingEveryIdGives) {
  for (uint32_t seed = 1; seed <= 6; ++seed) {
    std::mt19937 random(seed);
    const std::vector<TestSkill> skills = random_skills(random, 1500);
    const NamesPtr installed =
        seed % 2 == 0 ? std::make_shared<const NameSet>(NameSet{"plugins", "a", "rest"}) : nullptr;
    const View view(make_generation(skills, {"ask", "review", "answer", "explain"}), installed);
    for (int round = 0; round < 150; ++round) {
      const std::string missed =
          round % 5 == 0 ? word(random, 30) : misspelt(skills[random() % skills.size()].id, random);
      ASSERT_EQ(suggest_skills(view, missed), plain_skills(view, missed)) << missed;
      ASSERT_EQ(suggest_prompts(view.generation(), missed),
                plain_prompts(view.generation(), missed))
          << missed;
    }
  }
}

TEST(Suggest, NothingForANameThatIsTooLong) {
  const std::string at_limit(kMaxSuggestedFor, 'x');
  const View view(make_generation({{at_limit.substr(1)}}, {at_limit.substr(1)}), nullptr);
  EXPECT_THAT(suggest_skills(view, at_limit), testing::ElementsAre(at_limit.substr(1)));
  EXPECT_THAT(suggest_prompts(view.generation(), at_limit),
              testing::ElementsAre(at_limit.substr(1)));
  const std::string beyond = at_limit + "x";
  EXPECT_THAT(suggest_skills(view, beyond), testing::IsEmpty());
  EXPECT_THAT(suggest_prompts(view.generation(), beyond), testing::IsEmpty());
}

TEST(Suggest, NamespacesWithAnOverviewThatContainAName) {
  const View view(make_generation({{"git-flow/index"},
                                   {"git-flow/git"},
                                   {"digit/index"},
                                   {"git"},
                                   {"other/git/index"},
                                   {"bare-git/x"}}),
                  nullptr);
  EXPECT_EQ(namespaces_like(view, "git"), (NameSet{"digit", "git-flow"}));
}

}  // namespace
}  // namespace iii::directory
