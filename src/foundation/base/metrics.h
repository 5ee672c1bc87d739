// What an operator measures: latency histograms that cost a few nanoseconds per value, and the text
// format of Prometheus. Not synchronised: each object belongs to one thread.
#pragma once

#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace iii {

inline uint64_t whole_microseconds(std::chrono::nanoseconds duration) {
  return duration.count() <= 0 ? 0 : static_cast<uint64_t>(duration.count()) / 1'000;
}

// Counts durations in buckets that grow by a factor of about 1.19 (four per doubling), from 1 us to
// over a minute; quantiles are exact to that factor. For a short time: old values fade by halve().
class LatencyHistogram {
 public:
  void record(uint64_t us) {
    ++buckets_[bucket_of(us)];
    ++count_;
  }
  // Each bucket keeps half of its values, rounded down.
  void halve();
  void clear() { *this = {}; }

  uint64_t count() const { return count_; }
  // The duration that a share `q` (0 … 1) of the values does not exceed; zero when there are none.
  std::chrono::microseconds quantile(double q) const;

 private:
  static constexpr size_t kPerDoubling = 4;
  static constexpr size_t kDoublings = 27;  // up to 134 s
  static constexpr size_t kBuckets = kPerDoubling * kDoublings;

  static size_t bucket_of(uint64_t us) {
    if (us < kPerDoubling) return static_cast<size_t>(us);
    const auto doublings = static_cast<size_t>(std::bit_width(us)) - 1;  // at least 2
    const size_t quarter = (us >> (doublings - 2)) & (kPerDoubling - 1);
    const size_t bucket = (doublings - 1) * kPerDoubling + quarter;
    return bucket < kBuckets ? bucket : kBuckets - 1;
  }
  static uint64_t end_of(size_t bucket);  // in us; values below it are in `bucket` or before it

  std::array<uint32_t, kBuckets> buckets_{};
  uint64_t count_ = 0;
};

// Durations since the beginning, in the few buckets that are exported: enough to see a shape, few
// enough for hundreds of functions.
class LatencyTotals {
 public:
  // Ends of the buckets, in us; the last bucket has no end.
  static constexpr std::array<uint64_t, 10> kEnds{
      128, 512, 2'048, 8'192, 32'768, 131'072, 524'288, 2'097'152, 8'388'608, 33'554'432};

  void record(uint64_t us) {
    ++buckets_[bucket_of(us)];
    sum_us_ += us;
  }
  void add(const LatencyTotals& other);

  uint64_t count() const;
  uint64_t sum_us() const { return sum_us_; }
  // How many values are in the buckets up to this one.
  uint64_t up_to(size_t bucket) const;

 private:
  static size_t bucket_of(uint64_t us) {
    const auto bits = static_cast<size_t>(std::bit_width(us));  // an end of a bucket is 2^(7 + 2n)
    if (bits <= 7) return 0;
    return bits > 25 ? kEnds.size() : (bits - 6) / 2;
  }

  std::array<uint64_t, kEnds.size() + 1> buckets_{};
  uint64_t sum_us_ = 0;
};

// Writes samples in the text format 0.0.4 of Prometheus. Families are written one after the other:
//
//   MetricsText out;
//   out.family("iii_calls_total", "counter", "Calls by function.");
//   out.sample(1207, {{"function", id}});
class MetricsText {
 public:
  using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;
  static constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

  void family(std::string_view name, std::string_view type, std::string_view help);
  void sample(double value, Labels labels = {});
  void sample(uint64_t value, Labels labels = {});
  // `_bucket`, `_sum` and `_count` of the family, in seconds.
  void histogram(const LatencyTotals& values, Labels labels = {});
  // A family with one sample.
  template <typename Number>
  void one(std::string_view name, std::string_view type, std::string_view help, Number value) {
    family(name, type, help);
    sample(value);
  }

  const std::string& text() const { return text_; }
  std::string take() { return std::move(text_); }

 private:
  void line(std::string_view suffix, Labels labels, std::string_view last_label,
            std::string_view last_value, std::string_view value);

  std::string name_;
  std::string text_;
};

}  // namespace iii
