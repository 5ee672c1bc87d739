// directory::skills::explain: why a document is served or not.
#pragma once

#include <memory>

namespace iii::directory {

class Browser;
class FunctionTable;
class Library;

// `library` outlives the table.
void add_explain(FunctionTable& table, Library& library, std::shared_ptr<Browser> browser);

}  // namespace iii::directory
