// How far something is: one line on a terminal that is drawn over.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace iii::cli {

// Writes to stderr, which is a terminal. From one thread.
class ProgressLine {
 public:
  ProgressLine() = default;
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // `total` 0: unknown.
  void show(std::string_view what, std::string_view step, uint64_t done, uint64_t total);
  // Takes the line away again.
  void clear();

 private:
  bool drawn_ = false;
  std::string last_step_;
  std::chrono::steady_clock::time_point last_drawn_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// `mail: writing [######----] 60 % 6 of 10 files, 3 s`; bytes when the step is `fetching`. Without
// a total: how much. Pure.
std::string progress_text(std::string_view what, std::string_view step, uint64_t done,
                          uint64_t total, std::chrono::seconds passed = {});

}  // namespace iii::cli
