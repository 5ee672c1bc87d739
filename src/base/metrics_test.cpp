#include "base/metrics.h"

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
  EXPECT_EQ(empty.at_most(microseconds(1'000'000)), 0U);
}

TEST(LatencyHistogram, QuantilesAreWithinABucketOfTheTruth) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> durations(6, 2);
  std::vector<double> values;
  LatencyHistogram histogram;
  for (int i = 0; i < 20'000; ++i) {
    values.push_back(std::min(durations(random), 60e6));
    histogram.record(nanoseconds(static_cast<int64_t>(values.back() * 1'000)));
  }
  std::ranges::sort(values);
  for (const double q : {0.01, 0.5, 0.9, 0.99, 0.999}) {
    const double truth = values[static_cast<size_t>(q * double(values.size())) - 1];
    const auto told = static_cast<double>(histogram.quantile(q).count());
    EXPECT_GE(told * 1.001, truth) << q;
    EXPECT_LE(told, truth * 1.26 + 1) << q;
  }
}

TEST(LatencyHistogram, ExtremesAreCounted) {
  LatencyHistogram histogram;
  histogram.record(nanoseconds(-5));
  histogram.record(nanoseconds(0));
  histogram.record(std::chrono::hours(24));
  EXPECT_EQ(histogram.count(), 3U);
  EXPECT_EQ(histogram.at_most(microseconds(1)), 2U);
  EXPECT_EQ(histogram.sum(), std::chrono::hours(24));
}

TEST(LatencyHistogram, AddsUp) {
  LatencyHistogram a;
  LatencyHistogram b;
  a.record(microseconds(3));
  b.record(microseconds(300));
  a.add(b);
  EXPECT_EQ(a.count(), 2U);
  EXPECT_EQ(a.sum(), microseconds(303));
  EXPECT_EQ(a.at_most(microseconds(128)), 1U);
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
  LatencyHistogram values;
  values.record(microseconds(100));
  values.record(microseconds(1'000));
  values.record(std::chrono::seconds(100));
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
