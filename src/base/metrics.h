// What an operator measures: latency histograms that cost a few nanoseconds per value, and the text
// format of Prometheus. Not synchronised: each object belongs to one thread.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace iii {

// Counts durations in buckets that grow by a factor of about 1.19 (four per doubling), from 1 us to
// over a minute; quantiles are exact to that factor.
class LatencyHistogram {
 public:
  void record(std::chrono::nanoseconds duration);
  void add(const LatencyHistogram& other);

  uint64_t count() const { return count_; }
  std::chrono::nanoseconds sum() const { return sum_; }
  // The duration that a share `q` (0 … 1) of the values does not exceed; zero when there are none.
  std::chrono::microseconds quantile(double q) const;
  // How many values were at most `limit`, which is rounded down to the end of a bucket.
  uint64_t at_most(std::chrono::microseconds limit) const;

 private:
  static constexpr size_t kPerDoubling = 4;
  static constexpr size_t kDoublings = 27;  // up to 134 s
  static constexpr size_t kBuckets = kPerDoubling * kDoublings;

  static size_t bucket_of(uint64_t us);
  static uint64_t end_of(size_t bucket);  // in us; values below it are in `bucket` or before it

  std::array<uint32_t, kBuckets> buckets_{};
  uint64_t count_ = 0;
  std::chrono::nanoseconds sum_{0};
};

// Writes samples in the text format 0.0.4 of Prometheus. Families are written one after the other:
//
//   MetricsText out;
//   out.family("iii_calls_total", "counter", "Calls by function.");
//   out.sample(1207, {{"function", id}});
class MetricsText {
 public:
  using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  void family(std::string_view name, std::string_view type, std::string_view help);
  void sample(double value, Labels labels = {});
  void sample(uint64_t value, Labels labels = {});
  // `_bucket`, `_sum` and `_count` of the family, in seconds.
  void histogram(const LatencyHistogram& values, Labels labels = {});

  const std::string& text() const { return text_; }
  std::string take() { return std::move(text_); }

 private:
  void line(std::string_view suffix, Labels labels, std::string_view last_label,
            std::string_view last_value, std::string_view value);

  std::string name_;
  std::string text_;
};

}  // namespace iii
