// skills::list and prompts::list, which two generations share: rows that satisfy both schemas.
#pragma once

#include "library/library.h"
#include "sdk/worker.h"

namespace iii::directory {

// Where workers cannot register documents: files only, as 0.4.1 listed them. `library` outlives the
// worker's use of it.
void add_legacy_lists(sdk::Worker& worker, Library& library);

}  // namespace iii::directory
