#include "bus/net/wrong_tokens.h"

#include <gmock/gmock.h>

#include <vector>

#include "foundation/base/fake_timers.h"

namespace iii::net {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;

class WrongTokensTest : public testing::Test {
 protected:
  // How long the answer takes.
  int64_t refused_after(const std::string& address = "192.0.2.1") {
    const auto begin = timers.now();
    bool answered = false;
    tokens.refuse(address, [&] { answered = true; });
    while (!answered) timers.advance(Millis(1));
    return std::chrono::duration_cast<Millis>(timers.now() - begin).count();
  }
  void use_up_free(const std::string& address = "192.0.2.1") {
    for (int i = 0; i < 3; ++i) ASSERT_EQ(refused_after(address), 0);
  }

  FakeTimers timers;
  WrongTokens tokens{timers,
                     {.free = 3,
                      .first_delay = Millis(100),
                      .longest_delay = Millis(350),
                      .memory = seconds(60),
                      .max_addresses = 4,
                      .max_waiting = 2}};
};

TEST_F(WrongTokensTest, TheDelayDoublesUpToALimit) {
  std::vector<int64_t> delays;
  for (int i = 0; i < 7; ++i) delays.push_back(refused_after());
  EXPECT_THAT(delays, ElementsAre(0, 0, 0, 100, 200, 350, 350));
  EXPECT_EQ(refused_after("192.0.2.2"), 0) << "another address";
}

TEST_F(WrongTokensTest, TheyAreForgottenAfterAWhile) {
  use_up_free();
  timers.advance(seconds(60) - Millis(1));
  EXPECT_EQ(refused_after(), 100);
  timers.advance(seconds(60));
  EXPECT_EQ(refused_after(), 0);
}

TEST_F(WrongTokensTest, OneIPv6NetworkIsOneAddress) {
  use_up_free("2001:db8::1");
  EXPECT_EQ(refused_after("2001:db8::ffff:2"), 100);
  EXPECT_EQ(refused_after("2001:db8:0:1::1"), 0);
}

TEST_F(WrongTokensTest, ManyAddressesDoNotFillTheMemory) {
  for (int i = 0; i < 100; ++i) tokens.refuse("a" + std::to_string(i), [] {});
  EXPECT_EQ(tokens.addresses(), 4U);
  timers.advance(seconds(1));
  EXPECT_GT(refused_after("another"), 0) << "they share one place";
  timers.advance(seconds(60));
  EXPECT_EQ(refused_after("another"), 0);
  EXPECT_EQ(tokens.addresses(), 1U);
}

TEST_F(WrongTokensTest, OnlySoManyAnswersWait) {
  use_up_free();
  int answered = 0;
  for (int i = 0; i < 5; ++i) tokens.refuse("192.0.2.1", [&] { ++answered; });
  EXPECT_EQ(tokens.waiting(), 2U);
  EXPECT_EQ(answered, 3);
  timers.advance(Millis(350));
  EXPECT_EQ(answered, 5);
  EXPECT_EQ(tokens.waiting(), 0U);
}

TEST_F(WrongTokensTest, MayBeGoneBeforeItsAnswers) {
  bool answered = false;
  {
    WrongTokens other(timers, {.free = 0});
    other.refuse("x", [&] { answered = true; });
  }
  timers.advance(seconds(5));
  EXPECT_TRUE(answered);
}

}  // namespace
}  // namespace iii::net
