#include "bus/net/client_shares.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace iii::net {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr size_t kMiB = 1024 * 1024;

TEST(ClientOfAddress, AddressesThatOneHostHasAreOneClient) {
  EXPECT_EQ(client_of_address("127.0.0.1"), client_of_address("::1"));
  EXPECT_EQ(client_of_address("127.0.0.1"), client_of_address("127.9.8.7"));
  EXPECT_EQ(client_of_address("127.0.0.1"), client_of_address("::ffff:127.0.0.1"));
  EXPECT_EQ(client_of_address("192.0.2.1"), "192.0.2.1");
  EXPECT_NE(client_of_address("192.0.2.1"), client_of_address("192.0.2.2"));
  EXPECT_EQ(client_of_address("::ffff:192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(client_of_address("2001:db8::1"), client_of_address("2001:db8:0:0:ffff::2"));
  EXPECT_NE(client_of_address("2001:db8::1"), client_of_address("2001:db8:0:1::1"));
  EXPECT_EQ(client_of_address("nonsense"), "nonsense");
}

class ClientMemoryTest : public testing::Test {
 protected:
  KeptPtr kept(const std::string& client, const std::string& name, size_t bytes) {
    KeptPtr out = memory.keep(client);
    out->on_give_up([this, name] { gone.push_back(name); });
    EXPECT_TRUE(out->resize(bytes)) << name;
    return out;
  }

  ClientMemory memory{10 * kMiB};
  std::vector<std::string> gone;
};

TEST_F(ClientMemoryTest, WhatIsKeptCountsUntilItIsGone) {
  KeptPtr a = kept("a", "1", 3 * kMiB);
  const KeptPtr b = kept("a", "2", kMiB);
  EXPECT_EQ(memory.budget().total(), 4 * kMiB);
  EXPECT_EQ(memory.held_by("a"), 4 * kMiB);
  a.reset();
  EXPECT_EQ(memory.budget().total(), kMiB);
  EXPECT_TRUE(b->resize(0));
  EXPECT_EQ(memory.budget().total(), 0U);
}

TEST_F(ClientMemoryTest, WhoHoldsMostIsRefused) {
  const KeptPtr greedy = kept("a", "greedy", 9 * kMiB);
  EXPECT_TRUE(greedy->resize(10 * kMiB)) << "at the limit";
  EXPECT_FALSE(greedy->resize(10 * kMiB + 1)) << "beyond it";
  EXPECT_EQ(greedy->bytes(), 10 * kMiB);
  EXPECT_THAT(gone, IsEmpty());
}

TEST_F(ClientMemoryTest, TheGreediestClientGivesUpItsLargestThing) {
  std::vector<KeptPtr> many;
  for (int i = 0; i < 8; ++i) many.push_back(kept("a", "small", kMiB));
  many.push_back(kept("a", "larger", kMiB + 1));
  // `b` has the larger thing, but `a` has more in all.
  const KeptPtr other = memory.keep("b");
  other->on_give_up([this] { gone.emplace_back("other"); });
  EXPECT_TRUE(other->resize(2 * kMiB));
  EXPECT_THAT(gone, ElementsAre("larger")) << "that is enough";
  EXPECT_EQ(memory.held_by("b"), 2 * kMiB);
  EXPECT_LE(memory.budget().total(), 10 * kMiB);
}

// All programs of this machine are one client.
TEST_F(ClientMemoryTest, OfOneClientTheLargestThingGoesForASmallerOne) {
  const KeptPtr hog = kept("a", "hog", 10 * kMiB);
  const KeptPtr modest = kept("a", "modest", kMiB);
  EXPECT_THAT(gone, ElementsAre("hog"));
  EXPECT_EQ(hog->bytes(), 0U) << "it is about to go";
  EXPECT_EQ(modest->bytes(), kMiB);
}

TEST_F(ClientMemoryTest, OfOneClientEqualsAreRefused) {
  const KeptPtr first = kept("a", "first", 8 * kMiB);
  const KeptPtr second = memory.keep("a");
  EXPECT_FALSE(second->resize(2 * kMiB + 1)) << "at a quarter of the first";
  EXPECT_TRUE(second->resize(2 * kMiB));
  const KeptPtr third = memory.keep("a");
  EXPECT_FALSE(third->resize(2 * kMiB));
  EXPECT_THAT(gone, IsEmpty());
  EXPECT_TRUE(third->resize(2 * kMiB - 1)) << "below a quarter of it";
  EXPECT_THAT(gone, ElementsAre("first"));
}

TEST_F(ClientMemoryTest, WhatCannotGoStaysAndIsNotExceeded) {
  const KeptPtr running = memory.keep("a");
  EXPECT_TRUE(running->resize(9 * kMiB));
  const KeptPtr more = memory.keep("a");
  EXPECT_FALSE(more->resize(2 * kMiB));
  EXPECT_EQ(memory.budget().total(), 9 * kMiB);
}

TEST_F(ClientMemoryTest, WhatLastsLeavesAQuarter) {
  const KeptPtr lasts = memory.keep("a");
  lasts->make_lasting();
  EXPECT_TRUE(lasts->resize(15 * kMiB / 2)) << "at the limit";
  EXPECT_FALSE(lasts->resize(15 * kMiB / 2 + 1)) << "beyond it";
  const KeptPtr runs = memory.keep("a");
  EXPECT_TRUE(runs->resize(5 * kMiB / 2));
  const KeptPtr other = memory.keep("b");
  other->make_lasting();
  runs->set(0);
  EXPECT_TRUE(other->resize(kMiB)) << "a has more";
}

TEST_F(ClientMemoryTest, WhatGivesUpMayEndItself) {
  KeptPtr ended = memory.keep("a");
  ended->on_give_up([&] { ended.reset(); });
  EXPECT_TRUE(ended->resize(8 * kMiB));
  const KeptPtr other = kept("b", "other", 5 * kMiB);
  EXPECT_EQ(ended, nullptr);
  EXPECT_EQ(memory.budget().total(), 5 * kMiB);
  EXPECT_EQ(memory.held_by("a"), 0U);
}

std::vector<Places::Place> take_all(Places& places, const std::string& client) {
  std::vector<Places::Place> out;
  while (Places::Place place = places.take(client)) out.push_back(std::move(place));
  return out;
}

TEST(Places, OneClientGetsHalfTheNextHalfOfTheRest) {
  Places places(1'024);
  const auto first = take_all(places, "a");
  const auto second = take_all(places, "b");
  EXPECT_EQ(first.size(), 512U);
  EXPECT_EQ(second.size(), 256U);
  EXPECT_NE(places.take("c"), nullptr);
  EXPECT_EQ(places.taken(), 768U);
}

TEST(Places, AFewAreThereForEverybodyAsLongAsOneIsFree) {
  Places places(20);
  const auto first = take_all(places, "a");
  EXPECT_EQ(first.size(), 10U);
  const auto second = take_all(places, "b");
  EXPECT_EQ(second.size(), Places::kFew);
  EXPECT_EQ(take_all(places, "c").size(), 2U);
}

TEST(Places, APlaceIsFreeAgainWhenItIsGone) {
  auto places = std::make_unique<Places>(1);
  Places::Place place = places->take("a");
  EXPECT_EQ(places->take("b"), nullptr);
  place.reset();
  EXPECT_EQ(places->taken(), 0U);
  EXPECT_EQ(places->of("a"), 0U);
  place = places->take("b");
  places.reset();
  place.reset();
}

TEST(Places, OnlyWhoHasMoreGivesWay) {
  Places places(4);
  EXPECT_EQ(places.from_whom("a"), "a");
  std::vector<Places::Place> all;
  for (const char* client : {"a", "a", "a", "b"}) all.push_back(places.take(client));
  EXPECT_EQ(places.from_whom("c"), "a");
  EXPECT_EQ(places.from_whom("b"), "a");
  EXPECT_EQ(places.from_whom("a"), "a");
  all.erase(all.begin(), all.begin() + 2);
  EXPECT_EQ(places.from_whom("c"), "c") << "everybody has one";
}

TEST(Places, WhoHasItsShareGivesWayItself) {
  Places places(32);
  const auto first = take_all(places, "a");
  const auto second = take_all(places, "b");
  EXPECT_EQ(second.size(), Places::kFew);
  EXPECT_EQ(places.from_whom("b"), "b");
}

}  // namespace
}  // namespace iii::net
