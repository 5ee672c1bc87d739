// directory::registry::workers::{list,info}: the workers registry, browsed (directory-write §7,
// §8).
#pragma once

#include <functional>
#include <memory>

#include "directory/sources/downloads.h"
#include "foundation/task/pool.h"

namespace iii::directory {

class FunctionTable;

// The sources as configured now; a call keeps those it began with.
using CurrentDownloads = std::function<std::shared_ptr<sources::Downloads>()>;

struct WorkerInfoInput;
// Which worker is meant; the error is ready for the bus.
Result<sources::RegistrySource> registry_source(const WorkerInfoInput& in);

// What blocks runs on `pool`, which outlives the table.
void add_registry_functions(FunctionTable& table, task::Pool& pool, CurrentDownloads current);

}  // namespace iii::directory
