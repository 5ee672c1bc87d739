#include "directory/search/segment.h"

#include <gmock/gmock.h>

#include <random>

#include "directory/search/function_document.h"
#include "directory/search/postings.h"
#include "directory/search/skill_document.h"

namespace iii::search {
namespace {

std::vector<Posting> random_postings(std::mt19937& random, uint32_t count, uint32_t step,
                                     FieldMask bulk) {
  std::vector<Posting> postings;
  uint32_t document = 0;
  for (uint32_t i = 0; i < count; ++i) {
    document += 1 + random() % step;
    postings.push_back({.document = document,
                        .impact = static_cast<uint8_t>(1 + random() % 255),
                        .fields = random() % 3 == 0 ? bulk : static_cast<FieldMask>(1)});
  }
  return postings;
}

// Lists of every size around a block, dense and sparse.
TEST(Postings, ComeBackAsTheyWere) {
  std::mt19937 random(3);
  constexpr FieldMask kBulk = 16;
  for (const uint32_t count : {1U, 2U, 127U, 128U, 129U, 256U, 1'000U}) {
    for (const uint32_t step : {1U, 50U, 100'000U}) {
      const std::vector<Posting> postings = random_postings(random, count, step, kBulk);
      std::string bytes;
      append_lists(bytes, postings, kBulk);
      const PostingLists lists = read_lists(reinterpret_cast<const uint8_t*>(bytes.data()), kBulk);
      EXPECT_EQ(lists.count(), count);
      for (const Posting& posting : postings) {
        EXPECT_EQ(find_posting(lists, posting.document), posting);
      }
      EXPECT_EQ(find_posting(lists, postings.back().document + 6), std::nullopt);
    }
  }
}

TEST(Segment, FindsItsDocumentsAndTheirWords) {
  SegmentBuilder builder(skill_profile());
  for (int i = 0; i < 40; ++i) {
    const std::string id = "pack/skill-" + std::to_string(i);
    const std::string body = "Rotate certificates and restart services. Number " +
                             std::to_string(i) + " of many words about deployment.";
    builder.add(skill_document({.id = id,
                                .title = "Skill " + std::to_string(i),
                                .description = "Explains how to deploy a service safely.",
                                .body = body}));
  }
  const SegmentPointer made = builder.finish(builder.lengths());
  const Segment& segment = *made;
  EXPECT_EQ(segment.documents(), 40U);
  EXPECT_EQ(segment.find_key("pack/skill-7"), 7U);
  EXPECT_EQ(segment.find_key("pack/skill-x"), std::nullopt);
  ASSERT_TRUE(segment.terms.find("deploy").has_value());
  EXPECT_EQ(segment.terms.find("deplox"), std::nullopt);
  EXPECT_EQ(segment.postings(*segment.terms.find("deploy")).count(), 40U);
  const auto posting = find_posting(segment.postings(*segment.terms.find("certif")), 3);
  ASSERT_TRUE(posting.has_value());
  EXPECT_EQ(posting->fields, 1U << skill_field::kBody);
  EXPECT_EQ(find_posting(segment.postings(*segment.terms.find("deploy")), 3)->fields,
            1U << skill_field::kSentence | 1U << skill_field::kBody);
}

TEST(Segment, AnEmptyOneIsFine) {
  SegmentBuilder builder(function_profile());
  const SegmentPointer segment = builder.finish(builder.lengths());
  EXPECT_EQ(segment->documents(), 0U);
  EXPECT_EQ(segment->find_key(""), std::nullopt);
  EXPECT_EQ(segment->terms.find("x"), std::nullopt);
}

}  // namespace
}  // namespace iii::search
