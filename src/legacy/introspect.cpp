#include "legacy/introspect.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "content/ids.h"
#include "functions/errors.h"
#include "functions/introspection_schemas.h"
#include "functions/limits.h"
#include "legacy/descriptions.h"
#include "legacy/engine_lists.h"
#include "legacy/introspection.h"

namespace iii::directory {

namespace {

using json::Object;
using json::Value;
using Kind = EngineAnswer::Kind;

std::unexpected<Error> refused(std::string text) {
  return fail("invocation_failed", std::move(text));
}

std::unexpected<Error> blank(std::string_view field, std::string_view list) {
  return refused("D341 invalid_input: " + std::string(field) + " must be non-empty. Next: call " +
                 std::string(list) + " to see what there is.");
}

// What a family calls its things, and where they are listed.
struct Words {
  std::string_view what;
  std::string_view list;
};
template <Line L>
constexpr Words kFunctions{"function", L == Line::k041 ? "directory::function-list"
                                                       : "directory::engine::functions::list"};
template <Line L>
constexpr Words kTypes{"trigger type", L == Line::k041 ? "directory::trigger-list"
                                                       : "directory::engine::triggers::list"};
template <Line L>
constexpr Words kTriggers{"registered trigger",
                          L == Line::k041 ? "directory::registered-trigger-list"
                                          : "directory::engine::registered-triggers::list"};
template <Line L>
constexpr Words kWorkers{
    "worker", L == Line::k041 ? "directory::worker-list" : "directory::engine::workers::list"};

std::unexpected<Error> not_found(const Words& words, std::string_view id,
                                 const std::vector<std::string>& others) {
  const std::string_view near = nearest(id, others);
  return refused("D340 not_found: " + std::string(words.what) + " " + content::quoted(id) +
                 " was not found." +
                 (near.empty() ? "" : " Did you mean: " + std::string(near) + "?") +
                 " Next: call " + std::string(words.list) + " to see what there is.");
}

template <typename Out>
Result<json::Raw> answer(const Out& out, const Words& words) {
  std::string text = json::encode(out);
  if (text.size() > kMaxAnswerBytes) {
    return std::unexpected(answer_too_large(text.size(), kMaxAnswerBytes,
                                            std::string(words.list) + " with narrower filters"));
  }
  return json::Raw{std::move(text)};
}

template <typename Row, typename Member>
std::vector<std::string> ids_of(const std::vector<Row>& rows, Member id) {
  std::vector<std::string> out;
  for (const Row& row : rows) out.push_back(row.*id);
  return out;
}

// ---- lists

template <Line L>
sdk::Task<Result<json::Raw>> functions(sdk::Call call, FunctionFilter filter) {
  const WantedLists wanted{.functions = true, .workers = true};
  const Result<EngineLists> lists = co_await ask_engine(call, wanted);
  if (!lists) co_return std::unexpected(lists.error());
  co_return answer(list_functions<L>(*lists, filter), kFunctions<L>);
}

template <Line L>
sdk::Task<Result<json::Raw>> types(sdk::Call call, TypeFilter filter) {
  const WantedLists wanted{.types = true};
  const Result<EngineLists> lists = co_await ask_engine(call, wanted);
  if (!lists) co_return std::unexpected(lists.error());
  co_return answer(list_types<L>(*lists, filter), kTypes<L>);
}

template <Line L>
sdk::Task<Result<json::Raw>> triggers(sdk::Call call, TriggerFilter filter) {
  const WantedLists wanted{.functions = true, .internal = true, .workers = true, .triggers = true};
  const Result<EngineLists> lists = co_await ask_engine(call, wanted);
  if (!lists) co_return std::unexpected(lists.error());
  co_return answer(list_triggers(*lists, filter), kTriggers<L>);
}

template <Line L>
sdk::Task<Result<json::Raw>> workers(sdk::Call call, WorkerFilter filter) {
  const WantedLists wanted{.workers = true};
  const Result<EngineLists> lists = co_await ask_engine(call, wanted);
  if (!lists) co_return std::unexpected(lists.error());
  co_return answer(list_workers(*lists, filter, L != Line::k041), kWorkers<L>);
}

// ---- one of them

template <Line L>
sdk::Task<Result<FunctionDetail<L>>> function_from_lists(sdk::Call call, std::string id) {
  const WantedLists wanted{.functions = true, .internal = true, .workers = true, .triggers = true};
  const Result<EngineLists> lists = co_await ask_engine(call, wanted);
  if (!lists) co_return std::unexpected(lists.error());
  const auto found = std::ranges::find(lists->functions, id, &EngineFunction::id);
  if (found == lists->functions.end()) {
    co_return not_found(kFunctions<L>, id, ids_of(lists->functions, &EngineFunction::id));
  }
  std::vector<EngineTrigger> bound;
  for (const EngineTrigger& trigger : lists->triggers) {
    if (trigger.function_id == id) bound.push_back(trigger);
  }
  co_return function_detail<L>(*found, Owners(*lists).of(id), bound);
}

template <Line L>
sdk::Task<Result<FunctionDetail<L>>> function_info(sdk::Call call, Guides& guides,
                                                   std::string function_id) {
  const std::string id(trim(function_id));
  if (id.empty()) co_return blank("function_id", kFunctions<L>.list);
  Value question = Object{{"function_id", id}};
  const Result<EngineAnswer> told =
      co_await ask_engine_about(call, "engine::functions::info", std::move(question));
  if (!told) co_return std::unexpected(told.error());
  std::optional<FunctionDetail<L>> out;
  if (told->kind == Kind::kFound) {
    EngineFunction function = function_of(told->value);
    function.id = id;
    std::optional<std::string> owner = function.worker_name ? function.worker_name : first_part(id);
    out = function_detail<L>(function, std::move(owner),
                             triggers_in(told->value, "registered_triggers"));
  } else {
    Result<FunctionDetail<L>> listed = co_await function_from_lists<L>(call, id);
    if (!listed) co_return std::unexpected(listed.error());
    out = std::move(*listed);
  }
  typename Guides::Found<L> found = co_await guides.about<L>(id);
  out->how_guide = std::move(found.guide);
  out->related_skills = std::move(found.related);
  co_return std::move(*out);
}

template <Line L>
sdk::Task<Result<TypeDetail<L>>> type_info(sdk::Call call, std::string wanted_id) {
  const std::string id(trim(wanted_id));
  if (id.empty()) co_return blank("id", kTypes<L>.list);
  Value question = Object{{"id", id}};
  const Result<EngineAnswer> told =
      co_await ask_engine_about(call, "engine::triggers::info", std::move(question));
  if (!told) co_return std::unexpected(told.error());
  if (told->kind == Kind::kFound) {
    EngineTriggerType type = type_of(told->value);
    type.id = id;
    const Value* count = told->value.find("instance_count");
    const bool counted = count != nullptr && count->as_int() != nullptr && *count->as_int() > 0;
    co_return type_detail<L>(type, counted ? static_cast<uint64_t>(*count->as_int()) : 0);
  }
  const WantedLists wanted{.types = true, .triggers = true};
  const Result<EngineLists> lists = co_await ask_engine(call, wanted);
  if (!lists) co_return std::unexpected(lists.error());
  const auto found = std::ranges::find(lists->types, id, &EngineTriggerType::id);
  if (found == lists->types.end()) {
    co_return not_found(kTypes<L>, id, ids_of(lists->types, &EngineTriggerType::id));
  }
  const auto count = std::ranges::count(lists->triggers, id, &EngineTrigger::trigger_type);
  co_return type_detail<L>(*found, static_cast<uint64_t>(count));
}

template <Line L>
sdk::Task<Result<json::Raw>> trigger_info(sdk::Call call, Guides& guides, std::string wanted_id) {
  const std::string id(trim(wanted_id));
  if (id.empty()) co_return blank("id", kTriggers<L>.list);
  const WantedLists wanted{.functions = true, .internal = true, .workers = true, .triggers = true};
  const Result<EngineLists> lists = co_await ask_engine(call, wanted);
  if (!lists) co_return std::unexpected(lists.error());
  const auto found = std::ranges::find(lists->triggers, id, &EngineTrigger::id);
  if (found == lists->triggers.end()) {
    co_return not_found(kTriggers<L>, id, ids_of(lists->triggers, &EngineTrigger::id));
  }
  TriggerDetail<L> out{.id = id,
                       .trigger_type = found->trigger_type,
                       .function_id = found->function_id,
                       .worker_name = Owners(*lists).of(found->function_id),
                       .config = found->config,
                       .metadata = found->metadata,
                       .trigger = {},
                       .function = {}};
  if (!out.metadata) {
    // Newer engines show it only to those who ask for this one.
    Value question = Object{{"id", id}};
    const Result<EngineAnswer> told =
        co_await ask_engine_about(call, "engine::registered-triggers::info", std::move(question));
    const Value* metadata = told ? told->value.find("metadata") : nullptr;
    if (metadata != nullptr && !metadata->is_null()) out.metadata = *metadata;
  }
  Result<TypeDetail<L>> type = co_await type_info<L>(call, out.trigger_type);
  if (type) out.trigger = std::move(*type);
  Result<FunctionDetail<L>> function = co_await function_info<L>(call, guides, out.function_id);
  if (function) out.function = std::move(*function);
  co_return answer(out, kTriggers<L>);
}

template <Line L>
sdk::Task<Result<json::Raw>> worker_info(sdk::Call call, std::string name) {
  if (trim(name).empty()) co_return blank("name", kWorkers<L>.list);
  const WantedLists wanted{
      .functions = true, .internal = true, .workers = true, .types = true, .triggers = true};
  Result<EngineLists> lists = co_await ask_engine(call, wanted);
  if (!lists) co_return std::unexpected(lists.error());
  std::optional<WorkerDetail<L>> found = worker_detail<L>(*lists, name);
  if (!found) {
    // The list leaves out workers that told no process id, as older SDKs do.
    Value question = Object{{"name", name}};
    const Result<EngineAnswer> told =
        co_await ask_engine_about(call, "engine::workers::info", std::move(question));
    const Value* row = told ? told->value.find("worker") : nullptr;
    if (row != nullptr) {
      const Value alone = Object{{"workers", json::Array{*row}}};
      lists->workers = workers_in(alone);
      found = worker_detail<L>(*lists, name);
    }
  }
  if (!found) {
    std::vector<std::string> names;
    for (const EngineWorker& worker : lists->workers) {
      if (worker.name) names.push_back(*worker.name);
    }
    co_return not_found(kWorkers<L>, name, names);
  }
  co_return answer(*found, kWorkers<L>);
}

template <Line L>
sdk::Task<Result<json::Raw>> show_function(sdk::Call call, Guides& guides, std::string id) {
  const Result<FunctionDetail<L>> found = co_await function_info<L>(call, guides, std::move(id));
  if (!found) co_return std::unexpected(found.error());
  co_return answer(*found, kFunctions<L>);
}

template <Line L>
sdk::Task<Result<json::Raw>> show_type(sdk::Call call, std::string id) {
  const Result<TypeDetail<L>> found = co_await type_info<L>(call, std::move(id));
  if (!found) co_return std::unexpected(found.error());
  co_return answer(*found, kTypes<L>);
}

// ---- registration

struct FamilyIds {
  const char* functions;
  const char* function;
  const char* types;
  const char* type;
  const char* triggers;
  const char* trigger;
  const char* workers;
  const char* worker;
  const char* registry;  // where workers that are not connected are listed
};
constexpr FamilyIds k041Ids{.functions = "directory::function-list",
                            .function = "directory::function-info",
                            .types = "directory::trigger-list",
                            .type = "directory::trigger-info",
                            .triggers = "directory::registered-trigger-list",
                            .trigger = "directory::registered-trigger-info",
                            .workers = "directory::worker-list",
                            .worker = "directory::worker-info",
                            .registry = "registry::worker-list"};
constexpr FamilyIds k051Ids{.functions = "directory::engine::functions::list",
                            .function = "directory::engine::functions::info",
                            .types = "directory::engine::triggers::list",
                            .type = "directory::engine::triggers::info",
                            .triggers = "directory::engine::registered-triggers::list",
                            .trigger = "directory::engine::registered-triggers::info",
                            .workers = "directory::engine::workers::list",
                            .worker = "directory::engine::workers::info",
                            .registry = "directory::registry::workers::list"};

template <Line L>
void add_lists(sdk::Worker& worker, const FamilyIds& ids) {
  const auto list_f = [](const sdk::Call& call, FunctionFilter filter) {
    return functions<L>(call, std::move(filter));
  };
  const auto list_y = [](const sdk::Call& call, TypeFilter filter) {
    return types<L>(call, std::move(filter));
  };
  const auto list_t = [](const sdk::Call& call, TriggerFilter filter) {
    return triggers<L>(call, std::move(filter));
  };
  const auto list_w = [](const sdk::Call& call, WorkerFilter filter) {
    return workers<L>(call, std::move(filter));
  };
  static_cast<void>(worker.function_returning<FunctionEntries<L>>(
      {.id = ids.functions, .description = about::functions_list(ids.function)}, list_f));
  static_cast<void>(worker.function_returning<TypeEntries<L>>(
      {.id = ids.types, .description = about::types_list(ids.triggers)}, list_y));
  static_cast<void>(worker.function_returning<TriggerEntries>(
      {.id = ids.triggers, .description = about::triggers_list(ids.trigger)}, list_t));
  static_cast<void>(worker.function_returning<WorkerEntries>(
      {.id = ids.workers, .description = about::workers_list(ids.registry)}, list_w));
}

template <Line L>
void add_infos(sdk::Worker& worker, const FamilyIds& ids, Guides& guides) {
  const auto one_f = [&guides](const sdk::Call& call, OneFunction in) {
    return show_function<L>(call, guides, std::move(in.function_id));
  };
  const auto one_y = [](const sdk::Call& call, OneType in) {
    return show_type<L>(call, std::move(in.id));
  };
  const auto one_t = [&guides](const sdk::Call& call, OneTrigger in) {
    return trigger_info<L>(call, guides, std::move(in.id));
  };
  const auto one_w = [](const sdk::Call& call, OneWorker in) {
    return worker_info<L>(call, std::move(in.name));
  };
  // The present version has the other one of that name (functions/engine_info.cpp).
  if constexpr (L == Line::k041) {
    static_cast<void>(worker.function_returning<FunctionDetail<L>>(
        {.id = ids.function, .description = about::function_info(ids.functions)}, one_f));
  }
  static_cast<void>(worker.function_returning<TypeDetail<L>>(
      {.id = ids.type, .description = about::type_info(ids.types)}, one_y));
  static_cast<void>(worker.function_returning<TriggerDetail<L>>(
      {.id = ids.trigger, .description = about::trigger_info(ids.triggers)}, one_t));
  static_cast<void>(worker.function_returning<WorkerDetail<L>>(
      {.id = ids.worker, .description = about::worker_info(ids.registry)}, one_w));
}

}  // namespace

void add_introspection_041(sdk::Worker& worker, Guides& guides) {
  add_lists<Line::k041>(worker, k041Ids);
  add_infos<Line::k041>(worker, k041Ids, guides);
}

void add_introspection_051(sdk::Worker& worker, Guides& guides) {
  add_lists<Line::k051>(worker, k051Ids);
  add_infos<Line::k051>(worker, k051Ids, guides);
}

}  // namespace iii::directory
