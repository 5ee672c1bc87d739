// Workers of the registry that could be installed for what nothing on this bus does. Blocking:
// called on a pool.
#pragma once

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "directory/reading/search_types.h"
#include "directory/sources/downloads.h"

namespace iii::directory {

struct Installable {
  std::vector<InstallableWorker> workers;  // best first
  bool reachable = true;
};

// `installed`: names of workers that are left out. Ends by `deadline`, with what is known by then.
Installable find_installable(sources::Downloads& downloads,
                             const std::vector<std::string>& capabilities,
                             const std::set<std::string>& installed,
                             std::chrono::steady_clock::time_point deadline);

}  // namespace iii::directory
