// How introspection_types.h is published. Titles are those of 0.4.1.
#pragma once

#include "functions/introspection_types.h"

namespace iii::directory {

inline constexpr std::string_view kOwnerText =
    "Who offers it: the worker, else the first part of the id.";
inline constexpr std::string_view kNameText = "What follows the last `::` of the id.";
inline constexpr std::string_view kSearchText = "Text to find, case ignored.";
inline constexpr std::string_view kPrefixText = "What ids must start with, exactly.";
inline constexpr std::string_view kWorkerText = "The owner, exactly.";

inline auto describe(json::Type<FunctionFilter>) {
  using T = FunctionFilter;
  return json::object<T>("FunctionListInput", "Every filter must hold.",
                         json::field("search", &T::search, kSearchText).null_default(),
                         json::field("prefix", &T::prefix, kPrefixText).null_default(),
                         json::field("worker", &T::worker, kWorkerText).null_default());
}
inline auto describe(json::Type<TypeFilter>) {
  using T = TypeFilter;
  return json::object<T>("TriggerListInput", "Every filter must hold.",
                         json::field("search", &T::search, kSearchText).null_default(),
                         json::field("prefix", &T::prefix, kPrefixText).null_default(),
                         json::field("worker", &T::worker, kWorkerText).null_default());
}
inline auto describe(json::Type<TriggerFilter>) {
  using T = TriggerFilter;
  return json::object<T>(
      "RegisteredTriggerListInput", "Every filter must hold.",
      json::field("search", &T::search, kSearchText).null_default(),
      json::field("trigger_type", &T::trigger_type, "The trigger type, exactly.").null_default(),
      json::field("function_id", &T::function_id, "The bound function, exactly.").null_default(),
      json::field("worker", &T::worker, "The owner of the bound function.").null_default());
}
inline auto describe(json::Type<WorkerFilter>) {
  using T = WorkerFilter;
  return json::object<T>(
      "WorkerListInput", "Every filter must hold.",
      json::field("search", &T::search, "Text to find in names, case ignored.").null_default(),
      json::field("runtime", &T::runtime, "The runtime, exactly.").null_default(),
      json::field("status", &T::status, "The status, exactly.").null_default());
}
inline auto describe(json::Type<OneFunction>) {
  return json::object<OneFunction>(
      "FunctionInfoInput", "",
      json::field("function_id", &OneFunction::function_id, "As the list shows it."));
}
inline auto describe(json::Type<OneType>) {
  return json::object<OneType>("TriggerInfoInput", "",
                               json::field("id", &OneType::id, "As the list shows it."));
}
inline auto describe(json::Type<OneTrigger>) {
  return json::object<OneTrigger>("RegisteredTriggerInfoInput", "",
                                  json::field("id", &OneTrigger::id, "As the list shows it."));
}
inline auto describe(json::Type<OneWorker>) {
  return json::object<OneWorker>("WorkerInfoInput", "",
                                 json::field("name", &OneWorker::name, "As the list shows it."));
}

template <Line L>
auto describe(json::Type<FunctionEntry<L>>) {
  using T = FunctionEntry<L>;
  const auto id = json::field("function_id", &T::function_id, "");
  const auto name = json::field("name", &T::name, kNameText);
  const auto owner = json::field("worker_name", &T::worker_name, kOwnerText).nullable();
  const auto text = json::field("description", &T::description, "").nullable();
  if constexpr (L == Line::k041) {
    return json::object<T>("FunctionListEntry", "", id, name, owner, text);
  } else {
    return json::object<T>("FunctionListEntry", "", id, owner, text);
  }
}
template <Line L>
auto describe(json::Type<FunctionEntries<L>>) {
  using T = FunctionEntries<L>;
  return json::object<T>("FunctionListOutput", "",
                         json::field("functions", &T::functions, "By id."));
}

inline auto describe(json::Type<GuideFrontmatter>) {
  using T = GuideFrontmatter;
  return json::object<T>(
      "HowToFrontmatter", "",
      json::field("type", &T::type, "Always `how-to`.").nullable().null_default(),
      json::field("functions", &T::functions, "Functions that it is about.").optional(),
      json::field("function_id", &T::function_id, "The one function that it is about.")
          .nullable()
          .null_default(),
      json::field("title", &T::title, "").nullable().null_default());
}
template <Line L>
auto describe(json::Type<HowGuide<L>>) {
  using T = HowGuide<L>;
  const auto id = json::field("skill_id", &T::skill_id, "Readable by this id.");
  const auto body = json::field("body", &T::body, "Without its frontmatter.");
  if constexpr (L == Line::k041) {
    return json::object<T>("HowGuide", "", id,
                           json::field("abs_path", &T::abs_path, "Where its file is."),
                           json::field("frontmatter", &T::frontmatter, ""), body);
  } else {
    return json::object<T>("HowGuide", "", json::field("title", &T::title, ""), id, body);
  }
}
inline auto describe(json::Type<RelatedSkill>) {
  using T = RelatedSkill;
  return json::object<T>("RelatedSkill", "", json::field("title", &T::title, ""),
                         json::field("skill_id", &T::skill_id, ""));
}
inline auto describe(json::Type<TriggerSummaryEntry>) {
  using T = TriggerSummaryEntry;
  return json::object<T>("RegisteredTriggerSummary", "", json::field("id", &T::id, ""),
                         json::field("trigger_type", &T::trigger_type, ""),
                         json::field("config", &T::config, ""));
}
template <Line L>
auto describe(json::Type<FunctionDetail<L>>) {
  using T = FunctionDetail<L>;
  const auto id = json::field("function_id", &T::function_id, "");
  const auto owner = json::field("worker_name", &T::worker_name, kOwnerText).nullable();
  const auto text = json::field("description", &T::description, "").nullable();
  const auto request = json::field("request_schema", &T::request_schema, "").nullable();
  const auto response = json::field("response_schema", &T::response_schema, "").nullable();
  const auto metadata = json::field("metadata", &T::metadata, "").nullable();
  const auto triggers =
      json::field("registered_triggers", &T::registered_triggers, "What calls it by itself.");
  const auto guide = json::field("how_guide", &T::how_guide, "The how-to about it, if any.");
  if constexpr (L == Line::k041) {
    return json::object<T>("FunctionInfoOutput", "", id, json::field("name", &T::name, kNameText),
                           owner, text, request, response, metadata, triggers, guide);
  } else {
    return json::object<T>(
        "FunctionInfoOutput", "", id, owner, text, request, response, metadata, triggers, guide,
        json::field("related_skills", &T::related_skills, "Other documents that mention it."));
  }
}

template <Line L>
auto describe(json::Type<TypeEntry<L>>) {
  using T = TypeEntry<L>;
  const auto id = json::field("id", &T::id, "");
  const auto owner =
      json::field("worker_name", &T::worker_name, "The first part of the id.").nullable();
  const auto text = json::field("description", &T::description, "");
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
  return json::object<T>("TriggerListOutput", "", json::field("triggers", &T::triggers, "By id."));
}
template <Line L>
auto describe(json::Type<TypeDetail<L>>) {
  using T = TypeDetail<L>;
  const auto id = json::field("id", &T::id, "");
  const auto owner =
      json::field("worker_name", &T::worker_name, "The first part of the id.").nullable();
  const auto text = json::field("description", &T::description, "");
  const auto config =
      json::field("configuration_schema", &T::configuration_schema, "Of a binding's config.")
          .nullable();
  const auto payload =
      json::field("return_schema", &T::return_schema, "Of what bound functions get.").nullable();
  const auto count =
      json::field("instance_count", &T::instance_count, "Bindings there are now.").as("", "uint");
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
      "RegisteredTriggerListEntry", "", json::field("id", &T::id, ""),
      json::field("trigger_type", &T::trigger_type, ""),
      json::field("function_id", &T::function_id, ""),
      json::field("worker_name", &T::worker_name, "Who offers the function.").nullable(),
      json::field("config_summary", &T::config_summary, "The config in about 80 characters."));
}
inline auto describe(json::Type<TriggerEntries>) {
  using T = TriggerEntries;
  return json::object<T>("RegisteredTriggerListOutput", "",
                         json::field("registered_triggers", &T::registered_triggers, "By id."));
}
template <Line L>
auto describe(json::Type<TriggerDetail<L>>) {
  using T = TriggerDetail<L>;
  return json::object<T>(
      "RegisteredTriggerInfoOutput", "", json::field("id", &T::id, ""),
      json::field("trigger_type", &T::trigger_type, ""),
      json::field("function_id", &T::function_id, ""),
      json::field("worker_name", &T::worker_name, "Who offers the function.").nullable(),
      json::field("config", &T::config, ""), json::field("metadata", &T::metadata, "").nullable(),
      json::field("trigger", &T::trigger, "Its type; absent when that is gone."),
      json::field("function", &T::function, "The bound function; absent when that is gone."));
}

