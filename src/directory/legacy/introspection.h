// The engine seen as iii-directory 0.4.1 and 0.5.1 showed it (directory-write §10): who owns what,
// filters, order. The later line dropped the `name` columns and slimmed the guides; everything else
// is shared. Titles are those of 0.4.1. Pure.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "directory/discovery/engine_info.h"
#include "directory/discovery/function_parts.h"
#include "directory/legacy/engine_lists.h"
#include "foundation/json/describe.h"

namespace iii::directory {

enum class Line { k041, k051 };

// What follows the last `::`.
std::string last_part(std::string_view id);

// ---- what they take

inline constexpr std::string_view kFilters = "All filters are optional; rows must match every one.";

struct IdFilter {
  std::optional<std::string> search;
  std::optional<std::string> prefix;
  std::optional<std::string> worker;
};
struct FunctionFilter : IdFilter {};
struct TypeFilter : IdFilter {};

template <typename T>
auto describe_filter(std::string_view title) {
  return json::object<T>(
      title, kFilters,
      json::field("search", &T::search, "Text that id or description must contain, ignoring case.")
          .null_default(),
      json::field("prefix", &T::prefix,
                  "Text that the id must start with, exactly, for example `mem::`.")
          .null_default(),
      json::field("worker", &T::worker, "Name of the worker that owns it, exactly.")
          .null_default());
}
inline auto describe(json::Type<FunctionFilter>) {
  return describe_filter<FunctionFilter>("FunctionListInput");
}
inline auto describe(json::Type<TypeFilter>) {
  return describe_filter<TypeFilter>("TriggerListInput");
}

struct TriggerFilter {
  std::optional<std::string> search;
  std::optional<std::string> trigger_type;
  std::optional<std::string> function_id;
  std::optional<std::string> worker;
};
inline auto describe(json::Type<TriggerFilter>) {
  using T = TriggerFilter;
  return json::object<T>(
      "RegisteredTriggerListInput", kFilters,
      json::field("search", &T::search,
                  "Text that id, trigger type or function id must contain, ignoring case.")
          .null_default(),
      json::field("trigger_type", &T::trigger_type, "Trigger type, exactly.").null_default(),
      json::field("function_id", &T::function_id, "Function that is called, exactly.")
          .null_default(),
      json::field("worker", &T::worker, "Worker that owns the function, exactly.").null_default());
}

struct WorkerFilter {
  std::optional<std::string> search;
  std::optional<std::string> runtime;
  std::optional<std::string> status;
};
inline auto describe(json::Type<WorkerFilter>) {
  using T = WorkerFilter;
  return json::object<T>(
      "WorkerListInput", kFilters,
      json::field("search", &T::search, "Text that the name must contain, ignoring case.")
          .null_default(),
      json::field("runtime", &T::runtime, "Runtime, exactly, for example `rust` or `node`.")
          .null_default(),
      json::field("status", &T::status, "Status, exactly, for example `connected`.")
          .null_default());
}

inline constexpr std::string_view kOneText = "Id as the list shows it. Required.";

struct OneFunction {
  std::string function_id;
  std::optional<std::string> name_space;
};
struct OneType {
  std::string id;
};
struct OneTrigger {
  std::string id;
};
struct OneWorker {
  std::string name;
};
inline auto describe(json::Type<OneFunction>) {
  using T = OneFunction;
  return json::object<T>("FunctionInfoInput", "",
                         json::field("function_id", &T::function_id, kOneText),
                         json::field("namespace", &T::name_space, kWhichNamespaceText));
}
inline auto describe(json::Type<OneType>) {
  return json::object<OneType>("TriggerInfoInput", "", json::field("id", &OneType::id, kOneText));
}
inline auto describe(json::Type<OneTrigger>) {
  return json::object<OneTrigger>("RegisteredTriggerInfoInput", "",
                                  json::field("id", &OneTrigger::id, kOneText));
}
inline auto describe(json::Type<OneWorker>) {
  return json::object<OneWorker>(
      "WorkerInfoInput", "",
      json::field("name", &OneWorker::name, "Name as the list shows it. Required."));
}

// ---- functions

// What follows the last `::` of the id: a column of the earlier line.
template <Line L, typename T, typename Id, typename... Fields>
auto describe_named(std::string_view title, const Id& id, const Fields&... fields) {
  if constexpr (L == Line::k041) {
    return json::object<T>(
        title, "", id, json::field("name", &T::name, "Last `::` segment of the id."), fields...);
  } else {
    return json::object<T>(title, "", id, fields...);
  }
}

template <Line L>
struct FunctionEntry : EngineFunction {
  FunctionEntry() = default;
  explicit FunctionEntry(EngineFunction function)
      : EngineFunction(std::move(function)), name(last_part(id)) {}
  std::string name;
};
template <Line L>
auto describe(json::Type<FunctionEntry<L>>) {
  using T = FunctionEntry<L>;
  return describe_named<L, T>(
      "FunctionListEntry", json::field("function_id", &T::id, kFunctionText),
      json::field("worker_name", &T::worker_name, kOwnerText).nullable(),
      json::field("namespace", &T::name_space, kNamespaceText),
      json::field("description", &T::description, kDescriptionText).nullable());
}
template <Line L>
struct FunctionEntries {
  std::vector<FunctionEntry<L>> functions;
};
template <Line L>
auto describe(json::Type<FunctionEntries<L>>) {
  using T = FunctionEntries<L>;
  return json::object<T>("FunctionListOutput", "",
                         json::field("functions", &T::functions, "One row per function, by id."));
}

struct HowGuide041 : HowGuide {};
inline auto describe(json::Type<HowGuide041>) {
  using T = HowGuide041;
  return json::object<T>(
      "HowGuide", "", json::field("skill_id", &T::skill_id, kSkillIdText),
      json::field("abs_path", &T::abs_path, "Path of its file."),
      json::field("frontmatter", &T::frontmatter, "What its frontmatter declares."),
      json::field("body", &T::body, kGuideBodyText));
}
template <Line L>
using ShownGuide = std::conditional_t<L == Line::k041, HowGuide041, HowGuide>;

// The guides are left to the caller.
template <Line L>
struct FunctionDetail : FunctionEntry<L> {
  std::vector<TriggerSummary> registered_triggers = {};
  std::optional<ShownGuide<L>> how_guide = {};
  std::vector<RelatedSkill> related_skills = {};  // 0.5.1
};
template <Line L>
auto describe(json::Type<FunctionDetail<L>>) {
  using T = FunctionDetail<L>;
  const auto make = [](const auto&... last) {
    return describe_named<L, T>(
        "FunctionInfoOutput", json::field("function_id", &T::id, kFunctionText),
        json::field("worker_name", &T::worker_name, kOwnerText).nullable(),
        json::field("namespace", &T::name_space, kNamespaceText),
        json::field("description", &T::description, kDescriptionText).nullable(),
        json::field("request_schema", &T::request_schema, kRequestText).nullable(),
        json::field("response_schema", &T::response_schema, kResponseText).nullable(),
        json::field("metadata", &T::metadata, kMetadataText).nullable(),
        json::field("registered_triggers", &T::registered_triggers, kCallersText),
        json::field("how_guide", &T::how_guide, kGuideText), last...);
  };
  if constexpr (L == Line::k041) {
    return make();
  } else {
    return make(json::field("related_skills", &T::related_skills, kRelatedText));
  }
}

// ---- trigger types

inline constexpr std::string_view kTypeText = "Id of the trigger type.";
inline constexpr std::string_view kTypeOwnerText =
    "Worker that owns it: the first segment of the id.";
inline constexpr std::string_view kFiresText = "When it fires.";

template <Line L>
struct TypeEntry : EngineTriggerType {
  TypeEntry() = default;
  // The engine says which worker provides a type, else its id does.
  explicit TypeEntry(EngineTriggerType type)
      : EngineTriggerType(std::move(type)), name(last_part(id)) {
    if (!worker_name) worker_name = first_part(id);
  }
  std::string name;
};
template <Line L>
auto describe(json::Type<TypeEntry<L>>) {
  using T = TypeEntry<L>;
  return describe_named<L, T>(
      "TriggerListEntry", json::field("id", &T::id, kTypeText),
      json::field("worker_name", &T::worker_name, kTypeOwnerText).nullable(),
      json::field("description", &T::description, kFiresText));
}
template <Line L>
struct TypeEntries {
  std::vector<TypeEntry<L>> triggers;
};
template <Line L>
auto describe(json::Type<TypeEntries<L>>) {
  using T = TypeEntries<L>;
  return json::object<T>("TriggerListOutput", "",
                         json::field("triggers", &T::triggers, "One row per type, by id."));
}
template <Line L>
struct TypeDetail : TypeEntry<L> {
  uint64_t instance_count = 0;
};
template <Line L>
auto describe(json::Type<TypeDetail<L>>) {
  using T = TypeDetail<L>;
  return describe_named<L, T>(
      "TriggerInfoOutput", json::field("id", &T::id, kTypeText),
      json::field("worker_name", &T::worker_name, kTypeOwnerText).nullable(),
      json::field("description", &T::description, kFiresText),
      json::field("configuration_schema", &T::configuration_schema,
                  "JSON Schema of the config of a binding; null without one.")
          .nullable(),
      json::field("return_schema", &T::request_schema,
                  "JSON Schema of the payload that bound functions receive; null without one.")
          .nullable(),
      json::field("instance_count", &T::instance_count, "Number of bindings now.").as("", "uint"));
}

// ---- bindings

inline constexpr std::string_view kBindingFunctionText = "Function that it calls.";
inline constexpr std::string_view kTargetOwnerText = "Worker that registered the function.";

struct TriggerEntry : EngineTrigger {
  std::optional<std::string> worker_name;
  std::string config_summary;
};
inline auto describe(json::Type<TriggerEntry>) {
  using T = TriggerEntry;
  return json::object<T>(
      "RegisteredTriggerListEntry", "", json::field("id", &T::id, kBindingIdText),
      json::field("trigger_type", &T::trigger_type, kBindingTypeText),
      json::field("function_id", &T::function_id, kBindingFunctionText),
      json::field("worker_name", &T::worker_name, kTargetOwnerText).nullable(),
      json::field("config_summary", &T::config_summary,
                  "Config as JSON, cut to about 80 characters; the details have all of it."));
}
struct TriggerEntries {
  std::vector<TriggerEntry> registered_triggers;
};
inline auto describe(json::Type<TriggerEntries>) {
  using T = TriggerEntries;
  return json::object<T>(
      "RegisteredTriggerListOutput", "",
      json::field("registered_triggers", &T::registered_triggers, "One row per binding, by id."));
}
template <Line L>
struct TriggerDetail : EngineTrigger {
  std::optional<std::string> worker_name;
  std::optional<TypeDetail<L>> trigger = {};
  std::optional<FunctionDetail<L>> function = {};
};
template <Line L>
auto describe(json::Type<TriggerDetail<L>>) {
  using T = TriggerDetail<L>;
  return json::object<T>(
      "RegisteredTriggerInfoOutput", "", json::field("id", &T::id, kBindingIdText),
      json::field("trigger_type", &T::trigger_type, kBindingTypeText),
      json::field("function_id", &T::function_id, kBindingFunctionText),
      json::field("worker_name", &T::worker_name, kTargetOwnerText).nullable(),
      json::field("config", &T::config, kBindingConfigText),
      json::field("metadata", &T::metadata,
                  "What the binder registered beside it; null if nothing.")
          .nullable(),
      json::field("trigger", &T::trigger,
                  "Details of the trigger type; absent if it has been unregistered."),
      json::field("function", &T::function,
                  "Details of the function; absent if it has been unregistered."));
}

// ---- workers

inline auto describe(json::Type<EngineWorker>) {
  using T = EngineWorker;
  return json::object<T>(
      "Worker", "", json::field("name", &T::name, "Name it announced to the engine.").nullable(),
      json::field("description", &T::description,
                  "What it announced; always null in directory::worker-*.")
          .nullable(),
      json::field("version", &T::version, "Version it announced.").nullable(),
      json::field("id", &T::id, "Id of its connection, given by the engine."),
      json::field("runtime", &T::runtime, "Language or runtime, for example `node`.").nullable(),
      json::field("os", &T::os, "Operating system.").nullable(),
      json::field("status", &T::status,
                  "State of the connection, for example `connected` or `disconnected`."),
      json::field("function_count", &T::function_count, "Functions it registered.").as("", "uint"),
      json::field("connected_at_ms", &T::connected_at_ms,
                  "When it connected, in milliseconds since 1970."),
      json::field("active_invocations", &T::active_invocations, "Calls it is working on.")
          .as("", "uint"),
      json::field("isolation", &T::isolation, "How it is isolated, if it says so.").nullable(),
      json::field("ip_address", &T::ip_address, "Address it connected from.").nullable());
}
struct WorkerEntries {
  std::vector<EngineWorker> workers;
};
inline auto describe(json::Type<WorkerEntries>) {
  using T = WorkerEntries;
  return json::object<T>("WorkerListOutput", "",
                         json::field("workers", &T::workers,
                                     "One row per worker, by name; those without a name first."));
}
template <Line L>
struct WorkerFunction : FunctionEntry<L> {};
template <Line L>
auto describe(json::Type<WorkerFunction<L>>) {
  using T = WorkerFunction<L>;
  return describe_named<L, T>(
      "WorkerFunctionEntry", json::field("function_id", &T::id, kFunctionText),
      json::field("description", &T::description, kDescriptionText).nullable());
}
template <Line L>
struct WorkerType : TypeEntry<L> {};
template <Line L>
auto describe(json::Type<WorkerType<L>>) {
  using T = WorkerType<L>;
  return describe_named<L, T>("WorkerTriggerTypeEntry", json::field("id", &T::id, kTypeText),
                              json::field("description", &T::description, kFiresText));
}
struct WorkerTrigger : EngineTrigger {};
inline auto describe(json::Type<WorkerTrigger>) {
  using T = WorkerTrigger;
  return json::object<T>("WorkerRegisteredTriggerEntry", "",
                         json::field("id", &T::id, kBindingIdText),
                         json::field("trigger_type", &T::trigger_type, kBindingTypeText),
                         json::field("function_id", &T::function_id, kBindingFunctionText));
}
template <Line L>
struct WorkerDetail {
  EngineWorker worker;
  std::vector<WorkerFunction<L>> functions = {};
  std::vector<WorkerType<L>> trigger_types = {};
  std::vector<WorkerTrigger> registered_triggers = {};
};
template <Line L>
auto describe(json::Type<WorkerDetail<L>>) {
  using T = WorkerDetail<L>;
  return json::object<T>("WorkerInfoOutput", "",
                         json::field("worker", &T::worker, "The row that the list shows."),
                         json::field("functions", &T::functions, "Functions it registered."),
                         json::field("trigger_types", &T::trigger_types, "Trigger types it owns."),
                         json::field("registered_triggers", &T::registered_triggers,
                                     "Registered triggers that call its functions."));
}

// ---- how they are made

// Compact JSON in one line; at most 80 characters, then `...`.
std::string config_summary(const json::Value& config);

// Which worker offers a function.
class Owners {
 public:
  explicit Owners(const EngineLists& lists);
  std::optional<std::string> of(std::string_view function_id) const;

