// How long to wait before the next attempt to reach the engine (wire §17.1).
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "foundation/base/timers.h"

namespace iii::sdk {

struct BackoffOptions {
  Millis initial{1'000};
  Millis most{30'000};
  double factor = 2.0;
  double jitter = 0.3;    // share of the delay by which it may be shorter or longer
  Millis refused{1'000};  // while nobody listens on the port; it does not grow
};

class Backoff {
 public:
  // `random` draws evenly from [-1, 1).
  Backoff(BackoffOptions options, std::function<double()> random)
      : options_(options), random_(std::move(random)) {}

  Millis next() {
    const double grown = static_cast<double>(options_.initial.count()) *
                         std::pow(options_.factor, static_cast<double>(failures_));
    const double base = std::min(grown, static_cast<double>(options_.most.count()));
    // Beyond this the delay cannot grow any more.
    if (failures_ < 1'000) ++failures_;
    return jittered(base);
  }
  Millis refused() { return jittered(static_cast<double>(options_.refused.count())); }
  void reset() { failures_ = 0; }

 private:
  Millis jittered(double base) {
    return Millis(static_cast<int64_t>(std::floor(base + base * options_.jitter * random_())));
  }

  BackoffOptions options_;
  std::function<double()> random_;
  int failures_ = 0;
};

}  // namespace iii::sdk
