// Between work on another thread and the one who waits for it: progress, deadline, cancellation.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace iii::sources {

struct Progress {
  std::string step;    // `asking`, `fetching`, `checking`, `writing`
  uint64_t done = 0;   // bytes or files, by step
  uint64_t total = 0;  // 0: unknown
};

// Carried through a download; copies share it. Work stops at the deadline or when cancelled.
struct Job {
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::shared_ptr<std::atomic<bool>> cancelled = std::make_shared<std::atomic<bool>>(false);
  // Called on the working thread, often; may be empty.
  std::function<void(const Progress&)> report;
  // The time that the deadline was made of, for messages; 0: whatever is left when work begins.
  std::chrono::milliseconds allowed{0};

  // Called on the working thread right before files are replaced, when readers are kept out
  // already: which files, by their paths in the skills folder. May be empty.
  std::function<void(const std::vector<std::string>& paths)> before_swap;

  // Of the one who asked for this job alone; `cancelled` may belong to several.
  std::stop_token stop = {};

  bool is_cancelled() const {
    return cancelled->load(std::memory_order_relaxed) || stop.stop_requested();
  }
  bool should_stop() const {
    return is_cancelled() || std::chrono::steady_clock::now() >= deadline;
  }
  std::chrono::milliseconds left() const {
    const auto now = std::chrono::steady_clock::now();
    return now >= deadline ? std::chrono::milliseconds(0)
                           : std::chrono::duration_cast<std::chrono::milliseconds>(deadline - now);
  }
  void tell(const Progress& progress) const {
    if (report) report(progress);
  }
};

}  // namespace iii::sources