 private:
  std::map<std::string, std::string, std::less<>> names_;
};

// The rows that a filter leaves, in order; each with the worker that owns it.
std::vector<EngineFunction> filtered(const EngineLists& lists, const IdFilter& filter);
std::vector<EngineTriggerType> filtered_types(const EngineLists& lists, const IdFilter& filter);
TriggerEntries list_triggers(const EngineLists& lists, const TriggerFilter& filter);
// `described`: with what workers say about themselves; 0.4.1 never showed it.
WorkerEntries list_workers(const EngineLists& lists, const WorkerFilter& filter, bool described);

template <Line L>
FunctionEntries<L> list_functions(const EngineLists& lists, const IdFilter& filter) {
  const std::vector<EngineFunction> rows = filtered(lists, filter);
  return {.functions = {rows.begin(), rows.end()}};
}

template <Line L>
TypeEntries<L> list_types(const EngineLists& lists, const IdFilter& filter) {
  const std::vector<EngineTriggerType> rows = filtered_types(lists, filter);
  return {.triggers = {rows.begin(), rows.end()}};
}

template <Line L>
FunctionDetail<L> function_detail(EngineFunction function,
                                  const std::vector<EngineTrigger>& triggers) {
  FunctionDetail<L> out{FunctionEntry<L>(std::move(function))};
  for (const EngineTrigger& trigger : triggers) {
    out.registered_triggers.push_back(
        {.id = trigger.id, .trigger_type = trigger.trigger_type, .config = trigger.config});
  }
  return out;
}

// Id and description of each function of a worker, in its own order.
std::vector<EngineFunction> functions_of(const EngineLists& lists, const EngineWorker& worker);

// Nothing when there is no worker of that name.
template <Line L>
std::optional<WorkerDetail<L>> worker_detail(const EngineLists& lists, std::string_view name) {
  const auto worker = std::ranges::find_if(
      lists.workers, [&](const EngineWorker& each) { return each.name == name; });
  if (worker == lists.workers.end()) return std::nullopt;
  WorkerDetail<L> out{.worker = *worker};
  if (L == Line::k041) out.worker.description.reset();
  std::set<std::string> ids;
  for (EngineFunction& function : functions_of(lists, *worker)) {
    ids.insert(function.id);
    out.functions.push_back({FunctionEntry<L>(std::move(function))});
  }
  for (const EngineTriggerType& type : lists.types) {
    TypeEntry<L> entry(type);
    if (entry.worker_name == name) out.trigger_types.push_back({std::move(entry)});
  }
  for (const EngineTrigger& trigger : lists.triggers) {
    if (ids.contains(trigger.function_id)) out.registered_triggers.push_back({trigger});
  }
  return out;
}

}  // namespace iii::directory
