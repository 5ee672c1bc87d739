// directory::skills::browse: all documents with facets, also those that are not served.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>

#include "directory/library/latch.h"
#include "directory/library/library.h"
#include "directory/reading/browse_select.h"
#include "directory/reading/browse_types.h"

namespace iii::directory {

class FunctionTable;
class SkillSearch;

struct BrowseOptions {
  // How long the columns are kept after their last use: tens of thousands of rows take megabytes.
  std::chrono::milliseconds keep{std::chrono::minutes(5)};
};

// The columns of the present view and the last selections, for every function that shows rows. On
// the loop thread; what takes time runs on the library's answer threads. What it is given outlives
// it.
class Browser : public std::enable_shared_from_this<Browser> {
 public:
  // `search` null: nothing is found by meaning.
  Browser(sdk::Worker& worker, Library& library, SkillSearch* search, BrowseOptions options = {});
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  task::Task<Result<json::Raw>> browse(BrowseInput in);
  // The columns of a view.
  task::Task<BrowseColumnsPtr> columns(View view);

  // Null while they are not kept; for tests and measurements.
  const BrowseColumnsPtr& kept() const { return columns_; }
  // Lets go of everything that is kept.
  void drop();

 private:
  struct Known {
    BrowseQuery query;
    std::shared_ptr<const BrowseSelection> selection;
  };

  task::Task<std::shared_ptr<const BrowseSelection>> selection(BrowseColumnsPtr columns,
                                                               BrowseQuery query,
                                                               std::string words);
  task::Task<std::vector<uint32_t>> by_meaning(BrowseColumnsPtr columns, std::string words);
  void used();
  void look_at_clock();

  sdk::Worker& worker_;
  Library& library_;
  SkillSearch* const search_;
  const BrowseOptions options_;
  BrowseColumnsPtr columns_;
  std::optional<Latch> making_;
  std::deque<Known> known_;  // of `columns_`, the last one first
  std::chrono::steady_clock::time_point last_use_;
  TimerId timer_ = 0;
};

// The row that a caller means: an id as rows show it, `root:path`, another spelling of an id, or
// the path of a file. May look at every row: not for the loop thread.
std::optional<size_t> find_row(const BrowseColumns& columns, std::string_view text);

// One row as callers see it.
BrowseRow browse_row(const BrowseColumns& columns, size_t row);

void add_browse(FunctionTable& table, std::shared_ptr<Browser> browser);

}  // namespace iii::directory
