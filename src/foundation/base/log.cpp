#include "foundation/base/log_format.h"
#include "foundation/base/log_sink.h"

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

#include "foundation/base/counted.h"
#include "foundation/base/utf8.h"
#include "foundation/base/utf8_head.h"

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

std::atomic<LogFormat> line_format{LogFormat::kText};

constexpr std::array<std::string_view, 5> kLevelWords{"debug", "info", "warn", "error", "off"};

std::string time_now() {
  const auto now = std::chrono::system_clock::now();
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(now)), ms);
}

// What a line has around its text, at most.
constexpr size_t kFrameBytes =
    sizeof R"({"time":"2026-11-15T22:41:00.123Z","level":"error","message":""})" + 1;

// Cuts between characters, and not behind a backslash that belongs to an escape.
void cut_line(std::string& text) {
  constexpr std::string_view kCut = " ...";
  constexpr size_t kMost = kMaxLogLine - kFrameBytes - kCut.size();
  if (text.size() <= kMost) return;
  const size_t end = utf8_head(text, kMost).size();
  size_t backslashes = 0;
  while (backslashes < end && text[end - backslashes - 1] == '\\') ++backslashes;
  text.erase(end - backslashes % 2).append(kCut);
}

// A peer's text must not be able to forge a second log line, to drive a terminal, or to make a line
// longer than kMaxLogLine.
std::string line_text(std::string_view text) {
  // Escapes only make it longer, so nothing behind this can be shown.
  std::string out = printable(text.substr(0, kMaxLogLine));
  cut_line(out);
  return out;
}

// `text` is printable: only two characters have a meaning in a JSON string.
std::string json_line(LogLevel level, std::string_view text) {
  std::string quoted;
  quoted.reserve(text.size() + 16);
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  cut_line(quoted);
  return fmt::format(R"({{"time":"{}","level":"{}","message":"{}"}})", time_now(),
                     log_level_word(level), quoted) +
         '\n';
}

std::string log_line(LogLevel level, std::string_view text) {
  if (line_format.load(std::memory_order_relaxed) == LogFormat::kJson)
    return json_line(level, text);
  return fmt::format("{} {:<5} {}\n", time_now(), log_level_word(level), text);
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
    const std::string line =
        log_line(LogLevel::kWarn,
                 counted(lost_, "log line was", "log lines were") + " lost: nobody read stderr");
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
  output.put(log_line(level, text));
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
std::string_view log_level_word(LogLevel level) { return kLevelWords[static_cast<size_t>(level)]; }
void set_log_format(LogFormat format) { line_format.store(format); }

void set_log_sink(LogSink sink) {
  std::shared_ptr<const LogSink> next;
  if (sink) next = std::make_shared<const LogSink>(std::move(sink));
  SharedSink& shared = shared_sink();
  const std::lock_guard lock(shared.mutex);
  shared.sink.swap(next);
}

std::optional<LogLevel> parse_log_level(std::string_view word) {
  const auto at = std::ranges::find(kLevelWords, word);
  if (at == kLevelWords.end()) return std::nullopt;
  return static_cast<LogLevel>(at - kLevelWords.begin());
}

std::optional<LogFormat> parse_log_format(std::string_view word) {
  if (word == "text") return LogFormat::kText;
  if (word == "json") return LogFormat::kJson;
  return std::nullopt;
}

}  // namespace iii