inline auto describe(json::Type<WorkerEntry>) {
  using T = WorkerEntry;
  return json::object<T>(
      "Worker", "", json::field("name", &T::name, "").nullable(),
      json::field("description", &T::description, "").nullable(),
      json::field("version", &T::version, "").nullable(),
      json::field("id", &T::id, "Of the connection."),
      json::field("runtime", &T::runtime, "").nullable(), json::field("os", &T::os, "").nullable(),
      json::field("status", &T::status, ""),
      json::field("function_count", &T::function_count, "").as("", "uint"),
      json::field("connected_at_ms", &T::connected_at_ms, ""),
      json::field("active_invocations", &T::active_invocations, "").as("", "uint"),
      json::field("isolation", &T::isolation, "").nullable(),
      json::field("ip_address", &T::ip_address, "").nullable());
}
inline auto describe(json::Type<WorkerEntries>) {
  using T = WorkerEntries;
  return json::object<T>("WorkerListOutput", "",
                         json::field("workers", &T::workers, "By name, those without one first."));
}
template <Line L>
auto describe(json::Type<WorkerFunction<L>>) {
  using T = WorkerFunction<L>;
  const auto id = json::field("function_id", &T::function_id, "");
  const auto text = json::field("description", &T::description, "").nullable();
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
  const auto id = json::field("id", &T::id, "");
  const auto text = json::field("description", &T::description, "");
  if constexpr (L == Line::k041) {
    return json::object<T>("WorkerTriggerTypeEntry", "", id,
                           json::field("name", &T::name, kNameText), text);
  } else {
    return json::object<T>("WorkerTriggerTypeEntry", "", id, text);
  }
}
inline auto describe(json::Type<WorkerTrigger>) {
  using T = WorkerTrigger;
  return json::object<T>("WorkerRegisteredTriggerEntry", "", json::field("id", &T::id, ""),
                         json::field("trigger_type", &T::trigger_type, ""),
                         json::field("function_id", &T::function_id, ""));
}
template <Line L>
auto describe(json::Type<WorkerDetail<L>>) {
  using T = WorkerDetail<L>;
  return json::object<T>(
      "WorkerInfoOutput", "", json::field("worker", &T::worker, "As in the list."),
      json::field("functions", &T::functions, "What it offers."),
      json::field("trigger_types", &T::trigger_types, "Those whose ids begin with its name."),
      json::field("registered_triggers", &T::registered_triggers, "What calls its functions."));
}

}  // namespace iii::directory
