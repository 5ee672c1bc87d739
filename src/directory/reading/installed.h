// What is installed, for functions that read: directory.lock and the threads for work that waits.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "directory/sources/downloads.h"
#include "foundation/task/pool.h"

namespace iii::directory {

// `running` and `waiting` include what only looks at a source.
struct DownloadCounts {
  uint64_t running = 0;
  uint64_t waiting = 0;
  uint64_t done = 0;
  uint64_t failed = 0;
};

// On the loop thread.
class Installed {
 public:
  // `places`: downloads at the same time.
  Installed(WorkQueue& loop, std::shared_ptr<sources::Downloads> downloads, size_t places)
      : downloads_(std::move(downloads)), network_(loop, places + kOtherThreads) {}

  const std::shared_ptr<sources::Downloads>& downloads() const { return downloads_; }
  // For what asks sources, and for what reads or writes what is installed. Downloads leave some of
  // these threads free.
  task::Pool& network() { return network_; }

 protected:
  ~Installed() = default;

  std::shared_ptr<sources::Downloads> downloads_;
  task::Pool network_;

 private:
  static constexpr size_t kOtherThreads = 4;
};

}  // namespace iii::directory
