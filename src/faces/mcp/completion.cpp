#include "faces/mcp/completion.h"

#include <algorithm>
#include <utility>

#include "directory/reading/skill_search.h"
#include "directory/search/find.h"

namespace iii::mcp {

namespace {

// One more than is told, so that `hasMore` is known.
constexpr size_t kMostCollected = kMaxCompletions + 1;
constexpr size_t kSuggested = 10;

Reply values_reply(std::vector<std::string> values) {
  const bool more = values.size() > kMaxCompletions;
  if (more) values.resize(kMaxCompletions);
  Reply out{.members = R"("completion":{"values":[)"};
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out.members += ',';
    out.members += quote(values[i]);
  }
  out.members += R"(],"hasMore":)";
  out.members += more ? "true}" : "false}";
  return out;
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

task::Task<std::vector<std::string>> Completion::skill_ids(std::string begin) {
  const directory::View view = co_await library_.current();
  const auto [first, last] = view.generation().prefix_range(begin);
  std::vector<std::string> out;
  for (size_t i = first; i < last && out.size() < kMostCollected; ++i) {
    const content::Skill& skill = *view.generation().skills[i];
    if (skill.for_agents && view.shows(skill.id)) out.push_back(view.display(skill.id));
  }
  if (!out.empty() || search_ == nullptr) co_return out;
  // No id begins so: what it may be about.
  const directory::IndexedSkillsPtr index = co_await search_->follow(view);
  const Result<search::Answer> found = co_await search_->find(
      view, index, begin, {.kinds = directory::searched_kinds()}, kSuggested);
  if (!found) co_return out;
  for (const search::Hit& hit : found->hits) out.push_back(view.display(hit.key));
  co_return out;
}

task::Task<std::vector<std::string>> Completion::function_ids(std::string begin) {
  const CallableListPtr engine = co_await callables_.engine();
  std::vector<std::string> out;
  for (const CallableList* list : {&callables_.own(), engine.get()}) {
    for (const CallablePtr& function : *list) {
      if (out.size() >= kMostCollected) break;
      if (function->id.starts_with(begin)) out.push_back(function->id);
    }
  }
  co_return out;
}

task::Task<std::vector<std::string>> Completion::paths(std::string begin) {
  const directory::View view = co_await library_.current();
  SkillFoldersPtr all = co_await skills_.folders(view);
  std::vector<std::string> out;
  size_t next = begin.empty() ? 0 : all->after(begin);
  if (!begin.empty() && all->find(begin) != nullptr) --next;
  for (; next < all->rows().size() && out.size() < kMostCollected; ++next) {
    const SkillRow& row = all->rows()[next];
    if (!row.folder.starts_with(begin)) break;
    if (row.skill->for_agents && view.shows(row.skill->id)) out.push_back(row.skill->file.path);
  }
  co_return out;
}

task::Task<Outcome> Completion::complete(json::Value params) {
  const json::Value* ref = object_of(params, "ref");
  const json::Value* argument = object_of(params, "argument");
  const std::string* type = ref != nullptr ? text_of(*ref, "type") : nullptr;
  const std::string* name = argument != nullptr ? text_of(*argument, "name") : nullptr;
  const std::string* value = argument != nullptr ? text_of(*argument, "value") : nullptr;
  if (type == nullptr || name == nullptr || value == nullptr) {
    co_return refused(
        "completion/complete needs `ref.type`, `argument.name` and `argument.value`.");
  }
  if (*type == "ref/resource") {
    const std::string* uri = text_of(*ref, "uri");
    if (uri == nullptr) co_return refused("A reference to a resource needs `uri`.");
    std::vector<std::string> out;
    if (*uri == "iii://{+id}" && *name == "id") out = co_await skill_ids(*value);
    if (*uri == "iii://fn/{function}" && *name == "function") out = co_await function_ids(*value);
    if (*uri == "skill://{+path}" && *name == "path") out = co_await paths(*value);
    co_return values_reply(std::move(out));
  }
  if (*type != "ref/prompt") co_return refused("Unknown kind of reference: " + *type);
  const std::string* prompt = text_of(*ref, "name");
  if (prompt == nullptr) co_return refused("A reference to a prompt needs `name`.");
  const auto arguments = co_await prompts_.arguments(*prompt);
  if (!arguments) co_return std::unexpected(arguments.error());
  std::vector<std::string> out;
  for (const TemplateArgument& each : *arguments) {
    if (each.name != *name) continue;
    for (const std::string& candidate : each.values) {
      if (candidate.starts_with(*value)) out.push_back(candidate);
    }
    if (!each.values.empty()) co_return values_reply(std::move(out));
    if (is_one_of(*name, {"skill", "skill_id", "id"})) out = co_await skill_ids(*value);
    if (is_one_of(*name, {"function", "function_id"})) out = co_await function_ids(*value);
  }
  co_return values_reply(std::move(out));
}

}  // namespace iii::mcp
