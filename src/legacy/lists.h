// skills::list and prompts::list, which two generations share: rows that satisfy both schemas.
#pragma once

#include "library/library.h"

namespace iii::directory {

class FunctionTable;

// Where workers cannot register documents: files only, as 0.4.1 listed them. `library` outlives the
// table.
void add_legacy_lists(FunctionTable& table, Library& library);

}  // namespace iii::directory
