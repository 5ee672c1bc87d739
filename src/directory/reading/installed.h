// What is installed, for functions that read: directory.lock and the threads that look at the disk.
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
  Installed(WorkQueue& loop, std::shared_ptr<sources::Downloads> downloads)
      : downloads_(std::move(downloads)), local_(loop, kLocalThreads) {}

  const std::shared_ptr<sources::Downloads>& downloads() const { return downloads_; }
  // For what looks at the disk and asks nobody.
  task::Pool& local() { return local_; }

 protected:
  ~Installed() = default;

  std::shared_ptr<sources::Downloads> downloads_;
  task::Pool local_;

 private:
  static constexpr size_t kLocalThreads = 2;
};

}  // namespace iii::directory
