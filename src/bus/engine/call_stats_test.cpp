#include "bus/engine/call_stats.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>

namespace iii::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Each;

class CallStatsTest : public testing::Test {
 protected:
  std::shared_ptr<CallRecord> function(const std::string& id) {
    return std::make_shared<CallRecord>("default", id);
  }
  // A call of 2 ms that ends now.
  void call(const std::shared_ptr<CallRecord>& record, std::string_view error = "") {
    stats.answered(record, now - milliseconds(2), now, error);
  }

  SteadyTime now{seconds(1'000)};
  CallStats stats{now};
};

TEST_F(CallStatsTest, SecondsThatAreOverAreTold) {
  const auto f = function("f");
  call(f);
  call(f, "broken");
  now += seconds(1);
  call(f);  // in the second that is not over
  const auto told = stats.seconds(now + milliseconds(250), 50'250, 300);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].at, 49'000);
  EXPECT_EQ(told[0].calls, 2U);
  EXPECT_EQ(told[0].errors, 1U);
  ASSERT_TRUE(told[0].p50_ms);
  EXPECT_NEAR(*told[0].p50_ms, 2, 0.6);
  EXPECT_EQ(stats.calls(), 3U);
  EXPECT_EQ(stats.errors(), 1U);
}

TEST_F(CallStatsTest, IdleSecondsAreZeroAndOldOnesAreForgotten) {
  const auto f = function("f");
  call(f);
  now += seconds(3);
  auto told = stats.seconds(now, 0, 300);
  ASSERT_EQ(told.size(), 3U);
  EXPECT_EQ(told[0].calls, 1U);
  EXPECT_EQ(told[1].calls, 0U);
  EXPECT_FALSE(told[2].p50_ms);
  now += seconds(100'000);
  told = stats.seconds(now, 0, 1'000);
  ASSERT_EQ(told.size(), CallStats::kSeconds);
  for (const SecondOfCalls& second : told) EXPECT_EQ(second.calls, 0U);
  EXPECT_EQ(stats.calls(), 1U);
}

TEST_F(CallStatsTest, PointsAndRateOfAFunction) {
  const auto f = function("f");
  now += seconds(100);
  for (int second = 0; second < 5; ++second, now += seconds(1)) {
    for (int i = 0; i < 10; ++i) call(f);
  }
  auto points = f->detail->points(stats.second(now));
  EXPECT_EQ(points[CallDetail::kPoints - 1], 10U);
  EXPECT_EQ(points[CallDetail::kPoints - 5], 10U);
  EXPECT_EQ(points[CallDetail::kPoints - 6], 0U);
  EXPECT_DOUBLE_EQ(f->detail->rate(stats.second(now)), 5.0);
  now += seconds(3);
  points = f->detail->points(stats.second(now));
  EXPECT_EQ(points[CallDetail::kPoints - 3], 0U);
  EXPECT_EQ(points[CallDetail::kPoints - 4], 10U);
  now += seconds(70);  // more than the ring holds
  EXPECT_THAT(f->detail->points(stats.second(now)), Each(0U));
  call(f);
  EXPECT_THAT(f->detail->points(stats.second(now)), Each(0U));
  EXPECT_EQ(f->detail->points(stats.second(now + seconds(1)))[CallDetail::kPoints - 1], 1U);
}

TEST_F(CallStatsTest, OldCallsFadeButAFewAreKept) {
  const auto f = function("f");
  for (int i = 0; i < 1'000; ++i) stats.answered(f, now - seconds(1), now, "slow");
  now += seconds(60);
  for (int i = 0; i < 200; ++i) call(f);
  EXPECT_LT(f->detail->recent().quantile(0.5), milliseconds(3));
  EXPECT_LT(f->detail->error_rate(), 0.3);
  now += seconds(10'000);
  call(f);
  EXPECT_GT(f->detail->recent().count(), 10U);
  EXPECT_EQ(f->detail->latencies().count(), 1'201U);
}

TEST_F(CallStatsTest, ErrorCodesAreLimited) {
  const auto f = function("f");
  for (int i = 0; i < 1'000; ++i) call(f, "code_" + std::to_string(i));
  call(f, std::string(100'000, 'x'));
  stats.refused(nullptr, "function_not_found", now);
  const auto codes = stats.errors_by_code();
  EXPECT_LE(codes.size(), CallStats::kMostCodes);
  uint64_t sum = 0;
  for (const auto& [code, count] : codes) {
    EXPECT_LE(code.size(), CallStats::kMostCodeBytes);
    sum += count;
  }
  EXPECT_EQ(sum, 1'002U);
  EXPECT_THAT(codes, testing::Contains(testing::Pair("function_not_found", 1U)));
  EXPECT_EQ(f->errors, 1'001U);
}

TEST_F(CallStatsTest, MeasuresALimitedNumberOfFunctions) {
  std::vector<std::shared_ptr<CallRecord>> functions;
  for (size_t i = 0; i < CallStats::kMostMeasured + 10; ++i) {
    functions.push_back(function("f" + std::to_string(i)));
    call(functions.back());
  }
  EXPECT_EQ(stats.measured().size(), CallStats::kMostMeasured);
  const auto late = functions.back();
  EXPECT_EQ(late->detail, nullptr);
  EXPECT_EQ(late->calls, 1U);  // counted all the same
  stats.forget(*functions.front());
  call(late);
  EXPECT_NE(late->detail, nullptr);
}

TEST_F(CallStatsTest, LongIdsAreCountedButNotMeasured) {
  const auto f = function(std::string(CallStats::kMostIdBytes, 'x'));
  call(f, "broken");
  EXPECT_EQ(f->calls, 1U);
  EXPECT_EQ(f->errors, 1U);
  EXPECT_TRUE(stats.measured().empty());
  EXPECT_EQ(stats.calls(), 1U);
}

TEST_F(CallStatsTest, WhatIsForgottenIsNotMeasuredAgain) {
  const auto f = function("f");
  const auto g = function("g");
  call(f);
  call(g);
  stats.forget(*f);
  call(f);  // answered after its function has gone
  EXPECT_EQ(f->detail, nullptr);
  ASSERT_EQ(stats.measured().size(), 1U);
  EXPECT_EQ(stats.measured()[0]->id, "g");
  EXPECT_EQ(stats.calls(), 3U);
}

}  // namespace
}  // namespace iii::engine
