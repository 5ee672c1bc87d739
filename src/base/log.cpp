#include "base/log_sink.h"

#include <fmt/chrono.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace iii {

namespace {

struct SharedSink {
  std::mutex mutex;
  std::shared_ptr<const LogSink> sink;  // under mutex; none: stderr

  std::shared_ptr<const LogSink> get() {
    const std::lock_guard lock(mutex);
    return sink;
  }
};

// Never destroyed: threads may log while the process ends.
SharedSink& shared_sink() {
  static SharedSink& shared = *new SharedSink;
  return shared;
}

// A peer's text must not be able to forge a second log line or to drive a terminal.
std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

void write_to_stderr(LogLevel level, const std::string& text) {
  static constexpr std::array<std::string_view, 4> kNames{"debug", "info ", "warn ", "error"};
  const auto now = std::chrono::system_clock::now();
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  const std::string line = fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z {} {}\n",
                                       fmt::gmtime(std::chrono::system_clock::to_time_t(now)), ms,
                                       kNames[static_cast<size_t>(level)], text);
  // One write per line keeps lines of several threads apart. A closed stderr is nobody's error.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace

namespace log_detail {

std::atomic<LogLevel> threshold{LogLevel::kInfo};

void write(LogLevel level, std::string_view text) {
  thread_local bool in_sink = false;
  const std::string line = printable(text);
  const std::shared_ptr<const LogSink> to = in_sink ? nullptr : shared_sink().get();
  if (!to) return write_to_stderr(level, line);
  in_sink = true;
  try {
    (*to)(level, line);
  } catch (...) {
    // Whoever logs must not fail because of it.
  }
  in_sink = false;
}

}  // namespace log_detail

void set_log_level(LogLevel level) { log_detail::threshold.store(level); }

void set_log_sink(LogSink sink) {
  std::shared_ptr<const LogSink> next;
  if (sink) next = std::make_shared<const LogSink>(std::move(sink));
  SharedSink& shared = shared_sink();
  const std::lock_guard lock(shared.mutex);
  shared.sink.swap(next);
}

std::optional<LogLevel> parse_log_level(std::string_view word) {
  if (word == "debug") return LogLevel::kDebug;
  if (word == "info") return LogLevel::kInfo;
  if (word == "warn") return LogLevel::kWarn;
  if (word == "error") return LogLevel::kError;
  if (word == "off") return LogLevel::kOff;
  return std::nullopt;
}

}  // namespace iii
