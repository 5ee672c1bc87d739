#include <gtest/gtest.h>

#include "search/judged_for_test.h"

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
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 500);
}

}  // namespace
}  // namespace iii::search
