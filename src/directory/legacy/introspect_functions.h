// The functions of the families that 0.4.1 and 0.5.1 share, for the file of each: a template over
// the version, so that the two can be compiled by themselves.
#pragma once

#include <algorithm>
#include <utility>

#include "directory/content/ids.h"
#include "directory/discovery/guides.h"
#include "directory/legacy/descriptions.h"
#include "directory/legacy/engine_lists.h"
#include "directory/legacy/introspect.h"
#include "directory/legacy/introspection.h"
#include "directory/legacy/introspection_schemas.h"
#include "directory/reading/suggest.h"
#include "directory/table/bus_namespaces.h"
#include "directory/table/errors.h"
#include "directory/table/function_table.h"
#include "directory/table/limits.h"
#include "foundation/base/text.h"

namespace iii::directory::introspect {

using json::Object;
using json::Value;
using Kind = EngineAnswer::Kind;

inline std::unexpected<Error> refused(std::string text) {
  return fail("invocation_failed", std::move(text));
}

inline std::unexpected<Error> blank(std::string_view field, std::string_view list) {
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

// `others` may be all functions of an engine: they are compared on another thread.
inline task::Task<std::unexpected<Error>> not_found(EngineCaller caller, Words words,
                                                    std::string id,
                                                    std::vector<std::string> others) {
  const std::string near = co_await nearest_on(caller.pool, id, std::move(others));
  co_return refused("D340 not_found: " + std::string(words.what) + " " + content::quoted(id) +
                    " was not found." + (near.empty() ? "" : " Did you mean: " + near + "?") +
                    " Next: call " + std::string(words.list) + " to see what there is.");
}

template <typename Out>
Result<json::Raw> answer(const Out& out, const Words& words) {
  return bounded(json::encode(out), std::string(words.list) + " with narrower filters");
}

template <typename Row, typename Member>
std::vector<std::string> ids_of(const std::vector<Row>& rows, Member id) {
  std::vector<std::string> out;
  for (const Row& row : rows) out.push_back(row.*id);
  return out;
}

// ---- lists

template <Line L>
task::Task<Result<json::Raw>> functions(EngineCaller caller, FunctionFilter filter) {
  const WantedLists wanted{.functions = true, .workers = true};
  const Result<EngineLists> lists = co_await ask_engine(caller, wanted);
  if (!lists) co_return std::unexpected(lists.error());
  co_return answer(list_functions<L>(*lists, filter), kFunctions<L>);
}

template <Line L>
task::Task<Result<json::Raw>> types(EngineCaller caller, TypeFilter filter) {
  const WantedLists wanted{.types = true};
  const Result<EngineLists> lists = co_await ask_engine(caller, wanted);
  if (!lists) co_return std::unexpected(lists.error());
  co_return answer(list_types<L>(*lists, filter), kTypes<L>);
}

template <Line L>
task::Task<Result<json::Raw>> triggers(EngineCaller caller, TriggerFilter filter) {
  const WantedLists wanted{.functions = true, .internal = true, .workers = true, .triggers = true};
  const Result<EngineLists> lists = co_await ask_engine(caller, wanted);
  if (!lists) co_return std::unexpected(lists.error());
  co_return answer(list_triggers(*lists, filter), kTriggers<L>);
}

template <Line L>
task::Task<Result<json::Raw>> workers(EngineCaller caller, WorkerFilter filter) {
  const WantedLists wanted{.workers = true};
  const Result<EngineLists> lists = co_await ask_engine(caller, wanted);
  if (!lists) co_return std::unexpected(lists.error());
  co_return answer(list_workers(*lists, filter, L != Line::k041), kWorkers<L>);
}

// ---- one of them

template <Line L>
task::Task<Result<FunctionDetail<L>>> function_from_lists(EngineCaller caller, std::string id,
                                                          std::optional<std::string> name_space) {
  const WantedLists wanted{.functions = true, .internal = true, .workers = true, .triggers = true};
  const Result<EngineLists> lists = co_await ask_engine(caller, wanted);
  if (!lists) co_return std::unexpected(lists.error());
  const auto found = std::ranges::find_if(lists->functions, [&](const EngineFunction& each) {
    return each.id == id && (!name_space || !each.name_space || each.name_space == name_space);
  });
  if (found == lists->functions.end()) {
    co_return co_await not_found(caller, kFunctions<L>, id,
                                 ids_of(lists->functions, &EngineFunction::id));
  }
  std::vector<EngineTrigger> bound;
  for (const EngineTrigger& trigger : lists->triggers) {
    if (trigger.function_id == id) bound.push_back(trigger);
  }
  co_return function_detail<L>(*found, Owners(*lists).of(id), bound);
}

template <Line L>
task::Task<Result<FunctionDetail<L>>> function_info(
    EngineCaller caller, Guides& guides, std::string function_id,
    std::optional<std::string> name_space = std::nullopt) {
  const std::string id(trim(function_id));
  if (id.empty()) co_return blank("function_id", kFunctions<L>.list);
  Object question{{"function_id", id}};
  if (name_space) question["namespace"] = *name_space;
  Result<EngineAnswer> told =
      co_await ask_engine_about(caller, "engine::functions::info", std::move(question));
  if (told && told->kind == Kind::kUnknown) {
    const std::vector<std::string> places =
        co_await namespaces_of(caller.engine, caller.context, id);
    if (!name_space && places.size() == 1) {
      Object again{{"function_id", id}, {"namespace", places.front()}};
      told = co_await ask_engine_about(caller, "engine::functions::info", std::move(again));
    } else if (!places.empty()) {
      co_return std::unexpected(function_elsewhere(id, name_space, places));
    }
  }
  if (!told) co_return std::unexpected(told.error());
  std::optional<FunctionDetail<L>> out;
  if (told->kind == Kind::kFound) {
    EngineFunction function = function_of(told->value);
    function.id = id;
    std::optional<std::string> owner = function.worker_name ? function.worker_name : first_part(id);
    out = function_detail<L>(function, std::move(owner),
                             triggers_in(told->value, "registered_triggers"));
  } else {
    Result<FunctionDetail<L>> listed = co_await function_from_lists<L>(caller, id, name_space);
    if (!listed) co_return std::unexpected(listed.error());
    out = std::move(*listed);
  }
  Guides::Found found = co_await guides.about(id);
  if (found.guide) out->how_guide = ShownGuide<L>(std::move(*found.guide));
  out->related_skills = std::move(found.related);
  co_return std::move(*out);
}

template <Line L>
task::Task<Result<TypeDetail<L>>> type_info(EngineCaller caller, std::string wanted_id) {
  const std::string id(trim(wanted_id));
  if (id.empty()) co_return blank("id", kTypes<L>.list);
  Value question = Object{{"id", id}};
  const Result<EngineAnswer> told =
      co_await ask_engine_about(caller, "engine::triggers::info", std::move(question));
  if (!told) co_return std::unexpected(told.error());
  if (told->kind == Kind::kFound) {
    EngineTriggerType type = type_of(told->value);
    type.id = id;
    const Value* count = told->value.find("instance_count");
    const bool counted = count != nullptr && count->as_int() != nullptr && *count->as_int() > 0;
    co_return type_detail<L>(type, counted ? static_cast<uint64_t>(*count->as_int()) : 0);
  }
  const WantedLists wanted{.types = true, .triggers = true};
  const Result<EngineLists> lists = co_await ask_engine(caller, wanted);
  if (!lists) co_return std::unexpected(lists.error());
  const auto found = std::ranges::find(lists->types, id, &EngineTriggerType::id);
  if (found == lists->types.end()) {
    co_return co_await not_found(caller, kTypes<L>, id,
                                 ids_of(lists->types, &EngineTriggerType::id));
  }
  const auto count = std::ranges::count(lists->triggers, id, &EngineTrigger::trigger_type);
  co_return type_detail<L>(*found, static_cast<uint64_t>(count));
}

template <Line L>
task::Task<Result<json::Raw>> trigger_info(EngineCaller caller, Guides& guides,
                                           std::string wanted_id) {
  const std::string id(trim(wanted_id));
  if (id.empty()) co_return blank("id", kTriggers<L>.list);
  const WantedLists wanted{.functions = true, .internal = true, .workers = true, .triggers = true};
  const Result<EngineLists> lists = co_await ask_engine(caller, wanted);
  if (!lists) co_return std::unexpected(lists.error());
  const auto found = std::ranges::find(lists->triggers, id, &EngineTrigger::id);
  if (found == lists->triggers.end()) {
    co_return co_await not_found(caller, kTriggers<L>, id,
                                 ids_of(lists->triggers, &EngineTrigger::id));
  }
  TriggerDetail<L> out{.id = id,
                       .trigger_type = found->trigger_type,
                       .function_id = found->function_id,
                       .worker_name = Owners(*lists).of(found->function_id),
                       .config = found->config,
                       .metadata = found->metadata};
  if (!out.metadata) {
    // Newer engines show it only to those who ask for this one.
    Value question = Object{{"id", id}};
    const Result<EngineAnswer> told =
        co_await ask_engine_about(caller, "engine::registered-triggers::info", std::move(question));
    const Value* metadata = told ? told->value.find("metadata") : nullptr;
    if (metadata != nullptr && !metadata->is_null()) out.metadata = *metadata;
  }
  Result<TypeDetail<L>> type = co_await type_info<L>(caller, out.trigger_type);
  if (type) out.trigger = std::move(*type);
  Result<FunctionDetail<L>> function = co_await function_info<L>(caller, guides, out.function_id);
  if (function) out.function = std::move(*function);
  co_return answer(out, kTriggers<L>);
}

template <Line L>
task::Task<Result<json::Raw>> worker_info(EngineCaller caller, std::string name) {
  if (trim(name).empty()) co_return blank("name", kWorkers<L>.list);
  const WantedLists wanted{
      .functions = true, .internal = true, .workers = true, .types = true, .triggers = true};
  Result<EngineLists> lists = co_await ask_engine(caller, wanted);
  if (!lists) co_return std::unexpected(lists.error());
  std::optional<WorkerDetail<L>> found = worker_detail<L>(*lists, name);
  if (!found) {
    // The list leaves out workers that told no process id, as older SDKs do.
    Value question = Object{{"name", name}};
    const Result<EngineAnswer> told =
        co_await ask_engine_about(caller, "engine::workers::info", std::move(question));
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
    co_return co_await not_found(caller, kWorkers<L>, name, names);
  }
  co_return answer(*found, kWorkers<L>);
}

template <Line L>
task::Task<Result<json::Raw>> show_function(EngineCaller caller, Guides& guides, OneFunction in) {
  const Result<FunctionDetail<L>> found = co_await function_info<L>(
      caller, guides, std::move(in.function_id), std::move(in.name_space));
  if (!found) co_return std::unexpected(found.error());
  co_return answer(*found, kFunctions<L>);
}

template <Line L>
task::Task<Result<json::Raw>> show_type(EngineCaller caller, std::string id) {
  const Result<TypeDetail<L>> found = co_await type_info<L>(caller, std::move(id));
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
template <Line L>
void add_lists(FunctionTable& table, EngineClient& engine, task::Pool& pool, const FamilyIds& ids) {
  table.add<FunctionFilter, FunctionEntries<L>>(
      {.id = ids.functions,
       .title = "List functions",
       .description = about::functions_list(ids.function),
       .hints = kReadOnly,
       .published = true},
      [&engine, &pool](const Context& context, FunctionFilter filter) {
        return functions<L>({engine, context, pool}, std::move(filter));
      });
  table.add<TypeFilter, TypeEntries<L>>(
      {.id = ids.types,
       .title = "List trigger types",
       .description = about::types_list(ids.triggers),
       .hints = kReadOnly,
       .published = true},
      [&engine, &pool](const Context& context, TypeFilter filter) {
        return types<L>({engine, context, pool}, std::move(filter));
      });
  table.add<TriggerFilter, TriggerEntries>(
      {.id = ids.triggers,
       .title = "List bindings",
       .description = about::triggers_list(ids.trigger),
       .hints = kReadOnly,
       .published = true},
      [&engine, &pool](const Context& context, TriggerFilter filter) {
        return triggers<L>({engine, context, pool}, std::move(filter));
      });
  table.add<WorkerFilter, WorkerEntries>(
      {.id = ids.workers,
       .title = "List workers",
       .description = about::workers_list(ids.registry),
       .hints = kReadOnly,
       .published = true},
      [&engine, &pool](const Context& context, WorkerFilter filter) {
        return workers<L>({engine, context, pool}, std::move(filter));
      });
}

template <Line L>
void add_infos(FunctionTable& table, EngineClient& engine, const FamilyIds& ids, Guides& guides) {
  task::Pool& pool = guides.pool();
  // The present version has the other one of that name (functions/engine_info.cpp).
  if constexpr (L == Line::k041) {
    table.add<OneFunction, FunctionDetail<L>>(
        {.id = ids.function,
         .title = "Show a function",
         .description = about::function_info(ids.functions),
         .hints = kReadOnly,
         .published = true},
        [&engine, &pool, &guides](const Context& context, OneFunction in) {
          return show_function<L>({engine, context, pool}, guides, std::move(in));
        });
  }
  table.add<OneType, TypeDetail<L>>({.id = ids.type,
                                     .title = "Show a trigger type",
                                     .description = about::type_info(ids.types),
                                     .hints = kReadOnly,
                                     .published = true},
                                    [&engine, &pool](const Context& context, OneType in) {
                                      return show_type<L>({engine, context, pool},
                                                          std::move(in.id));
                                    });
  table.add<OneTrigger, TriggerDetail<L>>(
      {.id = ids.trigger,
       .title = "Show a binding",
       .description = about::trigger_info(ids.triggers),
       .hints = kReadOnly,
       .published = true},
      [&engine, &pool, &guides](const Context& context, OneTrigger in) {
        return trigger_info<L>({engine, context, pool}, guides, std::move(in.id));
      });
  table.add<OneWorker, WorkerDetail<L>>({.id = ids.worker,
                                         .title = "Show a worker",
                                         .description = about::worker_info(ids.registry),
                                         .hints = kReadOnly,
                                         .published = true},
                                        [&engine, &pool](const Context& context, OneWorker in) {
                                          return worker_info<L>({engine, context, pool},
                                                                std::move(in.name));
                                        });
}

}  // namespace iii::directory::introspect
