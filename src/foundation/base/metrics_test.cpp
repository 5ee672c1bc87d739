#include "foundation/base/metrics.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace iii {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;

TEST(LatencyHistogram, NothingRecorded) {
  const LatencyHistogram empty;
  EXPECT_EQ(empty.count(), 0U);
  EXPECT_EQ(empty.quantile(0.99), microseconds(0));
}

TEST(LatencyHistogram, QuantilesAreWithinABucketOfTheTruth) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> durations(6, 2);
  std::vector<double> values;
  LatencyHistogram histogram;
  for (int i = 0; i < 20'000; ++i) {
    values.push_back(std::min(durations(random), 60e6));
    histogram.record(static_cast<uint64_t>(values.back()));
  }
  std::ranges::sort(values);
  for (const double q : {0.01, 0.5, 0.9, 0.99, 0.999}) {
    const double truth = values[static_cast<size_t>(q * double(values.size())) - 1];
    const auto told = static_cast<double>(histogram.quantile(q).count());
    EXPECT_GE(told * 1.001, truth) << q;
    EXPECT_LE(told, truth * 1.26 + 1) << q;
  }
}

TEST(LatencyHistogram, FadesByHalves) {
  LatencyHistogram histogram;
  for (int i = 0; i < 100; ++i) histogram.record(10);
  histogram.record(1'000'000);
  histogram.halve();
  EXPECT_EQ(histogram.count(), 50U);
  EXPECT_LE(histogram.quantile(1), microseconds(12));
}

TEST(LatencyTotals, ExtremesAreCounted) {
  LatencyTotals totals;
  totals.record(whole_microseconds(nanoseconds(-5)));
  totals.record(whole_microseconds(nanoseconds(999)));
  totals.record(whole_microseconds(std::chrono::hours(24)));
  EXPECT_EQ(totals.count(), 3U);
  EXPECT_EQ(totals.up_to(0), 2U);
  EXPECT_EQ(totals.up_to(LatencyTotals::kEnds.size() - 1), 2U);
  EXPECT_EQ(totals.sum_us(), 86'400'000'000U);
}

TEST(LatencyTotals, EveryValueIsBelowTheEndOfItsBucket) {
  for (size_t i = 0; i < LatencyTotals::kEnds.size(); ++i) {
    const uint64_t end = LatencyTotals::kEnds[i];
    LatencyTotals totals;
    totals.record(end - 1);
    totals.record(end);
    EXPECT_EQ(totals.up_to(i), 1U) << end;
    EXPECT_EQ(totals.up_to(i + 1), 2U) << end;
  }
}

TEST(LatencyTotals, AddsUp) {
  LatencyTotals a;
  LatencyTotals b;
  a.record(3);
  b.record(300);
  a.add(b);
  EXPECT_EQ(a.count(), 2U);
  EXPECT_EQ(a.sum_us(), 303U);
  EXPECT_EQ(a.up_to(0), 1U);
}

TEST(MetricsText, WritesThePrometheusFormat) {
  MetricsText out;
  out.family("iii_connections", "gauge", "Open connections.");
  out.sample(uint64_t{3});
  out.family("iii_calls_total", "counter", "Calls by function.");
  out.sample(uint64_t{7}, {{"function", "a::b"}, {"code", "x\"y\\z\n"}});
  EXPECT_EQ(out.text(),
            "# HELP iii_connections Open connections.\n"
            "# TYPE iii_connections gauge\n"
            "iii_connections 3\n"
            "# HELP iii_calls_total Calls by function.\n"
            "# TYPE iii_calls_total counter\n"
            "iii_calls_total{function=\"a::b\",code=\"x\\\"y\\\\z\\n\"} 7\n");
}

TEST(MetricsText, HistogramsAreCumulative) {
  LatencyTotals values;
  values.record(100);
  values.record(1'000);
  values.record(100'000'000);
  MetricsText out;
  out.family("iii_seconds", "histogram", "Time.");
  out.histogram(values, {{"function", "f"}});
  EXPECT_THAT(out.text(),
              testing::HasSubstr("iii_seconds_bucket{function=\"f\",le=\"0.000128\"} 1\n"));
  EXPECT_THAT(out.text(),
              testing::HasSubstr("iii_seconds_bucket{function=\"f\",le=\"0.002048\"} 2\n"));
  EXPECT_THAT(out.text(), testing::HasSubstr("iii_seconds_bucket{function=\"f\",le=\"+Inf\"} 3\n"));
  EXPECT_THAT(out.text(), testing::HasSubstr("iii_seconds_sum{function=\"f\"} 100.0011\n"));
  EXPECT_THAT(out.text(), testing::HasSubstr("iii_seconds_count{function=\"f\"} 3\n"));
}

}  // namespace
}  // namespace iii
