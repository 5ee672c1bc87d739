// skills::{register,unregister,resources-list,resources-read,resources-templates} of skills 0.1.5.
#pragma once

#include "legacy/on_change.h"
#include "library/library.h"
#include "sdk/worker.h"

namespace iii::directory {

// Everything outlives the worker's use of it.
struct LegacyParts {
  Library& library;  // has registrations()
  OnChange& on_change;

  RegistrationStore& registered() const { return *library.registrations(); }
};

void add_registered_skill_functions(sdk::Worker& worker, const LegacyParts& parts);

}  // namespace iii::directory
