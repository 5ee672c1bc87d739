// directory::skills::browse: all documents with facets, also those that are not served.
#pragma once

#include <memory>
#include <optional>

#include "directory/library/library.h"
#include "directory/reading/browse_select.h"
#include "directory/reading/browse_types.h"

namespace iii::directory {

class FunctionTable;
class SkillSearch;

// `search` null: nothing is found by meaning. Both outlive it.
class Browser {
 public:
  Browser(Library& library, SkillSearch* search) : library_(library), search_(search) {}

  task::Task<Result<json::Raw>> browse(BrowseInput in);

 private:
  task::Task<BrowseSelection> selection(View view, BrowseQuery query, std::string words);
  task::Task<std::vector<uint32_t>> by_meaning(View view, std::string words);

  Library& library_;
  SkillSearch* const search_;
};

// The row that a caller means: an id as rows show it, `root:path`, another spelling of an id, or
// the path of a file. May look at every row.
std::optional<size_t> find_row(const View& view, std::string_view text);

void add_browse(FunctionTable& table, Library& library, SkillSearch* search);

}  // namespace iii::directory
