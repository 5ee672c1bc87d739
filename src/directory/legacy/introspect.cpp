#include "directory/legacy/introspect.h"

#include <algorithm>
#include <utility>

#include "directory/content/ids.h"
#include "directory/discovery/guides.h"
#include "directory/legacy/add_read.h"
#include "directory/legacy/descriptions.h"
#include "directory/legacy/engine_lists.h"
#include "directory/legacy/introspection.h"
#include "directory/reading/suggest.h"
#include "directory/table/bus_namespaces.h"
#include "directory/table/errors.h"
#include "directory/table/function_table.h"
#include "directory/table/limits.h"
#include "foundation/base/text.h"

namespace iii::directory {

namespace {

using json::Object;
using json::Value;
using Kind = EngineAnswer::Kind;

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
constexpr FamilyIds kIds = L == Line::k041 ? k041Ids : k051Ids;

constexpr WantedLists kFunctionsAndBindings{
    .functions = true, .internal = true, .workers = true, .triggers = true};

std::unexpected<Error> refused_info(std::string text) {
  return fail("invocation_failed", std::move(text));
}

std::unexpected<Error> blank(std::string_view field, std::string_view list) {
  return refused_info("D341 invalid_input: " + std::string(field) +
                      " must be non-empty. Next: call " + std::string(list) +
                      " to see what there is.");
}

// `rows` may be all functions of an engine: they are compared on another thread.
template <typename Rows, typename Member>
task::Task<std::unexpected<Error>> not_found(EngineCaller caller, std::string_view what,
                                             std::string_view list, std::string id,
                                             const Rows& rows, Member name) {
  std::vector<std::string> others;
  for (const auto& row : rows) {
    if (std::optional<std::string> other = row.*name) others.push_back(std::move(*other));
  }
  const std::string near = co_await nearest_on(caller.guides.pool(), id, std::move(others));
  co_return refused_info("D340 not_found: " + std::string(what) + " " + content::quoted(id) +
                         " was not found." + (near.empty() ? "" : " Did you mean: " + near + "?") +
                         " Next: call " + std::string(list) + " to see what there is.");
}

template <typename Out>
Result<json::Raw> answer_of_list(const Out& out, std::string_view list) {
  return bounded(json::encode(out), std::string(list) + " with narrower filters");
}

template <Line L>
task::Task<Result<FunctionDetail<L>>> function_from_lists(EngineCaller caller, std::string id,
                                                          std::optional<std::string> name_space) {
  const Result<EngineLists> lists = co_await ask_engine(caller, kFunctionsAndBindings);
  if (!lists) co_return std::unexpected(lists.error());
  const auto found = std::ranges::find_if(lists->functions, [&](const EngineFunction& each) {
    return each.id == id && (!name_space || !each.name_space || each.name_space == name_space);
  });
  if (found == lists->functions.end()) {
    co_return co_await not_found(caller, "function", kIds<L>.functions, id, lists->functions,
                                 &EngineFunction::id);
  }
  std::vector<EngineTrigger> bound;
  for (const EngineTrigger& trigger : lists->triggers) {
    if (trigger.function_id == id) bound.push_back(trigger);
  }
  EngineFunction function = *found;
  function.worker_name = Owners(*lists).of(id);
  co_return function_detail<L>(std::move(function), bound);
}

template <Line L>
task::Task<Result<FunctionDetail<L>>> function_info(EngineCaller caller, OneFunction in) {
  const std::string id(trim(in.function_id));
  if (id.empty()) co_return blank("function_id", kIds<L>.functions);
  Object question{{"function_id", id}};
  if (in.name_space) question["namespace"] = *in.name_space;
  Result<EngineAnswer> answer =
      co_await ask_engine_about(caller, "engine::functions::info", std::move(question));
  if (answer && answer->kind == Kind::kUnknown) {
    const std::vector<std::string> places =
        co_await namespaces_of(caller.engine, caller.context, id);
    if (!in.name_space && places.size() == 1) {
      Object again{{"function_id", id}, {"namespace", places.front()}};
      answer = co_await ask_engine_about(caller, "engine::functions::info", std::move(again));
    } else if (!places.empty()) {
      co_return std::unexpected(function_elsewhere(id, in.name_space, places));
    }
  }
  if (!answer) co_return std::unexpected(answer.error());
  Result<FunctionDetail<L>> out = FunctionDetail<L>();
  if (answer->kind == Kind::kFound) {
    EngineFunction function = function_of(answer->value);
    function.id = id;
    if (!function.worker_name) function.worker_name = first_part(id);
    out =
        function_detail<L>(std::move(function), triggers_in(answer->value, "registered_triggers"));
  } else {
    out = co_await function_from_lists<L>(caller, id, in.name_space);
  }
  if (!out) co_return out;
  FoundGuides found = co_await caller.guides.about(id);
  if (found.guide) out->how_guide = ShownGuide<L>{std::move(*found.guide)};
  out->related_skills = std::move(found.related);
  co_return out;
}

template <Line L>
task::Task<Result<TypeDetail<L>>> type_info(EngineCaller caller, OneType in) {
  const std::string id(trim(in.id));
  if (id.empty()) co_return blank("id", kIds<L>.types);
  Value question = Object{{"id", id}};
  const Result<EngineAnswer> answer =
      co_await ask_engine_about(caller, "engine::triggers::info", std::move(question));
  if (!answer) co_return std::unexpected(answer.error());
  if (answer->kind == Kind::kFound) {
    EngineTriggerType type = type_of(answer->value);
    type.id = id;
    co_return TypeDetail<L>{TypeEntry<L>(std::move(type)),
                            count_in(answer->value, "instance_count")};
  }
  const WantedLists wanted{.types = true, .triggers = true};
  const Result<EngineLists> lists = co_await ask_engine(caller, wanted);
  if (!lists) co_return std::unexpected(lists.error());
  const auto found = std::ranges::find(lists->types, id, &EngineTriggerType::id);
  if (found == lists->types.end()) {
    co_return co_await not_found(caller, "trigger type", kIds<L>.types, id, lists->types,
                                 &EngineTriggerType::id);
  }
  const auto count = std::ranges::count(lists->triggers, id, &EngineTrigger::trigger_type);
  co_return TypeDetail<L>{TypeEntry<L>(*found), static_cast<uint64_t>(count)};
}

template <Line L>
task::Task<Result<TriggerDetail<L>>> trigger_info(EngineCaller caller, OneTrigger in) {
  const std::string id(trim(in.id));
  if (id.empty()) co_return blank("id", kIds<L>.triggers);
  const Result<EngineLists> lists = co_await ask_engine(caller, kFunctionsAndBindings);
  if (!lists) co_return std::unexpected(lists.error());
  const auto found = std::ranges::find(lists->triggers, id, &EngineTrigger::id);
  if (found == lists->triggers.end()) {
    co_return co_await not_found(caller, "registered trigger", kIds<L>.triggers, id,
                                 lists->triggers, &EngineTrigger::id);
  }
  TriggerDetail<L> out{*found, Owners(*lists).of(found->function_id)};
  if (!out.metadata) {
    // Newer engines show it only to those who ask for this one.
    Value question = Object{{"id", id}};
    const Result<EngineAnswer> answer =
        co_await ask_engine_about(caller, "engine::registered-triggers::info", std::move(question));
    const Value* metadata = answer ? answer->value.find("metadata") : nullptr;
    if (metadata != nullptr && !metadata->is_null()) out.metadata = *metadata;
  }
  Result<TypeDetail<L>> type = co_await type_info<L>(caller, {out.trigger_type});
  if (type) out.trigger = std::move(*type);
  Result<FunctionDetail<L>> function = co_await function_info<L>(caller, {out.function_id, {}});
  if (function) out.function = std::move(*function);
  co_return out;
}

template <Line L>
task::Task<Result<WorkerDetail<L>>> worker_info(EngineCaller caller, OneWorker in) {
  const std::string& name = in.name;
  if (trim(name).empty()) co_return blank("name", kIds<L>.workers);
  WantedLists wanted = kFunctionsAndBindings;
  wanted.types = true;
  Result<EngineLists> lists = co_await ask_engine(caller, wanted);
  if (!lists) co_return std::unexpected(lists.error());
  std::optional<WorkerDetail<L>> found = worker_detail<L>(*lists, name);
  if (!found) {
    // The list leaves out workers that told no process id, as older SDKs do.
    Value question = Object{{"name", name}};
    const Result<EngineAnswer> answer =
        co_await ask_engine_about(caller, "engine::workers::info", std::move(question));
    const Value* row = answer ? answer->value.find("worker") : nullptr;
    if (row != nullptr) {
      const Value alone = Object{{"workers", json::Array{*row}}};
      lists->workers = workers_in(alone);
      found = worker_detail<L>(*lists, name);
    }
  }
  if (!found) {
    co_return co_await not_found(caller, "worker", kIds<L>.workers, name, lists->workers,
                                 &EngineWorker::name);
  }
  co_return std::move(*found);
}

// ---- registration

template <typename Filter, typename Make>
task::Task<Result<json::Raw>> list_from_engine(EngineCaller caller, WantedLists wanted,
                                               Filter filter, const char* id, Make make) {
  const Result<EngineLists> lists = co_await ask_engine(caller, wanted);
  if (!lists) co_return std::unexpected(lists.error());
  co_return answer_of_list(make(*lists, filter), id);
}

template <typename Out>
task::Task<Result<json::Raw>> encoded_info(task::Task<Result<Out>> task, const char* list) {
  const Result<Out> out = co_await task;
  if (!out) co_return std::unexpected(out.error());
  co_return answer_of_list(*out, list);
}

template <Line L>
class Family {
 public:
  Family(FunctionTable& table, EngineClient& engine, Guides& guides)
      : table_(table), engine_(engine), guides_(guides) {}

