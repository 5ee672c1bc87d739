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

}  // namespace iii
