#include "cli/progress_line.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/utf8.h"
#include "cli/output.h"

namespace iii::cli {

namespace {

constexpr uint64_t kBarWidth = 24;
constexpr std::chrono::milliseconds kRedraw{50};

std::string amount(uint64_t n) {
  if (n < 10'000) return std::to_string(n);
  if (n < 10'000'000) return std::to_string(n / 1'000) + " k";
  return std::to_string(n / 1'000'000) + " M";
}

}  // namespace

std::string progress_text(std::string_view what, std::string_view step, uint64_t done,
                          uint64_t total) {
  std::string out = printable(what) + ": " + printable(step);
  if (total == 0) return done == 0 ? out : out + " " + amount(done);
  const uint64_t part = std::min(done, total);
  const uint64_t filled = part * kBarWidth / total;
  out += " [" + std::string(filled, '#') + std::string(kBarWidth - filled, '-') + "] ";
  return out + std::to_string(part * 100 / total) + " %";
}

ProgressLine::ProgressLine() : terminal_(::isatty(STDERR_FILENO) == 1) {}

void ProgressLine::show(std::string_view what, std::string_view step, uint64_t done,
                        uint64_t total) {
  const bool new_step = step != last_step_;
  last_step_ = step;
  if (!terminal_) {
    if (new_step) note_text(progress_text(what, step, 0, 0) + "\n");
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (!new_step && done != total && now - last_drawn_ < kRedraw) return;
  last_drawn_ = now;
  drawn_ = true;
  std::fprintf(stderr, "\r\033[K%s", progress_text(what, step, done, total).c_str());
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (!drawn_) return;
  drawn_ = false;
  std::fprintf(stderr, "\r\033[K");
  std::fflush(stderr);
}

}  // namespace iii::cli
