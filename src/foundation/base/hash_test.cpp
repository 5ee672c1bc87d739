#include "foundation/base/hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "foundation/base/uuid.h"

namespace iii {
namespace {

// What Python 3.11 gives with PYTHONHASHSEED=0, which is SipHash-1-3 with a key of zeros.
TEST(KeyedHash, IsSipHash13) {
  EXPECT_EQ(keyed_hash({}, "a"), 0x407448d2b89b1813ULL);
  EXPECT_EQ(keyed_hash({}, "abcdefg"), 0x6db12aae9070f506ULL);
  EXPECT_EQ(keyed_hash({}, "abcdefgh"), 0x3f7b849c0b8e35eaULL);
  EXPECT_EQ(keyed_hash({}, "0123456789abcdef"), 0x1d42b30f7e060c24ULL);
  EXPECT_EQ(keyed_hash({}, "the quick brown fox"), 0x5a17575ad3449cbaULL);
  EXPECT_EQ(keyed_hash({}, 0x3736353433323130ULL, 0x6665646362613938ULL), 0x1d42b30f7e060c24ULL);
  EXPECT_EQ(keyed_hash({}, std::string_view()), keyed_hash({}, ""));
}

constexpr size_t kBuckets = 1'024;

template <typename Hashes>
size_t fullest_bucket(const Hashes& hashes) {
  std::vector<size_t> buckets(kBuckets);
  for (const size_t hash : hashes) ++buckets[hash % kBuckets];
  return std::ranges::max(buckets);
}

// Ids that all gave one value of the hash this program had before it was keyed:
// mix(high ^ (low + constant)). Anyone could compute such ids.
TEST(UuidHash, IdsComputedToCollideDoNot) {
  constexpr size_t kIds = 65'536;
  std::vector<size_t> hashes;
  for (uint64_t i = 0; i < kIds; ++i) {
    const uint64_t low = i * 0x1234567890abcdefULL;
    hashes.push_back(UuidHash{}(Uuid{low + 0x9e3779b97f4a7c15ULL, low}));
  }
  EXPECT_EQ(std::set(hashes.begin(), hashes.end()).size(), kIds);
  // 64 on average; three times that has a chance below 10^-30 with any key.
  EXPECT_LT(fullest_bucket(hashes), 3 * kIds / kBuckets);
}

// A peer that knew the key of one process learns nothing about another one.
TEST(TextHash, TextsComputedToCollideUnderAnotherKeyDoNot) {
  std::vector<size_t> hashes;
  for (int i = 0; hashes.size() < 500; ++i) {
    const std::string text = "state::key-" + std::to_string(i);
    if (keyed_hash({}, text) % kBuckets == 0) hashes.push_back(TextHash{}(text));
  }
  EXPECT_LT(fullest_bucket(hashes), 20U);
}

TEST(TextHash, IsTheSameThroughoutTheProcess) {
  EXPECT_EQ(TextHash{}("text"), TextHash{}(std::string("text")));
  EXPECT_NE(process_hash_key().first, 0U);
}

}  // namespace
}  // namespace iii
