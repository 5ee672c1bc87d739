#include "directory/reading/browse.h"

#include <algorithm>
#include <utility>

#include "directory/library/library.h"
#include "directory/reading/browse_select.h"
#include "directory/reading/skill_search.h"
#include "directory/table/descriptions.h"
#include "directory/table/errors.h"
#include "directory/table/function_table.h"
#include "foundation/base/saturate.h"
#include "foundation/base/text.h"

namespace iii::directory {

namespace {

constexpr size_t kMostByMeaning = 50;

Result<void> check(const BrowseInput& in) {
  if (in.limit == 0U) return std::unexpected(empty_page("directory::skills::browse"));
  for (const std::string& state : in.state.value_or(std::vector<std::string>())) {
    if (std::ranges::find(kDocumentStates, state) == kDocumentStates.end()) {
      return std::unexpected(unknown_state(state));
    }
  }
  return {};
}

BrowseOutput browse_page(const View& view, const BrowseInput& in, const BrowseSelection& chosen) {
  const DocumentTablePtr table = view.table();
  BrowseOutput out{.total = chosen.rows.size(),
                   .served = chosen.served,
                   .all = table->rows().size(),
                   .took_ms = chosen.took_ms,
                   .generation = view.generation().number,
                   .facets = chosen.facets};
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

// On the loop thread; what it refers to outlives it.
class Browser {
 public:
  Browser(Library& library, SkillSearch* search) : library_(library), search_(search) {}

  task::Task<Result<json::Raw>> browse(BrowseInput in) {
    if (const Result<void> legal = check(in); !legal) co_return std::unexpected(legal.error());
    const View view = co_await library_.current();
    BrowseSelection chosen = co_await selection(view, in);
    auto make = [in = std::move(in), chosen = std::move(chosen)](const View& v) {
      return bounded(json::encode(browse_page(v, in, chosen)),
                     "directory::skills::browse with a lower `limit`");
    };
    co_return co_await library_.answer(view, std::move(make));
  }

 private:
  // `in` outlives the task.
  task::Task<BrowseSelection> selection(View view, const BrowseInput& in) {
    auto select = [&in](const View& v) { return select_rows(v, in); };
    BrowseSelection found = co_await library_.answer(view, std::move(select));
    const std::string words = in.q.value_or("");
    if (!found.rows.empty() || browse_terms(words).empty() || search_ == nullptr) co_return found;
    const IndexedSkillsPtr index = co_await search_->follow(view);
    const Result<search::Answer> near =
        co_await search_->find(view, index, words, {.user_only = true}, kMostByMeaning);
    if (!near || near->hits.empty()) co_return found;  // such words mean nothing
    auto among = [&in, &near](const View& v) {
      std::vector<uint32_t> rows;
      for (const search::Hit& hit : near->hits) {
        if (const auto row = v.table()->find(hit.key)) rows.push_back(static_cast<uint32_t>(*row));
      }
      return select_among(v, in, rows);
    };
    const double took = found.took_ms;
    found = co_await library_.answer(view, std::move(among));
    found.took_ms += took;
    found.by_meaning = true;
    co_return found;
  }

  Library& library_;
  SkillSearch* const search_;
};

}  // namespace

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
