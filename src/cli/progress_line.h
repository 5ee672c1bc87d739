// How far something is: one line that is drawn over on a terminal, a line per step elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace iii::cli {

// Writes to stderr. From one thread.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // `total` 0: unknown.
  void show(std::string_view what, std::string_view step, uint64_t done, uint64_t total);
  // Takes the line away again.
  void clear();

 private:
  bool terminal_;
  bool drawn_ = false;
  std::string last_step_;
  std::chrono::steady_clock::time_point last_drawn_;
};

// `[######----] 60 %`, or a count when the total is not known. Pure.
std::string progress_text(std::string_view what, std::string_view step, uint64_t done,
                          uint64_t total);

}  // namespace iii::cli
