#include "bus/engine/call_stats.h"

#include <algorithm>

#include "foundation/base/text.h"

namespace iii::engine {

namespace {

constexpr uint64_t kRateSeconds = 10;
constexpr uint64_t kFadeSeconds = 10;  // after so long half of the recent calls is forgotten …
constexpr uint64_t kFewCalls = 64;     // … unless they are as few as this

// Those of the engine itself, which no worker may crowd out.
constexpr std::array<std::string_view, 14> kOwnCodes{
    "other",          "function_not_found", "invocation_stopped", "invocation_failed",
    "too_many_calls", "payload_too_large",  "callee_busy",        "caller_busy",
    "FORBIDDEN",      "INVALID_NAMESPACE",  "invocation_error",   "deserialization_error",
    "enqueue_error",  "serialization_error"};

std::optional<double> milliseconds(uint32_t us) {
  return us == 0 ? std::nullopt : std::optional(double(us) / 1e3);
}

}  // namespace

void CallDetail::advance(uint64_t second) {
  if (second <= second_) return;
  const uint64_t gap = std::min<uint64_t>(second - second_, points_.size());
  for (uint64_t i = 0; i < gap; ++i) points_[(second - i) % points_.size()] = 0;
  for (uint64_t fades = second / kFadeSeconds - second_ / kFadeSeconds;
       fades > 0 && recent_.count() > kFewCalls; --fades) {
    recent_.halve();
    recent_errors_ /= 2;
  }
  second_ = second;
}

void CallDetail::failed(uint64_t second, uint8_t code) {
  if (second != second_) advance(second);
  ++recent_errors_;
  const auto known = std::ranges::find(errors_, code, &std::pair<uint8_t, uint64_t>::first);
  if (known != errors_.end()) {
    ++known->second;
  } else {
    errors_.emplace_back(code, 1);
  }
}

uint32_t CallDetail::calls_in(uint64_t second) const {
  const bool kept = second <= second_ && second + points_.size() > second_;
  return kept ? points_[second % points_.size()] : 0;
}

std::array<uint32_t, CallDetail::kPoints> CallDetail::points(uint64_t second) const {
  std::array<uint32_t, kPoints> out{};
  const auto known = static_cast<size_t>(std::min<uint64_t>(kPoints, second));
  for (size_t i = 1; i <= known; ++i) {
    out[kPoints - i] = calls_in(second - i);
  }
  return out;
}

double CallDetail::rate(uint64_t second) const {
  const uint64_t over = std::min(kRateSeconds, second);
  if (over == 0) return 0;
  uint64_t calls = 0;
  for (uint64_t i = 1; i <= over; ++i) calls += calls_in(second - i);
  return double(calls) / double(over);
}

double CallDetail::error_rate() const {
  const uint64_t calls = std::max<uint64_t>(recent_.count(), recent_errors_);
  return calls == 0 ? 0 : double(recent_errors_) / double(calls);
}

CallStats::CallStats(SteadyTime now) : started_(now), second_end_(now + std::chrono::seconds(1)) {
  for (const std::string_view code : kOwnCodes) {
    code_numbers_.emplace(code, static_cast<uint8_t>(codes_.size()));
    codes_.emplace_back(code, 0);
  }
}

void CallStats::sent(const std::shared_ptr<CallRecord>& record, SteadyTime now) {
  if (now >= second_end_) roll(now);
  ++this_second_.calls;
  ++record->calls;
  if (record->detail || measure(record)) record->detail->sent(second_);
}

void CallStats::refused(const std::shared_ptr<CallRecord>& record, std::string_view code,
                        SteadyTime now) {
  if (record) {
    sent(record, now);
  } else {
    if (now >= second_end_) roll(now);
    ++this_second_.calls;
  }
  failed(record.get(), code);
}

void CallStats::failed(CallRecord* record, std::string_view code) {
  ++this_second_.errors;
  const uint8_t number = number_of(code);
  ++codes_[number].second;
  if (record == nullptr) return;
  ++record->errors;
  if (record->detail) record->detail->failed(second_, number);
}

uint8_t CallStats::number_of(std::string_view code) {
  if (code.size() > kMostCodeBytes) code = utf8_prefix(code, kMostCodeBytes);
  if (const auto known = code_numbers_.find(code); known != code_numbers_.end()) {
    return known->second;
  }
  if (codes_.size() == kMostCodes) return 0;
  const auto number = static_cast<uint8_t>(codes_.size());
  code_numbers_.emplace(code, number);
  codes_.emplace_back(code, 0);
  return number;
}

std::vector<std::pair<std::string_view, uint64_t>> CallStats::errors_by_code() const {
  std::vector<std::pair<std::string_view, uint64_t>> out;
  for (const auto& [code, count] : codes_) {
    if (count > 0) out.emplace_back(code, count);
  }
  return out;
}

bool CallStats::measure(const std::shared_ptr<CallRecord>& record) {
  if (record->gone || record->id.size() + record->name_space.size() > kMostIdBytes) return false;
  if (measured_.size() == kMostMeasured) return false;
  record->detail = std::make_unique<CallDetail>();
  measured_.push_back(record);
  return true;
}

void CallStats::forget(CallRecord& record) {
  record.gone = true;
  if (!record.detail) return;
  released_.add(record.detail->latencies());
  record.detail.reset();
  const auto place = std::ranges::find(measured_, &record, &std::shared_ptr<CallRecord>::get);
  std::swap(*place, measured_.back());
  measured_.pop_back();  // `record` may go with it
}

void CallStats::roll(SteadyTime now) {
  if (latencies_.count() > 0) {
    this_second_.p50_us = static_cast<uint32_t>(latencies_.quantile(0.5).count());
    this_second_.p99_us = static_cast<uint32_t>(latencies_.quantile(0.99).count());
    latencies_.clear();
  }
  calls_before_ += this_second_.calls;
  errors_before_ += this_second_.errors;
  seconds_[second_ % kSeconds] = std::exchange(this_second_, {});
  const auto reached = static_cast<uint64_t>((now - started_) / std::chrono::seconds(1));
  // Seconds in which nothing happened; those that are not kept need not be cleared.
  for (uint64_t i = 1; i < std::min<uint64_t>(reached - second_, kSeconds + 1); ++i) {
    seconds_[(reached - i) % kSeconds] = {};
  }
  second_ = reached;
  second_end_ = started_ + std::chrono::seconds(second_ + 1);
}

uint64_t CallStats::second(SteadyTime now) {
  if (now >= second_end_) roll(now);
  return second_;
}

std::chrono::seconds CallStats::up(SteadyTime now) const {
  return std::chrono::duration_cast<std::chrono::seconds>(now - started_);
}

std::vector<SecondOfCalls> CallStats::seconds(SteadyTime now, int64_t wall_ms, size_t most) {
  const uint64_t present = second(now);
  const auto count = static_cast<size_t>(std::min<uint64_t>({most, kSeconds, present}));
  const auto into = std::chrono::duration_cast<std::chrono::milliseconds>(
      now - (second_end_ - std::chrono::seconds(1)));
  std::vector<SecondOfCalls> out;
  out.reserve(count);
  for (uint64_t back = count; back > 0; --back) {
    const Second& second = seconds_[(present - back) % kSeconds];
    SecondOfCalls& row = out.emplace_back();
    row.at = wall_ms - into.count() - static_cast<int64_t>(back) * 1'000;
    row.calls = second.calls;
    row.errors = second.errors;
    row.p50_ms = milliseconds(second.p50_us);
    row.p99_ms = milliseconds(second.p99_us);
  }
  return out;
}

}  // namespace iii::engine
