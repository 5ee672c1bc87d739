// What is counted about calls: for each function, and per second for the whole bus.
//
// A call is counted once, when it is over: it was answered, refused, or sent without anybody
// waiting for an answer. That costs a few additions in records that the call holds anyway; times
// come in from outside. A second ends when somebody comes with a time after it, so an idle bus does
// nothing. Loop thread only.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/base/metrics.h"

namespace iii::engine {

using SteadyTime = std::chrono::steady_clock::time_point;

// How one function is used. There for the functions that were called first, up to
// CallStats::kMostMeasured.
class CallDetail {
 public:
  static constexpr size_t kPoints = 40;  // seconds that points() tells about

  void answered(uint64_t second, uint64_t us) {
    if (second != second_) advance(second);
    ++points_[second % points_.size()];
    recent_.record(us);
    latencies_.record(us);
  }
  void sent(uint64_t second) {
    if (second != second_) advance(second);
    ++points_[second % points_.size()];
  }
  void failed(uint64_t second, uint8_t code);

  // Calls in each of the seconds before `second`, oldest first.
  std::array<uint32_t, kPoints> points(uint64_t second) const;
  double rate(uint64_t second) const;  // per second, over the last ten
  // The recent calls: those of about the last twenty seconds, or the last few dozen.
  const LatencyHistogram& recent() const { return recent_; }
  double error_rate() const;  // of the recent calls

  // Since the beginning.
  const LatencyTotals& latencies() const { return latencies_; }
  // By the number of their code (CallStats::code).
  const std::vector<std::pair<uint8_t, uint64_t>>& errors() const { return errors_; }

 private:
  void advance(uint64_t second);
  uint32_t calls_in(uint64_t second) const;

  uint64_t second_ = 0;                // of the last call
  std::array<uint32_t, 64> points_{};  // by second; zero where there was none
  LatencyHistogram recent_;
  LatencyTotals latencies_;
  uint32_t recent_errors_ = 0;
  std::vector<std::pair<uint8_t, uint64_t>> errors_;
};

// The counters of one function; they go with it. Its calls share the record until they are over.
struct CallRecord {
  CallRecord(std::string its_namespace, std::string its_id)
      : name_space(std::move(its_namespace)), id(std::move(its_id)) {}

  const std::string name_space;
  const std::string id;
  uint64_t calls = 0;
  uint64_t errors = 0;
  bool gone = false;                   // its function has been unregistered
  std::unique_ptr<CallDetail> detail;  // null while it is not measured
};

struct SecondOfCalls {
  int64_t at = 0;  // when it began, in ms since 1970
  uint64_t calls = 0;
  uint64_t errors = 0;
  std::optional<double> p50_ms;  // nothing: no call was answered
  std::optional<double> p99_ms;
};

class CallStats {
 public:
  static constexpr size_t kSeconds = 300;
  // Functions that have a CallDetail at a time, of about 1 KB each; the others are only counted.
  static constexpr size_t kMostMeasured = 2'048;
  // Ids are shown with every number; a function with a longer one is counted, but not measured.
  static constexpr size_t kMostIdBytes = 512;
  // Error codes are chosen by workers: so many are told apart, the others are `other`.
  static constexpr size_t kMostCodes = 64;
  static constexpr size_t kMostCodeBytes = 64;

  explicit CallStats(SteadyTime now);

  // `error`: its code; empty when the call succeeded.
  void answered(const std::shared_ptr<CallRecord>& record, SteadyTime started, SteadyTime now,
                std::string_view error) {
    if (now >= second_end_) [[unlikely]]
      roll(now);
    const uint64_t us = whole_microseconds(now - started);
    ++this_second_.calls;
    latencies_.record(us);
    ++record->calls;
    if (record->detail || measure(record)) record->detail->answered(second_, us);
    if (!error.empty()) [[unlikely]]
      failed(record.get(), error);
  }
  // Nobody waits for the answer.
  void sent(const std::shared_ptr<CallRecord>& record, SteadyTime now);
  // By the engine; `record` is null when there is no such function.
  void refused(const std::shared_ptr<CallRecord>& record, std::string_view code, SteadyTime now);
  // Its function is gone.
  void forget(CallRecord& record);

  uint64_t calls() const { return calls_before_ + this_second_.calls; }
  uint64_t errors() const { return errors_before_ + this_second_.errors; }
  // By code. Every error is in it.
  std::vector<std::pair<std::string_view, uint64_t>> errors_by_code() const;
  std::string_view code(uint8_t number) const { return codes_[number].first; }
  std::chrono::seconds up(SteadyTime now) const;

  // The last finished seconds, oldest first.
  std::vector<SecondOfCalls> seconds(SteadyTime now, int64_t wall_ms, size_t most);
  // The number of the present second, for CallDetail.
  uint64_t second(SteadyTime now);
  // Of functions that are not measured any more.
  const LatencyTotals& released() const { return released_; }
  // Functions that have been called, in no particular order.
  const std::vector<std::shared_ptr<CallRecord>>& measured() const { return measured_; }

 private:
  struct Second {
    uint32_t calls = 0;
    uint32_t errors = 0;
    uint32_t p50_us = 0;  // 0: no call was answered
    uint32_t p99_us = 0;
  };

  void roll(SteadyTime now);
  bool measure(const std::shared_ptr<CallRecord>& record);
  void failed(CallRecord* record, std::string_view code);
  uint8_t number_of(std::string_view code);

  const SteadyTime started_;
  SteadyTime second_end_;
  uint64_t second_ = 0;
  Second this_second_;
  LatencyHistogram latencies_;  // of this second
  uint64_t calls_before_ = 0;   // in the seconds before
  uint64_t errors_before_ = 0;
  std::array<Second, kSeconds> seconds_{};
  std::vector<std::shared_ptr<CallRecord>> measured_;
  LatencyTotals released_;
  std::vector<std::pair<std::string, uint64_t>> codes_;  // number 0 is `other`
  std::map<std::string, uint8_t, std::less<>> code_numbers_;
};

}  // namespace iii::engine