  void add_all() {
    add_lists();
    add_infos();
  }

 private:
  void add_lists() {
    add_list<FunctionFilter, FunctionEntries<L>>(
        kIds<L>.functions, "List functions",
        about::with_id(about::kFunctionsListFamily, kIds<L>.function),
        {.functions = true, .workers = true}, list_functions<L>);
    add_list<TypeFilter, TypeEntries<L>>(kIds<L>.types, "List trigger types",
                                         about::with_id(about::kTypesListFamily, kIds<L>.triggers),
                                         {.types = true}, list_types<L>);
    add_list<TriggerFilter, TriggerEntries>(
        kIds<L>.triggers, "List bindings",
        about::with_id(about::kTriggersListFamily, kIds<L>.trigger), kFunctionsAndBindings,
        list_triggers);
    add_list<WorkerFilter, WorkerEntries>(
        kIds<L>.workers, "List workers",
        about::with_id(about::kWorkersListFamily, kIds<L>.registry), {.workers = true},
        [](const EngineLists& lists, const WorkerFilter& filter) {
          return list_workers(lists, filter, L != Line::k041);
        });
  }

  void add_infos() {
    // The present version has the other one of that name (engine_info.h).
    if constexpr (L == Line::k041) {
      add_info(kIds<L>.function, "Show a function", about::kFunctionInfoFamily, kIds<L>.functions,
               kIds<L>.functions, function_info<L>);
    }
    add_info(kIds<L>.type, "Show a trigger type", about::kTypeInfoFamily, kIds<L>.types,
             kIds<L>.types, type_info<L>);
    add_info(kIds<L>.trigger, "Show a binding", about::kTriggerInfoFamily, kIds<L>.triggers,
             kIds<L>.triggers, trigger_info<L>);
    add_info(kIds<L>.worker, "Show a worker", about::kWorkerInfoFamily, kIds<L>.registry,
             kIds<L>.workers, worker_info<L>);
  }

