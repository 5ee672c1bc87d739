#include "bus/sdk/backoff.h"

#include <gtest/gtest.h>

#include "bus/sdk/outbox.h"

namespace iii::sdk {
namespace {

TEST(Backoff, DoublesFromOneSecondToThirty) {
  Backoff backoff({}, [] { return 0.0; });
  for (const int64_t ms : {1'000, 2'000, 4'000, 8'000, 16'000, 30'000, 30'000}) {
    EXPECT_EQ(backoff.next(), Millis(ms));
  }
  backoff.reset();
  EXPECT_EQ(backoff.next(), Millis(1'000));
}

TEST(Backoff, JitterIsAtMostThirtyPercentEitherWay) {
  Backoff low({}, [] { return -1.0; });
  Backoff high({}, [] { return 0.999999; });
  EXPECT_EQ(low.next(), Millis(700));
  EXPECT_EQ(high.next(), Millis(1'299));
  for (int i = 0; i < 5'000; ++i) high.next();
  EXPECT_EQ(high.next(), Millis(38'999));
}

TEST(Backoff, APortThatRefusesIsTriedEverySecondAndDoesNotMakePausesLonger) {
  Backoff backoff({}, [] { return 0.0; });
  EXPECT_EQ(backoff.next(), Millis(1'000));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(backoff.refused(), Millis(1'000));
  EXPECT_EQ(backoff.next(), Millis(2'000));
}

TEST(Outbox, KeepsOrderAndRefusesWhatDoesNotFit) {
  Outbox outbox(10);
  EXPECT_TRUE(outbox.push({.call = {}, .text = "12345"}));
  EXPECT_FALSE(outbox.push({.call = {}, .text = "123456"}));
  EXPECT_TRUE(outbox.push({.call = {}, .text = "67890"}));
  EXPECT_FALSE(outbox.push({.call = {}, .text = "x"}));
  EXPECT_EQ(outbox.pop()->text, "12345");
  EXPECT_EQ(outbox.bytes(), 5u);
  EXPECT_EQ(outbox.pop()->text, "67890");
  EXPECT_FALSE(outbox.pop());
  EXPECT_EQ(outbox.bytes(), 0u);
}

}  // namespace
}  // namespace iii::sdk
