#include "directory/reading/browse.h"

#include <algorithm>
#include <utility>

#include "directory/reading/resolve.h"
#include "directory/reading/skill_list.h"
#include "directory/reading/skill_search.h"
#include "directory/table/descriptions.h"
#include "directory/table/errors.h"
#include "directory/table/function_table.h"
#include "foundation/base/saturate.h"
#include "foundation/base/text.h"

namespace iii::directory {

namespace {

constexpr size_t kMostByMeaning = 50;

Result<BrowseQuery> query_of(const BrowseInput& in) {
  if (in.limit == 0U) return std::unexpected(empty_page("directory::skills::browse"));
  BrowseQuery out{.terms = browse_terms(in.q.value_or("")),
                  .states = in.state.value_or(std::vector<std::string>()),
                  .roots = in.root.value_or(std::vector<std::string>()),
                  .types = in.type.value_or(std::vector<std::string>()),
                  .spaces = in.name_space.value_or(std::vector<std::string>())};
  for (const std::string& state : out.states) {
    if (std::ranges::find(kDocumentStates, state) == kDocumentStates.end()) {
      return std::unexpected(unknown_state(state));
    }
  }
  return out;
}

BrowseCounts counts_of(const BrowseFacets::Counts& counts) {
  BrowseCounts out;
  for (const auto& [name, count] : counts) {
    std::string text;
    json::append_string(text, name);
    out.push_back({json::Raw{std::move(text)}, json::Raw{std::to_string(count)}});
  }
  return out;
}

}  // namespace

std::optional<size_t> find_row(const View& view, std::string_view text) {
  const DocumentTablePtr table = view.table();
  if (const auto row = table->find(text)) return row;
  const auto& roots = view.generation().roots;
  const auto count = static_cast<uint16_t>(roots.size());
  const size_t colon = text.find(':');
  for (uint16_t root = 0; colon != std::string_view::npos && root < count; ++root) {
    if (roots[root].label != text.substr(0, colon)) continue;
    if (const auto row = table->find_file(root, text.substr(colon + 1))) return row;
  }
  // As it is written on disk, before the spellings that also lead to it: names that differ only in
  // case are different files.
  for (const std::string_view end : {"", "/SKILL.md", ".md"}) {
    const std::string path = std::string(text) + std::string(end);
    for (uint16_t root = 0; root < count; ++root) {
      if (const auto row = table->find_file(root, path)) return row;
    }
  }
  const Result<std::string> id = normalise_input(text);
  if (!id) return std::nullopt;
  const content::Skill* skill = look_up(view.unfiltered(), *id);
  if (skill != nullptr) return table->find(skill->id);
  const auto row = table->find(*id);
  return row ? row : table->find_unserved(*id);
}

static BrowseOutput browse_page(const View& view, const BrowseInput& in,
                                const BrowseSelection& chosen) {
  const DocumentTablePtr table = view.table();
  BrowseOutput out{.total = chosen.rows.size(),
                   .served = chosen.served,
                   .all = table->rows().size(),
                   .took_ms = chosen.took_ms,
                   .generation = view.generation().number};
  out.facets = {.state = counts_of(chosen.facets.states),
                .root = counts_of(chosen.facets.roots),
                .type = counts_of(chosen.facets.types),
                .name_space = counts_of(chosen.facets.spaces),
                .namespaces = chosen.facets.all_spaces};
  if (in.locate) {
    if (const std::optional<size_t> row = table->find(*in.locate)) {
      const auto at = std::ranges::find(chosen.rows, static_cast<uint32_t>(*row));
      if (at != chosen.rows.end()) out.index = at - chosen.rows.begin();
    }
  }
  const size_t limit = saturated_size(std::min(in.limit.value_or(kBrowsePage), kMaxBrowsePage));
  const size_t first = std::min(saturated_size(in.offset.value_or(0)), chosen.rows.size());
  const size_t last = first + std::min(limit, chosen.rows.size() - first);
  for (size_t i = first; i < last; ++i) {
    out.rows.push_back({table_row(view, table->rows()[chosen.rows[i]])});
    if (chosen.by_meaning) out.rows.back().by = "meaning";
  }
  return out;
}

task::Task<Result<json::Raw>> Browser::browse(BrowseInput in) {
  Result<BrowseQuery> query = query_of(in);
  if (!query) co_return std::unexpected(std::move(query.error()));
  const View view = co_await library_.current();
  BrowseSelection chosen = co_await selection(view, std::move(*query), in.q.value_or(""));
  auto make = [in = std::move(in), chosen = std::move(chosen)](const View& v) {
    return bounded(json::encode(browse_page(v, in, chosen)),
                   "directory::skills::browse with a lower `limit`");
  };
  co_return co_await library_.answer(view, std::move(make));
}

task::Task<BrowseSelection> Browser::selection(View view, BrowseQuery query, std::string words) {
  auto select = [&query](const View& v) { return select_rows(v, query); };
  BrowseSelection found = co_await library_.answer(view, std::move(select));
  if (!found.rows.empty() || query.terms.empty() || search_ == nullptr) co_return found;
  const std::vector<uint32_t> rows = co_await by_meaning(view, std::move(words));
  if (rows.empty()) co_return found;
  const double took = found.took_ms;
  auto among = [&query, &rows](const View& v) { return select_among(v, query, rows); };
  found = co_await library_.answer(view, std::move(among));
  found.took_ms += took;
  found.by_meaning = true;
  co_return found;
}

task::Task<std::vector<uint32_t>> Browser::by_meaning(View view, std::string words) {
  const IndexedSkillsPtr index = co_await search_->follow(view);
  const Result<search::Answer> found =
      co_await search_->find(view, index, std::move(words), {.user_only = true}, kMostByMeaning);
  if (!found) co_return std::vector<uint32_t>();  // such words mean nothing
  auto rows = [&found](const View& v) {
    std::vector<uint32_t> places;
    for (const search::Hit& hit : found->hits) {
      if (const auto row = v.table()->find(hit.key)) places.push_back(static_cast<uint32_t>(*row));
    }
    return places;
  };
  co_return co_await library_.answer(view, std::move(rows));
}

void add_browse(FunctionTable& table, Library& library, SkillSearch* search) {
  const auto browser = std::make_shared<Browser>(library, search);
  table.add<BrowseInput, BrowseOutput>(
      {.id = "directory::skills::browse",
       .title = "Browse skills",
       .description = about::kSkillsBrowse,
       .hints = kReadOnly},
      [browser](BrowseInput in) { return browser->browse(std::move(in)); });
}

}  // namespace iii::directory
