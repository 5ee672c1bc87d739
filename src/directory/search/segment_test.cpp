#include "directory/search/segment.h"

#include <gmock/gmock.h>

#include <cstring>
#include <random>

#include "directory/search/function_document.h"
#include "directory/search/index.h"
#include "directory/search/postings.h"
#include "directory/search/segment_format.h"
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

// Lists of every size around a block, dense and sparse: what is written is read, found and checked.
TEST(Postings, ComeBackAsTheyWere) {
  std::mt19937 random(3);
  constexpr FieldMask kBulk = 16;
  for (const uint32_t count : {1U, 2U, 127U, 128U, 129U, 256U, 1'000U}) {
    for (const uint32_t step : {1U, 50U, 100'000U}) {
      const std::vector<Posting> postings = random_postings(random, count, step, kBulk);
      const uint32_t documents = postings.back().document + 1;
      std::string bytes;
      append_lists(bytes, postings, kBulk);
      ASSERT_TRUE(check_lists(bytes, documents));
      EXPECT_FALSE(check_lists(bytes, documents - 1));
      EXPECT_FALSE(check_lists(std::string_view(bytes).substr(0, bytes.size() - 1), documents));
      EXPECT_FALSE(check_lists(bytes + "x", documents));
      const PostingLists lists = read_lists(reinterpret_cast<const uint8_t*>(bytes.data()), kBulk);
      EXPECT_EQ(lists.count(), count);
      for (const Posting& posting : postings) {
        EXPECT_EQ(find_posting(lists, posting.document), posting);
      }
      EXPECT_EQ(find_posting(lists, documents + 5), std::nullopt);
    }
  }
}

SegmentPointer sample() {
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
  return builder.finish();
}

// A copy that is aligned and can be damaged.
struct Copy {
  explicit Copy(std::string_view bytes) : words((bytes.size() + 7) / 8), size(bytes.size()) {
    std::memcpy(words.data(), bytes.data(), size);
  }
  char* data() { return reinterpret_cast<char*>(words.data()); }
  SharedBytes shared() { return {.owner = nullptr, .bytes = {data(), size}}; }
  SegmentHeader& header() { return *reinterpret_cast<SegmentHeader*>(data()); }
  void seal() {
    header().checksum =
        segment_checksum(std::string_view(data(), size).substr(sizeof(SegmentHeader)));
  }

  std::vector<uint64_t> words;
  size_t size;
};

TEST(Segment, OpensWhatWasBuilt) {
  const SegmentPointer built = sample();
  Copy copy(built->bytes());
  const auto opened = Segment::open(copy.shared(), skill_profile());
  ASSERT_TRUE(opened.has_value()) << opened.error().message;
  const Segment& segment = **opened;
  EXPECT_EQ(segment.documents(), 40U);
  EXPECT_EQ(segment.find_key("pack/skill-7"), 7U);
  EXPECT_EQ(segment.find_key("pack/skill-x"), std::nullopt);
  ASSERT_TRUE(segment.find_term("deploy").has_value());
  EXPECT_EQ(segment.postings(*segment.find_term("deploy")).count(), 40U);
  const auto posting = find_posting(segment.postings(*segment.find_term("certif")), 3);
  ASSERT_TRUE(posting.has_value());
  EXPECT_EQ(posting->fields, 1U << skill_field::kBody);
  EXPECT_EQ(find_posting(segment.postings(*segment.find_term("deploy")), 3)->fields,
            1U << skill_field::kSentence | 1U << skill_field::kBody);
}

TEST(Segment, IsTheSameEveryTime) { EXPECT_EQ(sample()->bytes(), sample()->bytes()); }

TEST(Segment, AnEmptyOneIsFine) {
  SegmentBuilder builder(function_profile());
  const SegmentPointer segment = builder.finish();
  Copy copy(segment->bytes());
  EXPECT_TRUE(Segment::open(copy.shared(), function_profile()).has_value());
}

TEST(Segment, RefusesEveryChangedByte) {
  const SegmentPointer built = sample();
  std::mt19937 random(5);
  for (int i = 0; i < 500; ++i) {
    Copy copy(built->bytes());
    const size_t at = i < 200 ? static_cast<size_t>(i) : random() % copy.size;
    copy.data()[at] = static_cast<char>(copy.data()[at] ^ (1 << random() % 8));
    if (at >= offsetof(SegmentHeader, measured) && at < sizeof(SegmentHeader)) continue;
    EXPECT_FALSE(Segment::open(copy.shared(), skill_profile()).has_value()) << at;
  }
}

TEST(Segment, RefusesOtherVersionsAndProfilesAndSizes) {
  const SegmentPointer built = sample();
  Copy copy(built->bytes());
  EXPECT_FALSE(Segment::open(copy.shared(), function_profile()).has_value());
  copy.header().version += 1;
  EXPECT_FALSE(Segment::open(copy.shared(), skill_profile()).has_value());
  Copy cut(built->bytes().substr(0, built->bytes().size() - 1));
  EXPECT_FALSE(Segment::open(cut.shared(), skill_profile()).has_value());
  Copy none(built->bytes().substr(0, 10));
  EXPECT_FALSE(Segment::open(none.shared(), skill_profile()).has_value());
}

// With a right checksum, too: a buffer that contradicts itself is never used.
TEST(Segment, ChangesWithARightChecksumNeverLeaveTheBuffer) {
  const SegmentPointer built = sample();
  std::mt19937 random(11);
  int refused = 0;
  for (int i = 0; i < 1'000; ++i) {
    Copy copy(built->bytes());
    for (int n = 0; n < 3; ++n) {
      const size_t at = offsetof(SegmentHeader, documents) +
                        random() % (copy.size - offsetof(SegmentHeader, documents));
      copy.data()[at] = static_cast<char>(random());
    }
    copy.seal();
    const auto opened = Segment::open(copy.shared(), skill_profile());
    if (!opened) {
      ++refused;
      continue;
    }
    const Segment& segment = **opened;
    for (TermNumber t = 0; t < segment.terms(); ++t) {
      const PostingLists lists = segment.postings(t);
      for (const PostingList& list : {lists.main, lists.bulk}) {
        for_each_block(list, [&](auto documents, auto, const uint8_t*) {
          for (const DocumentNumber d : documents) ASSERT_LT(d, segment.documents());
        });
      }
    }
  }
  EXPECT_GT(refused, 200);
}

}  // namespace
}  // namespace iii::search
