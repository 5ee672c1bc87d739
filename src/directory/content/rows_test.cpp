#include "directory/content/rows.h"

#include <gmock/gmock.h>

#include <random>
#include <string>

namespace iii::content {
namespace {

static_assert(std::random_access_iterator<Rows<int>::Iterator>);

std::vector<int> all(const Rows<int>& rows) { return {rows.begin(), rows.end()}; }

TEST(Rows, BehaveLikeAVector) {
  std::mt19937 random(3);
  Rows<int> rows;
  std::vector<int> plain;
  for (int step = 0; step < 6000; ++step) {
    const int value = static_cast<int>(random() % 1000);
    const size_t place = random() % (plain.size() + 1);
    const auto at = plain.begin() + static_cast<std::ptrdiff_t>(place);
    const uint32_t what = random() % 8;
    if (what < 5 || place == plain.size()) {
      rows.insert(place, value);
      plain.insert(at, value);
    } else if (what == 5) {
      rows.set(place, value);
      *at = value;
    } else {
      rows.erase(place);
      plain.erase(at);
    }
    ASSERT_EQ(rows.size(), plain.size());
    if (step % 100 == 0) {
      ASSERT_EQ(all(rows), plain);
      ASSERT_EQ(
          std::vector<int>(std::reverse_iterator(rows.end()), std::reverse_iterator(rows.begin())),
          std::vector<int>(plain.rbegin(), plain.rend()));
      for (size_t i = 0; i < plain.size(); i += 7) ASSERT_EQ(rows[i], plain[i]);
      for (const auto& chunk : rows.chunks()) ASSERT_LE(chunk->size(), Rows<int>::kMaxChunk);
    }
  }
  EXPECT_EQ(all(Rows<int>(plain)), plain);
  while (!plain.empty()) {
    rows.erase(plain.size() - 1);
    plain.pop_back();
  }
  EXPECT_TRUE(rows.empty());
  EXPECT_TRUE(rows.begin() == rows.end());
}

TEST(Rows, AreSearchedLikeAVector) {
  Rows<int> rows;
  for (int i = 0; i < 3000; ++i) rows.push_back(2 * i);
  EXPECT_EQ(rows.chunks().size(), 6U) << "full chunks";
  for (const int wanted : {-1, 0, 1, 1022, 1023, 1024, 5998, 5999}) {
    const auto at = std::ranges::lower_bound(rows, wanted);
    EXPECT_EQ(at - rows.begin(), std::min(3000, (wanted + 1) / 2)) << wanted;
  }
  EXPECT_EQ(rows.end() - rows.begin(), 3000);
}

TEST(Rows, ACopySharesAllChunksButTheChangedOne) {
  Rows<int> before;
  for (int i = 0; i < 3000; ++i) before.push_back(i);
  Rows<int> after = before;
  after.set(1000, -1);
  size_t shared = 0;
  for (size_t i = 0; i < before.chunks().size(); ++i) {
    shared += before.chunks()[i] == after.chunks()[i] ? 1 : 0;
  }
  EXPECT_EQ(shared, before.chunks().size() - 1);
  EXPECT_EQ(before[1000], 1000);
  EXPECT_EQ(after[1000], -1);
  after.erase(0);
  after.insert(2999, 7);
  EXPECT_EQ(before[0], 0);
  EXPECT_EQ(before.size(), 3000U);
}

}  // namespace
}  // namespace iii::content
