// registry::worker-list and registry::worker-info of iii-directory 0.4.1.
#pragma once

#include "directory/discovery/registry.h"

namespace iii::directory {

// A row of the later shape (registry_rows.h) as 0.4.1 spelled it.
json::Value row_041(const json::Value& row);

void add_registry_041(FunctionTable& table, task::Pool& pool, CurrentDownloads current);

}  // namespace iii::directory
