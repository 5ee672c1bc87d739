// skills::list and prompts::list, which two generations share: rows that satisfy both schemas.
#pragma once

#include "functions/function_table.h"
#include "library/library.h"

namespace iii::directory {

// Where workers cannot register documents: files only, as 0.4.1 listed them. `library` outlives the
// table.
void add_legacy_lists(FunctionTable& table, Library& library);

}  // namespace iii::directory
