// skills::{register,unregister,resources-list,resources-read,resources-templates} of skills 0.1.5.
#pragma once

#include "directory/legacy/on_change.h"
#include "directory/library/library.h"
#include "directory/table/engine_client.h"

namespace iii::directory {

class FunctionTable;

// Everything outlives the table.
struct LegacyParts {
  EngineClient& engine;
  Library& library;  // has registrations()
  OnChange& on_change;

  RegistrationStore& registered() const { return *library.registrations(); }
};

void add_registered_skill_functions(FunctionTable& table, const LegacyParts& parts);

}  // namespace iii::directory
