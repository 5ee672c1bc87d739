#include "base/log.h"

#include <fmt/chrono.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>

namespace iii {

namespace log_detail {

std::atomic<LogLevel> threshold{LogLevel::kInfo};

void write(LogLevel level, std::string_view text) {
  static constexpr std::array<std::string_view, 4> kNames{"debug", "info ", "warn ", "error"};
  const auto now = std::chrono::system_clock::now();
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  std::string line = fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z {} ",
                                 fmt::gmtime(std::chrono::system_clock::to_time_t(now)), ms,
                                 kNames[static_cast<size_t>(level)]);
  // A peer's text must not be able to forge a second log line or to drive a terminal.
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      line += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      line += c;
    }
  }
  line += '\n';
  // One write per line keeps lines of several threads apart. A closed stderr is nobody's error.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace log_detail

void set_log_level(LogLevel level) { log_detail::threshold.store(level); }

std::optional<LogLevel> parse_log_level(std::string_view word) {
  if (word == "debug") return LogLevel::kDebug;
  if (word == "info") return LogLevel::kInfo;
  if (word == "warn") return LogLevel::kWarn;
  if (word == "error") return LogLevel::kError;
  if (word == "off") return LogLevel::kOff;
  return std::nullopt;
}

}  // namespace iii
