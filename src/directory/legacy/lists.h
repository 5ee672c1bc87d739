// skills::list and prompts::list, which two versions share: rows that satisfy both schemas.
#pragma once

namespace iii::directory {

class FunctionTable;
class Library;

// Where workers cannot register documents: files only, as 0.4.1 listed them. `library` outlives the
// table.
void add_legacy_lists(FunctionTable& table, Library& library);

}  // namespace iii::directory
