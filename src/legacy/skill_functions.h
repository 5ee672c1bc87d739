// skills::{register,unregister,resources-list,resources-read,resources-templates} of skills 0.1.5.
#pragma once

#include "content/content.h"
#include "legacy/on_change.h"
#include "library/installed.h"
#include "library/registered.h"
#include "sdk/worker.h"

namespace iii::directory {

// Everything outlives the worker's use of it.
struct LegacyParts {
  content::Content& content;
  Installed& installed;
  Registered& registered;
  OnChange& on_change;
};

void add_registered_skill_functions(sdk::Worker& worker, const LegacyParts& parts);

}  // namespace iii::directory
