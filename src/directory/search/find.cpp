#include "directory/search/find.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "directory/search/index_state.h"
#include "directory/search/query.h"
#include "directory/search/score.h"
#include "directory/search/words.h"
#include "foundation/base/text.h"
#include "foundation/base/utf8.h"

namespace iii::search {

namespace {

// What a language model does without any function.
constexpr auto kOwnSkills =
    std::to_array<std::string_view>({"summarize", "summarise", "translate", "rewrite", "rephrase",
                                     "paraphrase", "proofread", "brainstorm", "explain"});
constexpr double kOwnSkillFactor = 1.5;

bool is_id_form(std::string_view text) {
  if (!text.contains("::") || text.starts_with(':') || text.ends_with(':')) return false;
  return std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-' || c == ':';
  });
}

// The first content word is something a model does itself, and no function is named after it.
bool is_own_skill(const Index::State& state, const Query& query) {
  if (query.units.empty()) return false;
  Stemmer stemmer;
  const std::string& first = query.units.front().stem;
  const bool own = std::ranges::any_of(
      kOwnSkills, [&](std::string_view word) { return stemmer.stem(word) == first; });
  return own && !occurs_in(state, first, state.profile->names);
}

double floor_of(const Index::State& state, const Query& query) {
  const Profile& profile = *state.profile;
  const bool own = profile.own_skills && is_own_skill(state, query);
  return own ? kOwnSkillFactor * profile.floor : profile.floor;
}

Result<std::string_view> checked(std::string_view text, const Options& options) {
  if (text.size() > kMaxQueryBytes) return fail("query_too_long", "the query is too long");
  if (!is_utf8(text)) return fail("query_not_utf8", "the query is not valid UTF-8");
  text = trim(text);
  if (is_blank(text)) return fail("query_empty", "the query is empty");
  if (options.limit == 0 || options.limit > kMaxLimit) {
    return fail("limit_out_of_range", "the limit is out of range");
  }
  return text;
}

std::vector<std::string> nearest_keys(std::span<const Scored> scored) {
  std::vector<std::string> keys;
  for (const Scored& one : scored.first(std::min(scored.size(), kNearest))) {
    keys.emplace_back(one.key);
  }
  return keys;
}

// The query is an id, or has the form of one. Nothing else would be an answer to it.
Answer look_up_id(const Index& index, std::string_view id, const Options& options) {
  Answer answer;
  const bool accepted = !options.accept || options.accept(id);
  if (accepted && index.contains(id)) {
    answer.kind = Answer::Kind::kExact;
    answer.hits.push_back({.key = std::string(id), .f = 1, .g = 1, .lexical = 1, .cosine = 1});
    return answer;
  }
  const Query query = make_query(index.state(), id);
  answer.kind = Answer::Kind::kUnknownId;
  answer.nearest = nearest_keys(best_documents(index.state(), query, kNearest, options));
  return answer;
}

Answer found(const Index::State& state, const Query& query, std::span<const Scored> best,
             const Options& options) {
  Answer answer;
  answer.kind = Answer::Kind::kFound;
  const double least = options.cut ? kRelativeCut * best.front().f : 0;
  for (const Scored& scored : best) {
    if (answer.hits.size() == options.limit || scored.f < least) break;
    answer.hits.push_back({.key = std::string(scored.key),
                           .f = scored.f,
                           .g = scored.g,
                           .lexical = scored.lexical,
                           .cosine = scored.cosine});
    if (options.reasons) answer.hits.back().matches = explain(state, query, scored);
  }
  return answer;
}

Answer search(const Index::State& state, std::string_view text, const Options& options) {
  const Query query = make_query(state, text);
  const std::vector<Scored> best =
      best_documents(state, query, std::max(options.limit, kNearest), options);
  if (best.empty()) return {};
  if (!options.floor || best.front().g >= floor_of(state, query)) {
    return found(state, query, best, options);
  }
  // A long text that mentions a word once has a low score, and still is the right answer to a query
  // for that word.
  if (state.profile->literal && !query.units.empty()) {
    const auto literal =
        best_documents(state, query, options.limit, options, Wanted::kWithEveryWord);
    if (!literal.empty()) return found(state, query, literal, options);
  }
  Answer answer;
  if (best.front().g < state.profile->nearest_from) return answer;
  answer.kind = Answer::Kind::kBelow;
  answer.nearest = nearest_keys(best);
  return answer;
}

}  // namespace

Result<Answer> find(const Index& index, std::string_view query, const Options& options) {
  const Result<std::string_view> text = checked(query, options);
  if (!text) return std::unexpected(text.error());
  if (index.profile().ids && (index.contains(*text) || is_id_form(*text))) {
    return look_up_id(index, *text, options);
  }
  return search(index.state(), *text, options);
}

Result<MergedAnswer> find_all(const Index& index, std::span<const std::string> capabilities,
                              const Options& options) {
  MergedAnswer merged;
  for (const std::string& capability : capabilities) {
    Result<Answer> answer = find(index, capability, options);
    if (!answer) return std::unexpected(std::move(answer.error()));
    merged.answers.push_back(std::move(*answer));
  }
  merge_rows(merged, options.limit);
  return merged;
}

void merge_rows(MergedAnswer& merged, size_t limit) {
  std::unordered_set<std::string_view> seen;
  for (size_t begin = 0; begin < merged.answers.size(); begin += kBatch) {
    const size_t end = std::min(begin + kBatch, merged.answers.size());
    size_t left = limit;
    for (size_t row = 0; row < limit && left > 0; ++row) {
      for (size_t c = begin; c < end && left > 0; ++c) {
        const std::vector<Hit>& hits = merged.answers[c].hits;
        if (row >= hits.size() || !seen.insert(hits[row].key).second) continue;
        merged.rows.push_back({.key = hits[row].key, .capability = c, .f = hits[row].f});
        --left;
      }
    }
  }
}

std::vector<std::string_view> field_names(const Profile& profile, FieldMask mask) {
  std::vector<std::string_view> names;
  for (size_t f = 0; f < profile.fields.size(); ++f) {
    if ((mask >> f & 1U) != 0) names.push_back(profile.fields[f].name);
  }
  return names;
}

}  // namespace iii::search
