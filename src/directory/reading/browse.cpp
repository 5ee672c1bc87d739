#include "directory/reading/browse.h"

#include <algorithm>
#include <utility>

#include "directory/reading/resolve.h"
#include "directory/reading/skill_list.h"
#include "directory/reading/skill_search.h"
#include "directory/table/descriptions.h"
#include "directory/table/errors.h"
#include "directory/table/function_table.h"
#include "foundation/base/discard.h"
#include "foundation/base/saturate.h"
#include "foundation/base/text.h"

namespace iii::directory {

namespace {

constexpr size_t kShownCharacters = 400;
// Selections that are kept: what was typed before comes back when a letter is deleted.
constexpr size_t kKeptSelections = 8;
constexpr size_t kMostByMeaning = 50;

Result<BrowseQuery> query_of(const BrowseInput& in) {
  if (in.limit == 0U) return std::unexpected(empty_page("directory::skills::browse"));
  BrowseQuery out{.terms = browse_terms(in.q.value_or("")),
                  .states = in.state.value_or(std::vector<std::string>()),
                  .roots = in.root.value_or(std::vector<std::string>()),
                  .types = in.type.value_or(std::vector<std::string>()),
                  .spaces = in.name_space.value_or(std::vector<std::string>())};
  for (const std::string& state : out.states) {
    if (std::ranges::find(kBrowseStates, state) == kBrowseStates.end()) {
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

const content::Finding& worst_of(const std::vector<content::Finding>& findings) {
  return *std::ranges::max_element(findings, {}, &content::Finding::severity);
}

// Others wait while this lives, however it ends.
class Making {
 public:
  explicit Making(std::optional<Latch>& latch) : latch_(latch) { latch_.emplace(); }
  ~Making() {
    Latch done = *std::exchange(latch_, std::nullopt);
    done.open();
  }
  Making(const Making&) = delete;
  Making& operator=(const Making&) = delete;

 private:
  std::optional<Latch>& latch_;
};

void fill(BrowseRow& out, const View& view, const content::Skill& skill) {
  out.id = view.display(skill.id);
  out.title = view.title(skill);
  out.description = utf8_prefix(skill.description, kShownCharacters);
  out.type = skill.type.value_or(std::string(kNoType));
  out.path = skill.file.path;
  out.bytes = skill.bytes;
  out.modified_at = content::format_time(skill.mtime_ns);
  out.kind = kind_word(skill.kind);
  out.function_id = skill.function_id;
  if (!skill.for_agents) out.user_only = true;
}

void fill(BrowseRow& out, const UnservedRow& row) {
  out.id = row.id;
  out.title = row.wanted;
  out.type = kNoType;
  out.path = row.reason().file.path;
  out.kind = row.kind;
}

void fill_reason(BrowseRow& out, const BrowseColumns& columns, size_t row) {
  const BrowseState state = columns.state(row);
  if (state == BrowseState::kServed) return;
  if (state == BrowseState::kFiltered) {
    out.code = "hidden_by_filter";
    out.reason = "`filter_unregistered` is on, and worker::list does not name the worker `" +
                 out.name_space + "`.";
    return;
  }
  const content::Skill* skill = columns.skill(row);
  const content::FindingsPtr findings = skill != nullptr
                                            ? findings_of(columns.view().generation(), skill->file)
                                            : columns.unserved(row).findings;
  if (findings == nullptr) return;
  const content::Finding& worst =
      skill != nullptr ? worst_of(*findings) : columns.unserved(row).reason();
  out.code = worst.code;
  out.reason = worst.message;
}

}  // namespace

std::optional<size_t> find_row(const BrowseColumns& columns, std::string_view text) {
  if (const auto row = columns.find(text)) return row;
  const auto& roots = columns.view().generation().roots;
  const auto count = static_cast<uint16_t>(roots.size());
  const size_t colon = text.find(':');
  for (uint16_t root = 0; colon != std::string_view::npos && root < count; ++root) {
    if (roots[root].label != text.substr(0, colon)) continue;
    if (const auto row = columns.find(root, text.substr(colon + 1))) return row;
  }
  // As it is written on disk, before the spellings that also lead to it: names that differ only in
  // case are different files.
  for (const std::string_view end : {"", "/SKILL.md", ".md"}) {
    const std::string path = std::string(text) + std::string(end);
    for (uint16_t root = 0; root < count; ++root) {
      if (const auto row = columns.find(root, path)) return row;
    }
  }
  if (const Result<std::string> id = normalise_input(text)) {
    const content::Skill* skill = look_up(columns.view().unfiltered(), *id);
    if (skill != nullptr) return columns.find(skill->id);
    if (const auto row = columns.find(*id)) return row;
    const auto& unserved = columns.all_unserved();
    const auto at = std::ranges::find(unserved, *id, &UnservedRow::wanted);
    if (at != unserved.end()) {
      return columns.skills() + static_cast<size_t>(at - unserved.begin());
    }
  }
  return std::nullopt;
}

BrowseRow browse_row(const BrowseColumns& columns, size_t row) {
  BrowseRow out;
  const content::Skill* skill = columns.skill(row);
  skill != nullptr ? fill(out, columns.view(), *skill) : fill(out, columns.unserved(row));
  out.root = columns.view().generation().roots[columns.root(row)].label;
  out.state = kBrowseStates[static_cast<size_t>(columns.state(row))];
  out.name_space = columns.space_names()[columns.space(row)];
  fill_reason(out, columns, row);
  return out;
}

Browser::Browser(sdk::Worker& worker, Library& library, SkillSearch* search, BrowseOptions options)
    : worker_(worker), library_(library), search_(search), options_(options) {}

Browser::~Browser() {
  if (timer_ != 0) worker_.core().loop.cancel(timer_);
}

task::Task<Result<json::Raw>> Browser::browse(BrowseInput in) {
  Result<BrowseQuery> query = query_of(in);
  if (!query) co_return std::unexpected(std::move(query.error()));
  const View view = co_await library_.current();
  const BrowseColumnsPtr columns = co_await this->columns(view);
  const auto chosen = co_await selection(columns, std::move(*query), in.q.value_or(""));
  BrowseOutput out{.total = chosen->rows.size(),
                   .served = chosen->served,
                   .all = columns->rows(),
                   .took_ms = chosen->took_ms,
                   .generation = columns->view().generation().number};
  out.facets = {.state = counts_of(chosen->facets.states),
                .root = counts_of(chosen->facets.roots),
                .type = counts_of(chosen->facets.types),
                .name_space = counts_of(chosen->facets.spaces),
                .namespaces = chosen->facets.all_spaces};
  if (in.locate) {
    if (const std::optional<size_t> row = columns->find(*in.locate)) {
      const auto at = std::ranges::find(chosen->rows, static_cast<uint32_t>(*row));
      if (at != chosen->rows.end()) out.index = at - chosen->rows.begin();
    }
  }
  const size_t limit = saturated_size(std::min(in.limit.value_or(kBrowsePage), kMaxBrowsePage));
  const size_t first = std::min(saturated_size(in.offset.value_or(0)), chosen->rows.size());
  const size_t last = first + std::min(limit, chosen->rows.size() - first);
  for (size_t i = first; i < last; ++i) {
    out.rows.push_back(browse_row(*columns, chosen->rows[i]));
    if (chosen->by_meaning) out.rows.back().by = "meaning";
  }
  co_return bounded(json::encode(out), "directory::skills::browse with a lower `limit`");
}

task::Task<BrowseColumnsPtr> Browser::columns(View view) {
  used();
  const auto self = shared_from_this();
  while (making_) co_await *making_;
  if (columns_ != nullptr && columns_->fits(view)) co_return columns_;
  const Making making(making_);
  auto work = [view, before = columns_] { return BrowseColumns::make(view, before.get()); };
  BrowseColumnsPtr made = co_await library_.on_answer_thread(std::move(work));
  // Freed elsewhere, unless somebody still uses them.
  discard(std::exchange(columns_, made));
  known_.clear();
  co_return made;
}

task::Task<std::shared_ptr<const BrowseSelection>> Browser::selection(BrowseColumnsPtr columns,
                                                                      BrowseQuery query,
                                                                      std::string words) {
  const auto self = shared_from_this();
  if (columns == columns_) {
    const auto known = std::ranges::find(known_, query, &Known::query);
    if (known != known_.end()) co_return known->selection;
  }
  auto select = [columns, query] { return select_rows(*columns, query); };
  BrowseSelection found = co_await library_.on_answer_thread(std::move(select));
  if (found.rows.empty() && !query.terms.empty() && search_ != nullptr) {
    const std::vector<uint32_t> rows = co_await by_meaning(columns, std::move(words));
    if (!rows.empty()) {
      const double took = found.took_ms;
      found = select_among(*columns, query, rows);
      found.took_ms += took;
      found.by_meaning = true;
    }
  }
  auto out = std::make_shared<const BrowseSelection>(std::move(found));
  if (columns == columns_) {
    known_.push_front({.query = std::move(query), .selection = out});
    if (known_.size() > kKeptSelections) known_.pop_back();
  }
  co_return out;
}

task::Task<std::vector<uint32_t>> Browser::by_meaning(BrowseColumnsPtr columns, std::string words) {
  std::vector<uint32_t> out;
  const View& view = columns->view();
  const IndexedSkillsPtr index = co_await search_->follow(view);
  const Result<search::Answer> found =
      co_await search_->find(view, index, std::move(words), {.user_only = true}, kMostByMeaning);
  if (!found) co_return out;  // such words mean nothing
  for (const search::Hit& hit : found->hits) {
    if (const auto row = columns->find(hit.key)) out.push_back(static_cast<uint32_t>(*row));
  }
  co_return out;
}

void Browser::used() {
  last_use_ = std::chrono::steady_clock::now();
  if (timer_ != 0) return;
  timer_ = worker_.core().loop.after(options_.keep, [this] { look_at_clock(); });
}

void Browser::look_at_clock() {
  timer_ = 0;
  const auto idle = std::chrono::steady_clock::now() - last_use_;
  if (idle < options_.keep || making_) {
    const auto rest = std::chrono::duration_cast<std::chrono::microseconds>(options_.keep - idle);
    timer_ = worker_.core().loop.after(std::max(rest, std::chrono::microseconds(1'000)),
                                       [this] { look_at_clock(); });
    return;
  }
  drop();
}

void Browser::drop() {
  known_.clear();
  discard(std::exchange(columns_, nullptr));
}

void add_browse(FunctionTable& table, std::shared_ptr<Browser> browser) {
  table.add<BrowseInput, BrowseOutput>(
      {.id = "directory::skills::browse",
       .title = "Browse skills",
       .description = about::kSkillsBrowse,
       .hints = kReadOnly},
      [browser = std::move(browser)](BrowseInput in) { return browser->browse(std::move(in)); });
}

}  // namespace iii::directory
