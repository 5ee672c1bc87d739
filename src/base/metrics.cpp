#include "base/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace iii {

namespace {

// Upper limits of the buckets that are exported: enough to see a shape, few enough for thousands of
// functions.
constexpr std::array<uint64_t, 10> kExportedMicroseconds{
    128, 512, 2'048, 8'192, 32'768, 131'072, 524'288, 2'097'152, 8'388'608, 33'554'432};

void append_label(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append("=\"");
  for (const char c : value) {
    switch (c) {
      case '"':
      case '\\':
        out += '\\';
        out += c;
        break;
      case '\n':
        out += "\\n";
        break;
      default:
        out += c;
    }
  }
  out += '"';
}

}  // namespace

size_t LatencyHistogram::bucket_of(uint64_t us) {
  if (us < kPerDoubling) return us;
  const auto doublings = static_cast<size_t>(std::bit_width(us)) - 1;  // at least 2
  const size_t quarter = (us >> (doublings - 2)) & (kPerDoubling - 1);
  return std::min((doublings - 1) * kPerDoubling + quarter, kBuckets - 1);
}

uint64_t LatencyHistogram::end_of(size_t bucket) {
  const size_t next = bucket + 1;
  if (next <= kPerDoubling) return next;
  const size_t doublings = next / kPerDoubling + 1;
  return (kPerDoubling + next % kPerDoubling) << (doublings - 2);
}

void LatencyHistogram::record(std::chrono::nanoseconds duration) {
  const int64_t ns = std::max<int64_t>(duration.count(), 0);
  ++buckets_[bucket_of(static_cast<uint64_t>(ns) / 1'000)];
  ++count_;
  sum_ += std::chrono::nanoseconds(ns);
}

void LatencyHistogram::add(const LatencyHistogram& other) {
  for (size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  sum_ += other.sum_;
}

std::chrono::microseconds LatencyHistogram::quantile(double q) const {
  if (count_ == 0) return {};
  const auto rank = static_cast<uint64_t>(std::ceil(std::clamp(q, 0.0, 1.0) * double(count_)));
  uint64_t seen = 0;
  for (size_t i = 0; i < kBuckets; ++i) {
    seen += buckets_[i];
    if (seen >= std::max<uint64_t>(rank, 1)) return std::chrono::microseconds(end_of(i));
  }
  return std::chrono::microseconds(end_of(kBuckets - 1));
}

uint64_t LatencyHistogram::at_most(std::chrono::microseconds limit) const {
  uint64_t seen = 0;
  for (size_t i = 0; i < kBuckets && end_of(i) <= static_cast<uint64_t>(limit.count()); ++i) {
    seen += buckets_[i];
  }
  return seen;
}

void MetricsText::family(std::string_view name, std::string_view type, std::string_view help) {
  name_ = name;
  fmt::format_to(std::back_inserter(text_), "# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

void MetricsText::sample(double value, Labels labels) {
  line("", labels, "", "", fmt::format("{}", value));
}

void MetricsText::sample(uint64_t value, Labels labels) {
  line("", labels, "", "", fmt::format("{}", value));
}

void MetricsText::histogram(const LatencyHistogram& values, Labels labels) {
  for (const uint64_t us : kExportedMicroseconds) {
    line("_bucket", labels, "le", fmt::format("{}", double(us) / 1e6),
         fmt::format("{}", values.at_most(std::chrono::microseconds(us))));
  }
  const std::string count = fmt::format("{}", values.count());
  line("_bucket", labels, "le", "+Inf", count);
  line("_sum", labels, "", "", fmt::format("{}", double(values.sum().count()) / 1e9));
  line("_count", labels, "", "", count);
}

void MetricsText::line(std::string_view suffix, Labels labels, std::string_view last_label,
                       std::string_view last_value, std::string_view value) {
  text_.append(name_).append(suffix);
  char before = '{';
  for (const auto& [name, text] : labels) {
    text_ += before;
    append_label(text_, name, text);
    before = ',';
  }
  if (!last_label.empty()) {
    text_ += before;
    append_label(text_, last_label, last_value);
    before = ',';
  }
  if (before == ',') text_ += '}';
  text_.append(" ").append(value).append("\n");
}

}  // namespace iii
