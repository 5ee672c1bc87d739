#include "directory/search/index.h"

#include <gmock/gmock.h>

#include <map>
#include <random>

#include "directory/search/find.h"
#include "directory/search/index_state.h"
#include "directory/search/judged_for_test.h"
#include "directory/search/skill_document.h"

namespace iii::search {
namespace {

Document skill(std::string_view id, std::string_view title, std::string_view description) {
  return skill_document({.id = id, .title = title, .description = description, .body = ""});
}

std::vector<std::string> keys(const Index& index, std::string_view query) {
  const auto answer = find(index, query, {.limit = 100, .floor = false, .cut = false});
  std::vector<std::string> found;
  if (!answer) return found;
  for (const Hit& hit : answer->hits) found.push_back(hit.key);
  return found;
}

TEST(Index, AnEmptyOneFindsNothing) {
  const Index index(skill_profile());
  const auto answer = find(index, "anything at all");
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->kind, Answer::Kind::kNothing);
  EXPECT_EQ(index.documents(), 0U);
  EXPECT_FALSE(index.outgrown());
}

TEST(Index, ChangesAreSeenAtOnceAndOldReadersKeepTheirs) {
  const Index before = Index(skill_profile())
                           .apply({.put = {skill("a", "Zebra", "Ride a zebra in the savanna."),
                                           skill("b", "Train", "Take the train to the coast.")}});
  const Index after = before.apply(
      {.put = {skill("a", "Boat", "Row a boat over the lake.")}, .removed = {"b", "unknown"}});
  EXPECT_THAT(keys(before, "zebra"), testing::Contains("a"));
  EXPECT_THAT(keys(after, "rowing boat"), testing::ElementsAre("a"));
  EXPECT_THAT(keys(after, "zebra"), testing::Not(testing::Contains("b")));
  EXPECT_EQ(before.documents(), 2U);
  EXPECT_EQ(after.documents(), 1U);
  EXPECT_TRUE(after.contains("a"));
  EXPECT_FALSE(after.contains("b"));
}

TEST(Index, OfCopiesOnlyTheFirstIsFound) {
  const auto copy = [](std::string_view id) {
    return skill(id, "Zebra care", "How to look after a zebra every day.");
  };
  Index index = Index(skill_profile()).apply({.put = {copy("m"), copy("c")}});
  EXPECT_THAT(keys(index, "zebra care"), testing::ElementsAre("c"));
  index = index.apply({.put = {copy("a")}});
  EXPECT_THAT(keys(index, "zebra care"), testing::ElementsAre("a"));
  EXPECT_EQ(index.documents(), 1U);
  index = index.apply({.removed = {"a"}});
  EXPECT_THAT(keys(index, "zebra care"), testing::ElementsAre("c"));
  // A new version that is no copy any more.
  index = index.apply({.put = {skill("c", "Horse care", "How to look after a horse.")}});
  EXPECT_THAT(keys(index, "zebra"), testing::Contains("m"));
  EXPECT_EQ(index.documents(), 2U);
}

TEST(Index, AfterManyChangesAnswersAsANewOne) {
  std::mt19937 random(17);
  const std::vector<std::string_view> words{"zebra", "train",  "boat",   "parcel", "invoice",
                                            "cloud", "letter", "camera", "garden", "piano"};
  const auto word = [&] { return std::string(words[random() % words.size()]); };
  Index index(skill_profile());
  std::map<std::string, Document> expected;
  for (int round = 0; round < 60; ++round) {
    Changes changes;
    for (int i = 0; i < 4; ++i) {
      const std::string id = "s" + std::to_string(random() % 60);
      if (random() % 4 == 0) {
        changes.removed.push_back(id);
        expected.erase(id);
      }
    }
    for (int i = 0; i < 3; ++i) {
      const std::string id = "s" + std::to_string(random() % 60);
      Document document = skill(id, word() + " " + word(), "About a " + word() + " and " + word());
      expected[id] = document;
      changes.put.push_back(std::move(document));
    }
    index = index.apply(changes);
    // What can be found is what a new index of the same documents finds.
    std::vector<Document> documents;
    for (const auto& [id, document] : expected) documents.push_back(document);
    const Index fresh = index_of(skill_profile(), documents);
    ASSERT_EQ(index.documents(), fresh.documents());
    for (const std::string_view query : words) {
      ASSERT_THAT(keys(index, query), testing::UnorderedElementsAreArray(keys(fresh, query)));
    }
  }
}

// Built in two parts, it answers as if it had been built in one.
TEST(Index, OfSeveralSegmentsAnswersAsOneOfOne) {
  std::vector<Document> documents;
  for (int i = 0; i < 60; ++i) {
    const std::string number = std::to_string(i);
    documents.push_back(skill("s" + number, "Zebra " + number,
                              "Ride zebra " + number + (i % 3 == 0 ? " by train." : " by boat.")));
  }
  SegmentBuilder odd(skill_profile());
  SegmentBuilder even(skill_profile());
  for (size_t i = 0; i < documents.size(); ++i) (i % 2 == 0 ? even : odd).add(documents[i]);
  const FieldLengths lengths = odd.lengths() + even.lengths();
  const std::vector<SegmentPointer> segments{odd.finish(lengths), even.finish(lengths)};
  const Index two(skill_profile(), lengths, segments);
  const Index one = index_of(skill_profile(), documents);
  EXPECT_EQ(two.documents(), one.documents());
  for (const std::string_view query : {"zebra by train", "ride a boat", "zebra 17", "traim"}) {
    EXPECT_EQ(keys(two, query), keys(one, query)) << query;
  }
}

TEST(Index, SaysWhenItHasOutgrownItsMeans) {
  Index index = Index(skill_profile()).apply({.put = {skill("a", "A zebra", "Zebra text.")}});
  EXPECT_FALSE(index.outgrown());
  Changes many;
  for (int i = 0; i < 100; ++i) {
    const std::string id = "n" + std::to_string(i);
    many.put.push_back(skill(id, id, "Description number " + id));
  }
  EXPECT_TRUE(index.apply(many).outgrown());
}

}  // namespace
}  // namespace iii::search
