#include "functions/skills.h"

#include <algorithm>
#include <utility>

#include "content/parse.h"
#include "functions/descriptions.h"
#include "functions/document.h"
#include "functions/errors.h"
#include "functions/resolve.h"
#include "functions/skill_list.h"
#include "functions/skill_types.h"

namespace iii::directory {

namespace {

constexpr std::string_view kGetLess = "directory::skills::get with fewer `ids`, one after another";

// The three functions share one object; a handler holds it by shared_ptr, so it lives as long as
// they do.
class SkillFunctions {
 public:
  SkillFunctions(Library& library, SkillLimits limits) : library_(library), limits_(limits) {}

  sdk::Task<Result<json::Raw>> list(ListSkillsInput in) {
    const View view = co_await library_.current();
    if (in.search) search_text_.follow(view.shared_generation());
    Result<std::string> rows = list_skills_text(view, in, in.search ? &search_text_ : nullptr);
    if (!rows) co_return std::unexpected(std::move(rows.error()));
    co_return bounded(std::move(*rows),
                      "directory::skills::list with `limit` (and `cursor` for what follows), or "
                      "narrow it with `prefix`, `search`, `type` or include_description=false",
                      limits_.max_answer_bytes);
  }

  sdk::Task<Result<json::Raw>> get(SkillGetInput in) {
    if (!in.id && !in.ids) {
      co_return fail("invocation_failed", "serialization error: missing field `id`");
    }
    if (in.ids && in.ids->size() > limits_.max_batch && !in.id) {
      co_return std::unexpected(too_many_ids(in.ids->size(), limits_.max_batch));
    }
    co_return co_await library_.answer_from(
        {}, [&](const View& view) { return in.id ? get_one_text(view, in) : get_many(view, in); });
  }

  sdk::Task<Result<json::Raw>> index(IndexSkillsInput) {
    const View view = co_await library_.current({.ask_for_workers = true});
    const NamesPtr& names = view.installed();
    const bool same_names =
        names == index_names_ || (names && index_names_ && *names == *index_names_);
    if (view.shared_generation() != index_generation_ || !same_names) {
      index_text_ = json::encode(index_skills(view));
      index_generation_ = view.shared_generation();
      index_names_ = names;
    }
    co_return bounded(index_text_,
                      "directory::skills::list with type=index and `limit` for the same overviews "
                      "in pages",
                      limits_.max_answer_bytes);
  }

 private:
  sdk::Task<Result<json::Raw>> get_one_text(const View& view, const SkillGetInput& in) {
    const Result<SkillGetOutput> out = co_await get_one(
        view, *in.id, in.include_description.value_or(false), in.risks.value_or(false));
    if (!out) co_return std::unexpected(out.error());
    co_return bounded(json::encode(*out), kGetLess, limits_.max_answer_bytes);
  }

  sdk::Task<Result<SkillGetOutput>> get_one(const View& view, const std::string& input,
                                            bool with_description, bool with_risks) {
    Result<std::string> id = normalise_input(input);
    if (!id) co_return std::unexpected(std::move(id.error()));
    Resolution found{look_up(view, *id), ""};
    if (found.skill == nullptr) {
      const NamesPtr workers = co_await library_.installed().for_resolution();
      Result<Resolution> resolved = resolve_miss(view, *workers, *id);
      if (!resolved) co_return std::unexpected(std::move(resolved.error()));
      found = std::move(*resolved);
    }
    Result<SkillGetOutput> out = read(view, found, with_description);
    if (!out || !with_risks) co_return out;
    // Only on request: a scan takes longer than all the rest of a call.
    const Result<DocumentRisks::Rows> rows = co_await risks_.of(library_, view, *found.skill);
    if (!rows && rows.error().code == kStale) co_return std::unexpected(rows.error());
    out->risks = rows ? **rows : std::vector<RiskRow>();
    co_return out;
  }

  Result<SkillGetOutput> read(const View& view, const Resolution& found, bool with_description) {
    const content::Skill& skill = *found.skill;
    const std::string shown = view.display(skill.id);
    Result<Body> body = read_skill(library_, view, skill, shown);
    if (!body) return std::unexpected(std::move(body.error()));
    SkillGetOutput out{.id = shown,
                       .title = view.title(skill),
                       .type = skill.type,
                       .function_id = skill.function_id,
                       .description = {},
                       .body = std::move(body->text),
                       .modified_at = content::format_time(body->mtime_ns),
                       .origin = {}};
    if (content::is_registered(view.generation(), skill.file)) out.origin = kRegisteredOrigin;
    // What is compiled in has no file that could have been modified.
    if (view.generation().roots[skill.file.root].kind == content::RootKind::kBuiltin) {
      out.modified_at.clear();
    }
    if (!found.note.empty()) out.body.insert(0, found.note);
    if (with_description) out.description = skill.description;
    return out;
  }

  // Each entry is what `get` would answer, or {id, error}.
  sdk::Task<Result<json::Raw>> get_many(const View& view, const SkillGetInput& in) {
    const bool with_description = in.include_description.value_or(false);
    std::string out = "{\"skills\":[";
    auto begin = std::chrono::steady_clock::now();
    for (const std::string& id : *in.ids) {
      if (out.size() > limits_.max_answer_bytes) break;  // it is refused below
      if (out.back() != '[') out += ',';
      co_await library_.let_others_run(begin);
      const Result<SkillGetOutput> skill =
          co_await get_one(view, id, with_description, in.risks.value_or(false));
      if (skill) {
        json::encode_to(out, *skill);
      } else if (skill.error().code == kStale) {
        co_return std::unexpected(skill.error());
      } else {
        out += "{\"id\":";
        json::append_string(out, id);
        out += ",\"error\":";
        json::append_string(out, skill.error().message);
        out += '}';
      }
    }
    out += "]}";
    co_return bounded(std::move(out), kGetLess, limits_.max_answer_bytes);
  }

  Library& library_;
  SkillLimits limits_;
  SearchText search_text_;
  DocumentRisks risks_;
  // The last index page, and what it was made from.
  std::string index_text_;
  content::GenerationPtr index_generation_;
  NamesPtr index_names_;
};

}  // namespace

void add_skill_functions(FunctionTable& table, Library& library, SkillLimits limits) {
  const auto skills = std::make_shared<SkillFunctions>(library, limits);
  table.add<ListSkillsInput, ListSkillsOutput>(
      {.id = "directory::skills::list",
       .title = "List skills",
       .description = about::kSkillsList,
       .hints = kReadOnly},
      [skills](ListSkillsInput in) { return skills->list(std::move(in)); });
  table.add<SkillGetInput, SkillGetOutput>(
      {.id = "directory::skills::get",
       .title = "Get skill",
       .description = about::kSkillsGet,
       .hints = kReadOnly,
       .tool_label = "Get skill"},
      [skills](SkillGetInput in) { return skills->get(std::move(in)); });
  table.add<IndexSkillsInput, IndexSkillsOutput>(
      {.id = "directory::skills::index",
       .title = "Index of skills",
       .description = about::kSkillsIndex,
       .hints = kReadOnly},
      [skills](IndexSkillsInput in) { return skills->index(in); });
}

}  // namespace iii::directory
