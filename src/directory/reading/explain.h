// directory::skills::explain: why a document is served or not.
#pragma once

namespace iii::directory {

class FunctionTable;
class Library;

// `library` outlives the table.
void add_explain(FunctionTable& table, Library& library);

}  // namespace iii::directory
