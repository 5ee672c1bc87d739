// skills::list and prompts::list, which two generations share: rows that satisfy both schemas.
#pragma once

#include "content/content.h"
#include "library/installed.h"
#include "library/registered.h"
#include "sdk/worker.h"

namespace iii::directory {

// `registered` null: files only, as 0.4.1 listed them. Everything outlives the worker's use of it.
void add_legacy_lists(sdk::Worker& worker, content::Content& content, Installed& installed,
                      Registered* registered);

}  // namespace iii::directory
