#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "directory/search/judged_for_test.h"
#include "foundation/base/text.h"

namespace iii::search {
namespace {

const JudgedSet& judged() {
  static const JudgedSet set = load_judged(std::string(III_TEST_DATA) + "/search/judged.json");
  return set;
}

const Index& functions() {
  static const Index index = index_of(function_profile(), judged().functions);
  return index;
}

const Index& skills() {
  static const Index index = index_of(skill_profile(), judged().skills);
  return index;
}

// Every document of the reference's best five, by its scores.
TEST(Judged, ScoresAgreeWithTheReference) {
  int compared = 0;
  for (const JudgedQuery& query : judged().queries) {
    for (size_t c = 0; c < query.capabilities.size(); ++c) {
      if (query.references[c].empty()) continue;
      const auto answer = find(query.skills ? skills() : functions(), query.capabilities[c],
                               {.limit = 200, .floor = false, .cut = false});
      ASSERT_TRUE(answer.has_value());
      for (const Reference& reference : query.references[c]) {
        const auto hit = std::ranges::find(answer->hits, reference.key, &Hit::key);
        ASSERT_NE(hit, answer->hits.end()) << query.id << " " << reference.key;
        EXPECT_NEAR(hit->lexical, reference.lexical, 0.002) << query.id << " " << reference.key;
        EXPECT_NEAR(std::max(hit->cosine, 0.0F), reference.cosine, 0.01)
            << query.id << " " << reference.key;
        // The reference does not know of stuffed descriptions.
        if (reference.key.starts_with("promo::")) continue;
        EXPECT_NEAR(hit->f, reference.f, 0.0036) << query.id << " " << reference.key;
        EXPECT_NEAR(hit->g, reference.g, 0.0052) << query.id << " " << reference.key;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 500);
}

// The table of tests/data/search/quality.md under this title: kind of request → cells.
std::map<std::string, std::vector<std::string>> committed(std::string_view title) {
  std::ifstream file(std::string(III_TEST_DATA) + "/search/quality.md");
  std::map<std::string, std::vector<std::string>> rows;
  bool here = false;
  for (std::string line; std::getline(file, line);) {
    if (line == title) here = true;
    if (line.starts_with("|-")) continue;
    if (!here || !line.starts_with("| ")) {
      if (!rows.empty()) break;
      continue;
    }
    std::vector<std::string> cells;
    for (const std::string_view cell : split(line, '|')) cells.emplace_back(trim(cell));
    rows[cells.at(1)] = {cells.begin() + 2, cells.end()};
  }
  rows.erase("requests");
  return rows;
}

double figure(const std::string& cell) { return cell == "-" ? 0 : std::stod(cell); }

// `3/14` is 3.
int count(const std::string& cell) { return cell == "-" ? 0 : std::stoi(cell); }

void compare(std::string_view title, const Options& options) {
  const auto table = committed(title);
  const auto reached = measure(judged(), functions(), skills(), options);
  ASSERT_EQ(table.size(), reached.size()) << title;
  for (const auto& [kind, quality] : reached) {
    ASSERT_TRUE(table.contains(kind)) << kind;
    const std::vector<std::string>& cells = table.at(kind);
    const std::vector<double> figures{quality.top1, quality.recall5, quality.recall12,
                                      quality.mrr,  quality.ndcg,    quality.covered};
    EXPECT_EQ(quality.queries, count(cells.at(0)));
    for (size_t i = 0; i < figures.size(); ++i) {
      EXPECT_GE(figures[i], figure(cells.at(i + 1)) - 0.01) << title << ": " << kind << " " << i;
    }
    EXPECT_LE(quality.answered_unfit, count(cells.at(7))) << title << ": " << kind;
    EXPECT_LE(quality.forbidden, count(cells.at(8))) << title << ": " << kind;
  }
}

// After a change that is meant: `scripts/bench search --quality` prints the tables anew.
TEST(Judged, NoFigureFallsBelowTheCommittedTable) {
  compare("quality on the judged set, floor and cut off", {.floor = false, .cut = false});
  compare("quality on the judged set, as answered", {});
}

TEST(Judged, NearestKeysAreNamedBelowTheFloor) {
  const Quality all = measure(judged(), functions(), skills(), {}).at("all");
  EXPECT_GE(all.nearest_right, 9);
  EXPECT_LE(all.nearest_unfit, 2);
}

}  // namespace
}  // namespace iii::search
