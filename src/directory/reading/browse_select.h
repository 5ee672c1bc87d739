// What directory::skills::browse takes and gives; which rows of the table fit a query, in which
// order, and how many there would be with other filters. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "directory/library/view.h"
#include "directory/reading/skill_row.h"
#include "foundation/json/describe.h"

namespace iii::directory {

struct BrowseInput {
  std::optional<std::string> q;
  std::optional<std::vector<std::string>> state;
  std::optional<std::vector<std::string>> root;
  std::optional<std::vector<std::string>> type;
  std::optional<std::vector<std::string>> name_space;
  std::optional<uint64_t> offset;
  std::optional<uint64_t> limit;
  std::optional<std::string> locate;
};

// A count is a pair: a name and a number.
using BrowseCounts = std::vector<std::vector<json::Value>>;
// A count says what would be chosen if only the other groups were filtered.
struct BrowseFacets {
  BrowseCounts state;
  BrowseCounts root;
  BrowseCounts type;
  BrowseCounts name_space;  // the largest, and those that were chosen
  uint64_t namespaces = 0;
};

struct BrowseOutput {
  uint64_t total = 0;
  uint64_t served = 0;
  uint64_t all = 0;
  int64_t index = -1;
  double took_ms = 0;
  uint64_t generation = 0;
  BrowseFacets facets;
  std::vector<BrowsedSkill> rows;
};

inline constexpr uint64_t kBrowsePage = 64;
inline constexpr uint64_t kMaxBrowsePage = 256;

inline auto describe(json::Type<BrowseInput>) {
  using T = BrowseInput;
  return json::object<T>(
      "BrowseInput", "",
      json::field(
          "q", &T::q,
          "Words in any order, all of which must occur in id, title or description, "
          "ignoring case. Rows whose id, or its last part, is a word come first, then those "
          "where it begins with one, then words in the id, title and description. "
          "When no row has the words, rows that fit by meaning are returned (`by`)."),
      json::field("state", &T::state,
                  "Only rows in these states: `served`, `finding` (served, and directory::doctor "
                  "has a finding), `missing` (the file cannot be served), `filtered` (its worker "
                  "is not installed), `shadowed` (another document has its place)."),
      json::field("root", &T::root,
                  "Only rows of these folders: `local`, `global`, `extra-1`, `registered`, "
                  "`builtin`."),
      json::field("type", &T::type, "Only rows of these types; `none` for those without one."),
      json::field("namespace", &T::name_space,
                  "Only rows of these namespaces: the first part of the id."),
      json::field("offset", &T::offset, "How many rows to pass over. Default 0."),
      json::field("limit", &T::limit, "Most rows to return, from 1 to 256. Default 64."),
      json::field("locate", &T::locate,
                  "An id whose position among the chosen rows is returned as `index`."));
}
inline auto describe(json::Type<BrowseFacets>) {
  using T = BrowseFacets;
  return json::object<T>(
      "BrowseFacets",
      "Pairs of a value and how many rows would be chosen if only the other groups were filtered.",
      json::field("state", &T::state, "All states, in a fixed order."),
      json::field("root", &T::root, "All folders, in order of precedence."),
      json::field("type", &T::type, "The eight most frequent types, after those that were chosen."),
      json::field("namespace", &T::name_space,
                  "The twelve namespaces with the most rows, after those that were chosen."),
      json::field("namespaces", &T::namespaces, "How many namespaces have rows."));
}
inline auto describe(json::Type<BrowseOutput>) {
  using T = BrowseOutput;
  return json::object<T>(
      "BrowseOutput", "", json::field("total", &T::total, "Rows that the filters choose."),
      json::field("served", &T::served, "How many of them are served."),
      json::field("all", &T::all, "Rows without any filter."),
      json::field("index", &T::index, "Position of `locate` among the chosen rows, or -1."),
      json::field("took_ms", &T::took_ms, "How long the choice took."),
      json::field("generation", &T::generation, "The state of the folders that this answer shows."),
      json::field("facets", &T::facets, ""), json::field("rows", &T::rows, "One page of rows."));
}

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
