// Which rows of the table fit a query, in which order, and how many there would be with other
// filters. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "directory/library/view.h"

namespace iii::directory {

// An empty list of words chooses everything.
struct BrowseQuery {
  std::vector<std::string> terms;  // folded; all must occur
  std::vector<std::string> states;
  std::vector<std::string> roots;
  std::vector<std::string> types;
  std::vector<std::string> spaces;

  bool operator==(const BrowseQuery&) const = default;
};

// The words of a query, folded; words beyond a limit are ignored.
std::vector<std::string> browse_terms(std::string_view text);

// A count says what would be chosen if only the other groups were filtered.
struct BrowseFacets {
  using Counts = std::vector<std::pair<std::string, uint64_t>>;
  Counts states;
  Counts roots;
  Counts types;
  Counts spaces;  // the largest, and those that were chosen
  uint64_t all_spaces = 0;
};

struct BrowseSelection {
  std::vector<uint32_t> rows;  // best first, then by id
  uint64_t served = 0;         // of them
  BrowseFacets facets;
  double took_ms = 0;
  bool by_meaning = false;  // the rows were found by the search for meaning
};

// Rows of the view's table.
BrowseSelection select_rows(const View& view, const BrowseQuery& query);
// The same among rows that somebody else found, in that order; `terms` do not count.
BrowseSelection select_among(const View& view, const BrowseQuery& query,
                             std::span<const uint32_t> found);

}  // namespace iii::directory
