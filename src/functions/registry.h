// directory::registry::workers::{list,info}: the workers registry, browsed (directory-write §7,
// §8).
#pragma once

#include <functional>
#include <memory>

#include "sdk/worker.h"
#include "sources/downloads.h"

namespace iii::directory {

// The sources as configured now; a call keeps those it began with.
using CurrentDownloads = std::function<std::shared_ptr<sources::Downloads>()>;

struct WorkerInfoInput;
// Which worker is meant; the error is ready for the bus.
Result<sources::RegistrySource> registry_source(const WorkerInfoInput& in);

// What blocks runs on the worker's pool.
void add_registry_functions(sdk::Worker& worker, CurrentDownloads current);

}  // namespace iii::directory
