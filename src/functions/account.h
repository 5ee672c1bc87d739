// directory::account: every file of every folder, in columns that add up.
#pragma once

#include <memory>

#include "functions/browse.h"
#include "functions/function_table.h"
#include "functions/inspect.h"
#include "library/library.h"

namespace iii::directory {

// `library` outlives the table.
void add_account(FunctionTable& table, Library& library, std::shared_ptr<Browser> browser,
                 FolderNames folders);

}  // namespace iii::directory
