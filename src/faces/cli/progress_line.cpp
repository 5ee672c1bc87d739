#include "faces/cli/progress_line.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "faces/cli/output.h"
#include "faces/cli/terminal.h"
#include "faces/cli/width.h"
#include "foundation/base/counted.h"
#include "foundation/base/utf8.h"

namespace iii::cli {

namespace {

constexpr size_t kBarWidth = 24;
constexpr std::chrono::milliseconds kRedraw{50};

std::string bytes_text(uint64_t n) {
  constexpr uint64_t kStep = 1'000;
  if (n < kStep) return counted(n, "byte");
  if (n < kStep * kStep) return fmt::format("{:.1f} kB", static_cast<double>(n) / 1e3);
  return fmt::format("{:.1f} MB", static_cast<double>(n) / 1e6);
}

bool is_bytes(std::string_view step) { return step == "fetching"; }

}  // namespace

std::string progress_text(std::string_view what, std::string_view step, uint64_t done,
                          uint64_t total, std::chrono::seconds passed) {
  std::string out = printable(what) + (what.empty() ? "" : ": ") + printable(step);
  if (total > 0) {
    const uint64_t part = std::min(done, total);
    const auto filled = static_cast<size_t>(part * kBarWidth / total);
    out += " [" + std::string(filled, '#') + std::string(kBarWidth - filled, '-') + "] " +
           std::to_string(part * 100 / total) + " %, ";
    out += is_bytes(step) ? bytes_text(part) + " of " + bytes_text(total)
                          : std::to_string(part) + " of " + counted(total, "file");
  } else if (done > 0) {
    out += " " + (is_bytes(step) ? bytes_text(done) : counted(done, "file"));
  }
  return passed.count() > 0 ? out + ", " + std::to_string(passed.count()) + " s" : out;
}

void ProgressLine::show(std::string_view what, std::string_view step, uint64_t done,
                        uint64_t total) {
  const bool new_step = step != last_step_;
  last_step_ = step;
  const auto now = std::chrono::steady_clock::now();
  if (!new_step && done != total && now - last_drawn_ < kRedraw) return;
  last_drawn_ = now;
  drawn_ = true;
  const auto passed = std::chrono::duration_cast<std::chrono::seconds>(now - begin_);
  const std::string text = progress_text(what, step, done, total, passed);
  const std::string shown = shortened(text, terminal_width(STDERR_FILENO) - 1);
  std::fprintf(stderr, "\r\033[K%s", shown.c_str());
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (!drawn_) return;
  drawn_ = false;
  std::fprintf(stderr, "\r\033[K");
  std::fflush(stderr);
}

}  // namespace iii::cli