  template <typename In, typename Out, typename Handler>
  void add(const char* id, const char* title, std::string description, Handler handler) {
    add_read<In, Out>(
        table_, id, title, std::move(description),
        [&engine = engine_, &guides = guides_, handler](const Context& context, In in) {
          return handler(EngineCaller{engine, context, guides}, std::move(in));
        });
  }
  template <typename Filter, typename Out, typename Make>
  void add_list(const char* id, const char* title, std::string description, WantedLists wanted,
                Make make) {
    add<Filter, Out>(
        id, title, std::move(description), [wanted, id, make](EngineCaller caller, Filter filter) {
          return list_from_engine(std::move(caller), wanted, std::move(filter), id, make);
        });
  }
  // `see`: the function that `text` names. `list`: the one to call when the answer is too large.
  template <typename In, typename Out>
  void add_info(const char* id, const char* title, std::string_view text, const char* see,
                const char* list, task::Task<Result<Out>> (*find)(EngineCaller, In)) {
    add<In, Out>(id, title, about::with_id(text, see), [find, list](EngineCaller caller, In in) {
      return encoded_info(find(std::move(caller), std::move(in)), list);
    });
  }

  FunctionTable& table_;
  EngineClient& engine_;
  Guides& guides_;
};

}  // namespace

void add_introspection_041(FunctionTable& table, EngineClient& engine, Guides& guides) {
  Family<Line::k041>(table, engine, guides).add_all();
}

void add_introspection_051(FunctionTable& table, EngineClient& engine, Guides& guides) {
  Family<Line::k051>(table, engine, guides).add_all();
}

}  // namespace iii::directory
