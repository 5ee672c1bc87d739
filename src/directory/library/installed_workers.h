// Which workers are installed, as `worker::list` and `compose::status` say: asked rarely, never
// waited for twice (R51–R55).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bus/sdk/worker.h"
#include "directory/library/latch.h"
#include "directory/library/view.h"
#include "foundation/base/log.h"

namespace iii::directory {

struct InstalledWorkersOptions {
  bool filter = true;                        // `filter_unregistered`
  std::chrono::milliseconds ttl{60'000};     // `registry_cache_ttl_ms`; 0: never fresh
  std::chrono::milliseconds timeout{5'000};  // of one `worker::list`
  // After a time-out nobody waits again for this long (at least; the TTL when that is longer).
  std::chrono::milliseconds retry_after{1'000};
  // This program's own page counts as installed: it is compiled in, and a file may replace it.
  bool own_page = true;
};

// On the loop thread. Concurrent callers share one question.
class InstalledWorkers {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;
  InstalledWorkers(
      sdk::Worker& worker, InstalledWorkersOptions options,
      Clock now = [] { return std::chrono::steady_clock::now(); })
      : worker_(worker), options_(options), now_(std::move(now)) {}

  // Names to filter by: null means "do not filter" (switched off, or nobody ever answered).
  task::Task<NamesPtr> for_filter(bool fresh);
  // The same as it is known at the moment, without a question.
  NamesPtr last_for_filter() const { return options_.filter ? known_ : nullptr; }
  // Names to resolve short ids with, also when the filter is off; empty when unknown.
  task::Task<NamesPtr> for_resolution();

  void set_options(InstalledWorkersOptions options);
  void forget() { asked_at_.reset(); }

 private:
  task::Task<NamesPtr> names(bool fresh);
  bool is_fresh() const;
  bool recently_failed() const;

  sdk::Worker& worker_;
  InstalledWorkersOptions options_;
  Clock now_;
  NamesPtr known_;                                                 // last answer, whatever its age
  std::optional<std::chrono::steady_clock::time_point> asked_at_;  // of the last answer
  std::optional<std::chrono::steady_clock::time_point> failed_at_;
  SingleFlight asking_;
  bool refused_ = false;  // the last question was refused at once
  LogOnce failure_log_;
};

}  // namespace iii::directory
