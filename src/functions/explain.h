// directory::skills::explain: why a document is served or not.
#pragma once

#include <memory>

#include "functions/browse.h"
#include "library/library.h"

namespace iii::directory {

class FunctionTable;

// `library` outlives the table.
void add_explain(FunctionTable& table, Library& library, std::shared_ptr<Browser> browser);

}  // namespace iii::directory
