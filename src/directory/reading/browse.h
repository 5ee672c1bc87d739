// directory::skills::browse: all documents with facets, also those that are not served.
#pragma once

namespace iii::directory {

class FunctionTable;
class Library;
class SkillSearch;

// `search` null: nothing is found by meaning. Both outlive the table.
void add_browse(FunctionTable& table, Library& library, SkillSearch* search);

}  // namespace iii::directory
