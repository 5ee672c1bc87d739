#include "directory/reading/search_function.h"

#include <algorithm>
#include <utility>

#include "directory/reading/skill_row.h"
#include "directory/search/skill_document.h"
#include "directory/search/snippet.h"
#include "directory/search/token_budget.h"
#include "directory/table/descriptions.h"
#include "directory/table/errors.h"
#include "directory/table/function_table.h"
#include "foundation/base/saturate.h"
#include "foundation/base/text.h"

namespace iii::directory {

namespace {

struct SearchSkillsInput {
  std::string query;
  std::optional<uint64_t> limit;
  std::optional<std::string> prefix;
  std::optional<std::string> type;
  std::optional<json::Raw> kind;
  std::optional<bool> include_user_only;
  std::optional<uint64_t> budget_tokens;
};
struct SearchSkillsOutput {
  std::vector<FoundSkill> skills;
  std::optional<std::vector<std::string>> nearest;
  std::string next;
  std::optional<uint64_t> left_out;
  uint64_t searched = 0;
};

auto describe(json::Type<SearchSkillsInput>) {
  using T = SearchSkillsInput;
  return json::object<T>(
      "SearchSkillsInput", "",
      json::field("query", &T::query,
                  "The task in a few words, for example `review a pull request`; at most 4096 "
                  "bytes. Required.")
          .length(json::kAnyLength),  // D130
      json::field("limit", &T::limit, "Most rows to return, 1 to 100. Default 10.").null_default(),
      json::field("prefix", &T::prefix, "Text that the id must start with, exactly.")
          .null_default(),
      json::field("type", &T::type, "Frontmatter `type:` that rows must have, exactly.")
          .null_default(),
      json::field("kind", &T::kind,
                  "Only rows of this kind: `skill`, `reference` or `readme`, or a list of them. "
                  "`skill` and `reference` when absent.")
          .null_default(),
      json::field("include_user_only", &T::include_user_only, kIncludeUserOnlyHelp).null_default(),
      json::field("budget_tokens", &T::budget_tokens,
                  "Most tokens that the answer may cost, at least 100: rows are shortened, then "
                  "left out, until it fits. No limit when absent.")
          .null_default());
}
auto describe(json::Type<SearchSkillsOutput>) {
  using T = SearchSkillsOutput;
  return json::object<T>(
      "SearchSkillsOutput", "",
      json::field("skills", &T::skills, "Best first; empty when nothing fits."),
      json::field("nearest", &T::nearest,
                  "When nothing fits: ids that come closest and may be worth a look."),
      json::field("next", &T::next, "What to do next."),
      json::field("left_out", &T::left_out,
                  "How many further rows fit the query and were left out because of `limit` or "
                  "`budget_tokens`; absent when all are there."),
      json::field("searched", &T::searched, "How many different documents were searched."));
}

constexpr std::string_view kSearchId = "directory::skills::search";
// Rows beyond the limit that are counted.
constexpr size_t kCounted = 50;
// Of a body, for the snippet.
constexpr size_t kSnippetBytes = 16 * 1024;

std::string_view how_word(search::Match::Kind kind) {
  switch (kind) {
    case search::Match::Kind::kSame:
      return "same";
    case search::Match::Kind::kSynonym:
      return "synonym";
    case search::Match::Kind::kSimilar:
      return "similar";
    case search::Match::Kind::kPrefix:
      return "prefix";
  }
  return "same";
}

std::vector<SearchReason> reasons_of(const search::Hit& hit) {
  std::vector<SearchReason> out;
  for (const search::Match& match : hit.matches) {
    SearchReason reason{.word = match.word,
                        .found = match.found,
                        .how = std::string(how_word(match.kind)),
                        .fields = {}};
    for (const auto& field : search::field_names(search::skill_profile(), match.fields)) {
      reason.fields.emplace_back(field);
    }
    out.push_back(std::move(reason));
  }
  return out;
}

// From the description, unless the body has words that it has not.
SearchSnippet snippet_of(const View& view, const content::Skill& skill, const search::Hit& hit) {
  constexpr search::FieldMask kBody = 1U << search::skill_field::kBody;
  const bool body_only = std::ranges::any_of(
      hit.matches, [](const search::Match& match) { return match.fields == kBody; });
  std::string text = skill.description;
  if (body_only || is_blank(text)) text = read_body_head(view, skill, kSnippetBytes);
  const search::Snippet found = search::snippet(text, hit.matches);
  SearchSnippet out{.text = found.text, .highlights = {}};
  for (const auto& range : found.highlights) out.highlights.push_back({range.begin, range.end});
  return out;
}

FoundSkill found_row(const View& view, const content::Skill& skill, const search::Hit& hit) {
  FoundSkill out{skill_row(view, skill)};
  out.description = utf8_prefix(out.description, kShownCharacters);
  out.score = hit.f;
  out.why = reasons_of(hit);
  out.snippet = snippet_of(view, skill, hit);
  return out;
}

std::string next_step(const SearchSkillsOutput& out) {
  if (!out.skills.empty()) {
    return "Read one with directory::skills::get, by its id, before you do what it is about.";
  }
  if (out.left_out) return "Call directory::skills::search with a larger `budget_tokens`.";
  if (out.nearest && !out.nearest->empty()) {
    return "Nothing fits well. If none of `nearest` does, try other words, or call "
           "directory::skills::index for what there is.";
  }
  return "Nothing fits. Try other words, or call directory::skills::index for what there is and "
         "directory::registry::workers::list for what could be installed.";
}

// The answer as JSON within the budget: whole rows first, then rows without reasons and snippet,
// then fewer rows.
std::string within_budget(SearchSkillsOutput out, size_t budget) {
  const auto fits = [budget](const SearchSkillsOutput& answer) {
    return search::estimate_tokens(json::encode(answer)) <= budget;
  };
  const uint64_t left_out = out.left_out.value_or(0);
  if (!fits(out)) {
    for (FoundSkill& row : out.skills) {
      row.why.reset();
      row.snippet.reset();
    }
  }
  uint64_t dropped = 0;
  while (!out.skills.empty() && !fits(out)) {
    // The last one without its description, before it is left out.
    if (out.skills.size() == 1 && !out.skills.back().description.empty()) {
      out.skills.back().description.clear();
      continue;
    }
    out.skills.pop_back();
    out.left_out = left_out + ++dropped;
    out.next = next_step(out);
  }
  return json::encode(out);
}

Result<json::Raw> answer_text(const View& view, const IndexedSkills& index,
                              const search::Answer& found, uint64_t limit,
                              std::optional<uint64_t> budget) {
  SearchSkillsOutput out;
  for (const search::Hit& hit : found.hits) {
    const content::Skill* skill = view.generation().skill(hit.key);
    if (skill == nullptr) continue;
    if (out.skills.size() == limit) {
      out.left_out = out.left_out.value_or(0) + 1;
      continue;
    }
    out.skills.push_back(found_row(view, *skill, hit));
    out.skills.back().rank = out.skills.size();
  }
  if (out.skills.empty()) {
    out.nearest.emplace();
    for (const std::string& key : found.nearest) out.nearest->push_back(view.display(key));
  }
  out.searched = index.index.documents();
  out.next = next_step(out);
  std::string text =
      budget ? within_budget(std::move(out), saturated_size(*budget)) : json::encode(out);
  return bounded(std::move(text), "directory::skills::search with a smaller `limit`");
}

task::Task<Result<json::Raw>> find_skills(Library& library, SkillSearch& search,
                                          SearchSkillsInput in) {
  const uint64_t limit = in.limit.value_or(kDefaultFound);
  if (limit == 0 || limit > kMostFound) {
    co_return std::unexpected(bad_search(kSearchId, "limit_out_of_range"));
  }
  if (in.budget_tokens && *in.budget_tokens < kLeastBudget) {
    co_return std::unexpected(small_budget(kSearchId, kLeastBudget));
  }
  Result<KindFilter> kinds = KindFilter::parse(in.kind);
  if (!kinds) co_return std::unexpected(std::move(kinds.error()));
  SkillFilter filter{.prefix = std::move(in.prefix),
                     .type = std::move(in.type),
                     .kinds = in.kind ? *kinds : searched_kinds(),
                     .user_only = in.include_user_only.value_or(false)};
  const View view = co_await library.current();
  const IndexedSkillsPtr index = co_await search.follow(view);
  Result<search::Answer> found = co_await search.find(
      view, index, std::move(in.query), std::move(filter), saturated_size(limit + kCounted));
  if (!found) co_return std::unexpected(bad_search(kSearchId, found.error().code));
  // Bodies are read for the snippets.
  auto work = [view, index, limit, budget = in.budget_tokens, found = std::move(*found)] {
    return answer_text(view, *index, found, limit, budget);
  };
  co_return co_await library.on_answer_thread(std::move(work));
}

}  // namespace

void add_skills_search(FunctionTable& table, Library& library, SkillSearch& search) {
  table.add<SearchSkillsInput, SearchSkillsOutput>({.id = std::string(kSearchId),
                                                    .title = "Search skills",
                                                    .description = about::kSkillsSearch,
                                                    .hints = kReadOnly,
                                                    .tool_label = "Search skills"},
                                                   [&library, &search](SearchSkillsInput in) {
                                                     return find_skills(library, search,
                                                                        std::move(in));
                                                   });
}

}  // namespace iii::directory
