// directory::search_functions: functions, installable workers, skills and bindings for what a task
// needs.
#pragma once

#include <functional>
#include <memory>

#include "directory/discovery/function_catalog.h"
#include "directory/reading/skill_search.h"
#include "directory/sources/downloads.h"

namespace iii::directory {

class FunctionTable;

struct SearchFunctionsParts {
  sdk::Worker& worker;
  Library& library;
  FunctionCatalog& catalog;
  SkillSearch& skills;
  // The sources as configured now.
  std::function<std::shared_ptr<sources::Downloads>()> downloads;
  // Whether the registry may be asked.
  std::function<bool()> registry_search;
};

// Everything in `parts` outlives the table.
void add_search_functions(FunctionTable& table, SearchFunctionsParts parts);

}  // namespace iii::directory
