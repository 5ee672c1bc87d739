// How introspection_types.h is published. Titles are those of 0.4.1.
#pragma once

#include "directory/legacy/introspection_types.h"

namespace iii::directory {

inline constexpr std::string_view kTypeOwnerText =
    "Worker that owns it: the first segment of the id.";
inline constexpr std::string_view kTargetOwnerText = "Worker that registered the function.";
inline constexpr std::string_view kNameText = "Last `::` segment of the id.";
inline constexpr std::string_view kBindingFunctionText = "Function that it calls.";
inline constexpr std::string_view kTypeText = "Id of the trigger type.";
inline constexpr std::string_view kFiresText = "When it fires.";

inline constexpr std::string_view kFilters = "All filters are optional; rows must match every one.";
inline constexpr std::string_view kSearchText =
    "Text that id or description must contain, ignoring case.";
inline constexpr std::string_view kPrefixText =
    "Text that the id must start with, exactly, for example `mem::`.";
inline constexpr std::string_view kWorkerText = "Name of the worker that owns it, exactly.";

inline auto describe(json::Type<FunctionFilter>) {
  using T = FunctionFilter;
  return json::object<T>("FunctionListInput", kFilters,
                         json::field("search", &T::search, kSearchText).null_default(),
                         json::field("prefix", &T::prefix, kPrefixText).null_default(),
                         json::field("worker", &T::worker, kWorkerText).null_default());
}
inline auto describe(json::Type<TypeFilter>) {
  using T = TypeFilter;
  return json::object<T>("TriggerListInput", kFilters,
                         json::field("search", &T::search, kSearchText).null_default(),
                         json::field("prefix", &T::prefix, kPrefixText).null_default(),
                         json::field("worker", &T::worker, kWorkerText).null_default());
}
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
inline auto describe(json::Type<OneFunction>) {
  return json::object<OneFunction>(
      "FunctionInfoInput", "",
      json::field("function_id", &OneFunction::function_id, "Id as the list shows it. Required."),
      json::field("namespace", &OneFunction::name_space, kWhichNamespaceText));
}
inline auto describe(json::Type<OneType>) {
  return json::object<OneType>(
      "TriggerInfoInput", "",
      json::field("id", &OneType::id, "Id as the list shows it. Required."));
}
inline auto describe(json::Type<OneTrigger>) {
  return json::object<OneTrigger>(
      "RegisteredTriggerInfoInput", "",
      json::field("id", &OneTrigger::id, "Id as the list shows it. Required."));
}
inline auto describe(json::Type<OneWorker>) {
  return json::object<OneWorker>(
      "WorkerInfoInput", "",
      json::field("name", &OneWorker::name, "Name as the list shows it. Required."));
}

template <Line L>
auto describe(json::Type<FunctionEntry<L>>) {
  using T = FunctionEntry<L>;
  const auto id = json::field("function_id", &T::function_id, kFunctionText);
  const auto name = json::field("name", &T::name, kNameText);
  const auto owner = json::field("worker_name", &T::worker_name, kOwnerText).nullable();
  const auto where = json::field("namespace", &T::name_space, kNamespaceText);
  const auto text = json::field("description", &T::description, kDescriptionText).nullable();
  if constexpr (L == Line::k041) {
    return json::object<T>("FunctionListEntry", "", id, name, owner, where, text);
  } else {
    return json::object<T>("FunctionListEntry", "", id, owner, where, text);
  }
}
template <Line L>
auto describe(json::Type<FunctionEntries<L>>) {
  using T = FunctionEntries<L>;
  return json::object<T>("FunctionListOutput", "",
                         json::field("functions", &T::functions, "One row per function, by id."));
}

inline auto describe(json::Type<HowGuide041>) {
  using T = HowGuide041;
  return json::object<T>(
      "HowGuide", "", json::field("skill_id", &T::skill_id, kSkillIdText),
      json::field("abs_path", &T::abs_path, "Path of its file."),
      json::field("frontmatter", &T::frontmatter, "What its frontmatter declares."),
      json::field("body", &T::body, kGuideBodyText));
}
template <Line L>
auto describe(json::Type<FunctionDetail<L>>) {
  using T = FunctionDetail<L>;
  const auto id = json::field("function_id", &T::function_id, kFunctionText);
  const auto owner = json::field("worker_name", &T::worker_name, kOwnerText).nullable();
  const auto text = json::field("description", &T::description, kDescriptionText).nullable();
  const auto request = json::field("request_schema", &T::request_schema, kRequestText).nullable();
  const auto response =
      json::field("response_schema", &T::response_schema, kResponseText).nullable();
  const auto metadata = json::field("metadata", &T::metadata, kMetadataText).nullable();
  const auto triggers = json::field("registered_triggers", &T::registered_triggers, kCallersText);
  const auto guide = json::field("how_guide", &T::how_guide, kGuideText);
  const auto where = json::field("namespace", &T::name_space, kNamespaceText);
  if constexpr (L == Line::k041) {
    return json::object<T>("FunctionInfoOutput", "", id, json::field("name", &T::name, kNameText),
                           owner, where, text, request, response, metadata, triggers, guide);
  } else {
    return json::object<T>("FunctionInfoOutput", "", id, owner, where, text, request, response,
                           metadata, triggers, guide,
                           json::field("related_skills", &T::related_skills, kRelatedText));
  }
}

template <Line L>
auto describe(json::Type<TypeEntry<L>>) {
  using T = TypeEntry<L>;
  const auto id = json::field("id", &T::id, kTypeText);
  const auto owner = json::field("worker_name", &T::worker_name, kTypeOwnerText).nullable();
  const auto text = json::field("description", &T::description, kFiresText);
  if constexpr (L == Line::k041) {
    return json::object<T>("TriggerListEntry", "", id, json::field("name", &T::name, kNameText),
                           owner, text);
  } else {
    return json::object<T>("TriggerListEntry", "", id, owner, text);
  }
}
template <Line L>
auto describe(json::Type<TypeEntries<L>>) {
  using T = TypeEntries<L>;
  return json::object<T>("TriggerListOutput", "",
                         json::field("triggers", &T::triggers, "One row per type, by id."));
}
template <Line L>
auto describe(json::Type<TypeDetail<L>>) {
  using T = TypeDetail<L>;
  const auto id = json::field("id", &T::id, kTypeText);
  const auto owner = json::field("worker_name", &T::worker_name, kTypeOwnerText).nullable();
  const auto text = json::field("description", &T::description, kFiresText);
  const auto config = json::field("configuration_schema", &T::configuration_schema,
                                  "JSON Schema of the config of a binding; null without one.")
                          .nullable();
  const auto payload =
      json::field("return_schema", &T::return_schema,
                  "JSON Schema of the payload that bound functions receive; null without one.")
          .nullable();
  const auto count =
      json::field("instance_count", &T::instance_count, "Number of bindings now.").as("", "uint");
  if constexpr (L == Line::k041) {
    return json::object<T>("TriggerInfoOutput", "", id, json::field("name", &T::name, kNameText),
                           owner, text, config, payload, count);
  } else {
    return json::object<T>("TriggerInfoOutput", "", id, owner, text, config, payload, count);
  }
}

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
inline auto describe(json::Type<TriggerEntries>) {
  using T = TriggerEntries;
  return json::object<T>(
      "RegisteredTriggerListOutput", "",
      json::field("registered_triggers", &T::registered_triggers, "One row per binding, by id."));
}
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

inline auto describe(json::Type<WorkerEntry>) {
  using T = WorkerEntry;
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
inline auto describe(json::Type<WorkerEntries>) {
  using T = WorkerEntries;
  return json::object<T>("WorkerListOutput", "",
                         json::field("workers", &T::workers,
                                     "One row per worker, by name; those without a name first."));
}
template <Line L>
auto describe(json::Type<WorkerFunction<L>>) {
  using T = WorkerFunction<L>;
  const auto id = json::field("function_id", &T::function_id, kFunctionText);
  const auto text = json::field("description", &T::description, kDescriptionText).nullable();
  if constexpr (L == Line::k041) {
    return json::object<T>("WorkerFunctionEntry", "", id, json::field("name", &T::name, kNameText),
                           text);
  } else {
    return json::object<T>("WorkerFunctionEntry", "", id, text);
  }
}
template <Line L>
auto describe(json::Type<WorkerType<L>>) {
  using T = WorkerType<L>;
  const auto id = json::field("id", &T::id, kTypeText);
  const auto text = json::field("description", &T::description, kFiresText);
  if constexpr (L == Line::k041) {
    return json::object<T>("WorkerTriggerTypeEntry", "", id,
                           json::field("name", &T::name, kNameText), text);
  } else {
    return json::object<T>("WorkerTriggerTypeEntry", "", id, text);
  }
}
inline auto describe(json::Type<WorkerTrigger>) {
  using T = WorkerTrigger;
  return json::object<T>("WorkerRegisteredTriggerEntry", "",
                         json::field("id", &T::id, kBindingIdText),
                         json::field("trigger_type", &T::trigger_type, kBindingTypeText),
                         json::field("function_id", &T::function_id, kBindingFunctionText));
}
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

}  // namespace iii::directory
