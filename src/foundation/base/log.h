// Log lines on stderr, one per event: `2026-11-15T22:41:00.123Z warn  text`.
// A disabled level costs one comparison; stdout is never touched, it belongs to answers.
//
// A line is lost rather than waited for: when nobody reads stderr, the first line waits kLogWait,
// further ones not at all until it is read again; then one line says how many were lost. Lines are
// cut at kMaxLogLine bytes.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace iii {

// As much as a pipe takes in one piece.
inline constexpr size_t kMaxLogLine = 4096;
inline constexpr std::chrono::milliseconds kLogWait{10};

enum class LogLevel { kDebug, kInfo, kWarn, kError, kOff };

namespace log_detail {
extern std::atomic<LogLevel> threshold;
void write(LogLevel level, std::string_view text);
}  // namespace log_detail

void set_log_level(LogLevel level);
// `debug`, `info`, `warn`, `error` or `off`.
std::optional<LogLevel> parse_log_level(std::string_view word);

inline bool log_enabled(LogLevel level) {
  return level >= log_detail::threshold.load(std::memory_order_relaxed);
}

template <typename... Args>
void log_at(LogLevel level, fmt::format_string<Args...> text, Args&&... args) {
  if (log_enabled(level)) {
    log_detail::write(level, fmt::format(text, std::forward<Args>(args)...));
  }
}

template <typename... Args>
void log_debug(fmt::format_string<Args...> text, Args&&... args) {
  log_at(LogLevel::kDebug, text, std::forward<Args>(args)...);
}
template <typename... Args>
void log_info(fmt::format_string<Args...> text, Args&&... args) {
  log_at(LogLevel::kInfo, text, std::forward<Args>(args)...);
}
template <typename... Args>
void log_warn(fmt::format_string<Args...> text, Args&&... args) {
  log_at(LogLevel::kWarn, text, std::forward<Args>(args)...);
}
template <typename... Args>
void log_error(fmt::format_string<Args...> text, Args&&... args) {
  log_at(LogLevel::kError, text, std::forward<Args>(args)...);
}

// A log line that a hostile or broken peer could repeat for ever: said once per LogOnce object.
class LogOnce {
 public:
  template <typename... Args>
  void warn(fmt::format_string<Args...> text, Args&&... args) {
    if (said_) return;
    said_ = true;
    log_warn(text, std::forward<Args>(args)...);
  }

 private:
  bool said_ = false;
};

// A log line that peers cause as often as they like: so many of them in a second, and how many were
// left out is said with the next one.
class LogBudget {
 public:
  using Clock = std::chrono::steady_clock;
  explicit LogBudget(size_t per_second = 20) : per_second_(per_second) {}

  template <typename... Args>
  void log(LogLevel level, fmt::format_string<Args...> text, Args&&... args) {
    if (!log_enabled(level) || !take(Clock::now())) return;
    if (const size_t left_out = std::exchange(left_out_, 0)) {
      log_at(level, "{} lines like the next one were left out", left_out);
    }
    log_at(level, text, std::forward<Args>(args)...);
  }
  // Whether one more line may be written at this time.
  bool take(Clock::time_point now) {
    if (now - begin_ >= std::chrono::seconds(1)) {
      begin_ = now;
      used_ = 0;
    }
    if (used_ < per_second_) {
      ++used_;
      return true;
    }
    ++left_out_;
    return false;
  }

 private:
  const size_t per_second_;
  size_t used_ = 0;
  size_t left_out_ = 0;
  Clock::time_point begin_ = {};
};

}  // namespace iii
