// Workers of the registry that could be installed for what nothing on this bus does. Blocking:
// called on a pool.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "directory/discovery/search_functions_types.h"
#include "directory/sources/downloads.h"

namespace iii::directory {

// Best first; nothing: the registry does not answer. `installed`: names of workers that are left
// out. Ends by `deadline`, with what is known by then.
std::optional<std::vector<InstallableWorker>> find_installable(
    sources::Downloads& downloads, const std::vector<std::string>& capabilities,
    const std::set<std::string>& installed, std::chrono::steady_clock::time_point deadline);

}  // namespace iii::directory
