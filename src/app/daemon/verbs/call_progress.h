// How far a call is, in the words of the command line.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "faces/cli/ticker.h"

namespace iii::daemon {

// Told by those who work, read by the one who draws; from any thread.
class CallProgress {
 public:
  CallProgress(std::string about, std::string step)
      : tick_{.step = std::move(step), .what = std::move(about)} {}

  // `step` is a step as functions call it.
  void tell(std::string_view step, uint64_t done, uint64_t total);
  cli::Tick now() const {
    const std::lock_guard held(mutex_);
    return tick_;
  }

 private:
  mutable std::mutex mutex_;
  cli::Tick tick_;
};

}  // namespace iii::daemon
