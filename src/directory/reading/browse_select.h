// Which rows of the table fit a query, in which order, and how many there would be with other
// filters. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "directory/library/view.h"
#include "directory/reading/browse_types.h"

namespace iii::directory {

// The words of a query, folded; words beyond a limit are ignored.
std::vector<std::string> browse_terms(std::string_view text);

struct BrowseSelection {
  std::vector<uint32_t> rows;  // best first, then by id
  uint64_t served = 0;         // of them
  BrowseFacets facets;
  double took_ms = 0;
  bool by_meaning = false;  // the rows were found by the search for meaning
};

// Rows of the view's table that have all terms.
BrowseSelection select_rows(const View& view, const BrowseInput& in);
// The same among rows that somebody else found, in that order, whatever terms they have.
BrowseSelection select_among(const View& view, const BrowseInput& in,
                             std::span<const uint32_t> found);

}  // namespace iii::directory
