#include "foundation/base/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace iii {

namespace {

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

uint64_t LatencyHistogram::end_of(size_t bucket) {
  const size_t next = bucket + 1;
  if (next <= kPerDoubling) return next;
  const size_t doublings = next / kPerDoubling + 1;
  return (kPerDoubling + next % kPerDoubling) << (doublings - 2);
}

void LatencyHistogram::halve() {
  count_ = 0;
  for (uint32_t& bucket : buckets_) {
    bucket /= 2;
    count_ += bucket;
  }
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

void LatencyTotals::add(const LatencyTotals& other) {
  for (size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  sum_us_ += other.sum_us_;
}

uint64_t LatencyTotals::up_to(size_t bucket) const {
  uint64_t values = 0;
  for (size_t i = 0; i <= bucket; ++i) values += buckets_[i];
  return values;
}

uint64_t LatencyTotals::count() const { return up_to(kEnds.size()); }

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

void MetricsText::histogram(const LatencyTotals& values, Labels labels) {
  for (size_t i = 0; i < LatencyTotals::kEnds.size(); ++i) {
    line("_bucket", labels, "le", fmt::format("{}", double(LatencyTotals::kEnds[i]) / 1e6),
         fmt::format("{}", values.up_to(i)));
  }
  const std::string count = fmt::format("{}", values.count());
  line("_bucket", labels, "le", "+Inf", count);
  line("_sum", labels, "", "", fmt::format("{}", double(values.sum_us()) / 1e6));
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
