#include "base/log_sink.h"

#include <fmt/chrono.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/counted.h"
#include "base/utf8.h"

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

std::string line_start(LogLevel level) {
  static constexpr std::array<std::string_view, 4> kNames{"debug", "info ", "warn ", "error"};
  const auto now = std::chrono::system_clock::now();
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z {} ",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(now)), ms,
                     kNames[static_cast<size_t>(level)]);
}

// A peer's text must not be able to forge a second log line, to drive a terminal, or to make a line
// longer than kMaxLogLine.
std::string line_text(std::string_view text) {
  constexpr std::string_view kCut = " ...";
  constexpr size_t kStart = sizeof "2026-11-15T22:41:00.123Z warn  " - 1;
  constexpr size_t kMost = kMaxLogLine - kStart - kCut.size() - 1;
  // Escapes only make it longer, so nothing behind this can be shown.
  std::string out = printable(text.substr(0, kMaxLogLine));
  if (out.size() <= kMost) return out;
  size_t end = kMost;
  while ((static_cast<unsigned char>(out[end]) & 0xc0U) == 0x80U) --end;
  return out.erase(end).append(kCut);
}

// Puts whole lines on stderr without ever waiting long for its reader. Making the descriptor
// non-blocking would change it for every process that shares it, so it is asked first whether it
// takes a line; the mutex keeps two threads from both using the last room.
class Output {
 public:
  void put(std::string_view line) {
    const std::lock_guard lock(mutex_);
    if (!writable()) {
      ++lost_;
      return;
    }
    if (lost_ > 0) tell_lost();
    if (!write_all(line)) ++lost_;
  }

 private:
  bool writable() {
    pollfd stderr_now{STDERR_FILENO, POLLOUT, 0};
    const auto wait = stalled_ ? std::chrono::milliseconds(0) : kLogWait;
    const int ready = ::poll(&stderr_now, 1, static_cast<int>(wait.count()));
    stalled_ = ready == 0;
    // Without a reader, or closed: the write would fail. An interrupted poll is not worth a second.
    return ready > 0 && (stderr_now.revents & (POLLERR | POLLNVAL)) == 0;
  }

  void tell_lost() {
    const std::string line = line_start(LogLevel::kWarn) +
                             counted(lost_, "log line was", "log lines were") +
                             " lost: nobody read stderr\n";
    if (write_all(line)) lost_ = 0;
  }

  static bool write_all(std::string_view line) {
    return ::write(STDERR_FILENO, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  }

  std::mutex mutex_;
  size_t lost_ = 0;
  bool stalled_ = false;
};

void write_to_stderr(LogLevel level, const std::string& text) {
  // Never destroyed: threads may log while the process ends.
  static Output& output = *new Output;
  output.put(line_start(level) + text + '\n');
}

}  // namespace

namespace log_detail {

std::atomic<LogLevel> threshold{LogLevel::kInfo};

void write(LogLevel level, std::string_view text) {
  thread_local bool in_sink = false;
  const std::string line = line_text(text);
  const std::shared_ptr<const LogSink> to = in_sink ? nullptr : shared_sink().get();
  if (!to) return write_to_stderr(level, line);
  in_sink = true;
  try {
    (*to)(level, line);
  } catch (...) {
    // Logging must not make its caller fail.
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
