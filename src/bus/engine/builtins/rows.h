// What the introspection functions show, as described structs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foundation/json/describe.h"

namespace iii::engine {

struct FunctionRow {
  std::string function_id;
  std::string name_space;
  std::string worker_name;
  std::optional<std::string> description;
  std::optional<json::Raw> metadata;
};

struct BoundTrigger {
  std::string id;
  std::string trigger_type;
  json::Raw config;
};

struct FunctionDetail {
  std::string function_id;
  std::string name_space;
  std::string worker_name;
  std::optional<std::string> description;
  std::optional<json::Raw> request_schema;
  std::optional<json::Raw> response_schema;
  std::optional<json::Raw> metadata;
  std::vector<BoundTrigger> registered_triggers;
};

struct TriggerTypeRow {
  std::string id;
  std::string name_space;
  std::string worker_name;
  std::string description;
};

struct TriggerTypeDetail {
  std::string id;
  std::string name_space;
  std::string worker_name;
  std::string description;
  uint64_t instance_count = 0;
  std::optional<json::Raw> configuration_schema;
  std::optional<json::Raw> request_schema;
};

struct BindingRow {
  std::string id;
  std::string trigger_type;
  std::string function_id;
  std::string worker_name;
  json::Raw config;
  std::string config_summary;
  std::optional<std::string> status;  // these two only when parked ones were asked for
  std::optional<std::string> owner;
};

struct BindingDetail {
  std::string id;
  std::string trigger_type;
  std::string function_id;
  std::string worker_name;
  json::Raw config;
  std::optional<json::Raw> metadata;
  std::optional<TriggerTypeDetail> trigger;
  std::optional<FunctionDetail> function;
};

struct WorkerRow {
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::optional<std::string> version;
  std::string id;
  std::string name_space;
  std::optional<std::string> runtime;
  std::optional<std::string> os;
  std::string status;
  uint64_t function_count = 0;
  int64_t connected_at_ms = 0;
  uint64_t active_invocations = 0;
  std::optional<std::string> isolation;
  std::optional<std::string> ip_address;
};

struct WorkerDetail {
  WorkerRow row;
  bool internal = false;
  std::optional<uint32_t> pid;
};

inline constexpr std::string_view kFunctionIdHelp = "Id to call it by.";
inline constexpr std::string_view kNamespaceHelp = "Namespace it is registered in.";
inline constexpr std::string_view kWorkerHelp = "Worker that registered it.";
inline constexpr std::string_view kTargetWorkerHelp = "Worker that registered the function.";
inline constexpr std::string_view kDescriptionHelp =
    "What it does; absent if its worker does not say.";
inline constexpr std::string_view kMetadataHelp = "What its worker registered beside it.";
inline constexpr std::string_view kBindingIdHelp = "Id of the binding.";
inline constexpr std::string_view kBindingTypeHelp = "Trigger type that it is bound to.";
inline constexpr std::string_view kBindingFunctionHelp = "Function that it calls.";
inline constexpr std::string_view kBindingConfigHelp = "Config of the binding, as registered.";
inline constexpr std::string_view kTypeIdHelp = "Id of the trigger type.";
inline constexpr std::string_view kFiresHelp = "When it fires.";

inline auto describe(json::Type<FunctionRow>) {
  using T = FunctionRow;
  return json::object<T>("FunctionSummary", "",
                         json::field("function_id", &T::function_id, kFunctionIdHelp),
                         json::field("namespace", &T::name_space, kNamespaceHelp),
                         json::field("worker_name", &T::worker_name, kWorkerHelp),
                         json::field("description", &T::description, kDescriptionHelp),
                         json::field("metadata", &T::metadata, kMetadataHelp));
}

inline auto describe(json::Type<BoundTrigger>) {
  using T = BoundTrigger;
  return json::object<T>("BoundTrigger", "", json::field("id", &T::id, kBindingIdHelp),
                         json::field("trigger_type", &T::trigger_type, kBindingTypeHelp),
                         json::field("config", &T::config, kBindingConfigHelp));
}

inline auto describe(json::Type<FunctionDetail>) {
  using T = FunctionDetail;
  return json::object<T>(
      "FunctionDetail", "", json::field("function_id", &T::function_id, kFunctionIdHelp),
      json::field("namespace", &T::name_space, kNamespaceHelp),
      json::field("worker_name", &T::worker_name, kWorkerHelp),
      json::field("description", &T::description, kDescriptionHelp),
      json::field("request_schema", &T::request_schema, "JSON Schema of its input."),
      json::field("response_schema", &T::response_schema, "JSON Schema of its output."),
      json::field("metadata", &T::metadata, kMetadataHelp),
      json::field("registered_triggers", &T::registered_triggers, "Bindings that call it."));
}

inline auto describe(json::Type<TriggerTypeRow>) {
  using T = TriggerTypeRow;
  return json::object<T>("TriggerTypeSummary", "", json::field("id", &T::id, kTypeIdHelp),
                         json::field("namespace", &T::name_space, kNamespaceHelp),
                         json::field("worker_name", &T::worker_name, kWorkerHelp),
                         json::field("description", &T::description, kFiresHelp));
}

inline auto describe(json::Type<TriggerTypeDetail>) {
  using T = TriggerTypeDetail;
  return json::object<T>("TriggerTypeDetail", "", json::field("id", &T::id, kTypeIdHelp),
                         json::field("namespace", &T::name_space, kNamespaceHelp),
                         json::field("worker_name", &T::worker_name, kWorkerHelp),
                         json::field("description", &T::description, kFiresHelp),
                         json::field("instance_count", &T::instance_count,
                                     "Number of live bindings, in all namespaces."),
                         json::field("configuration_schema", &T::configuration_schema,
                                     "JSON Schema of the config of a binding."),
                         json::field("request_schema", &T::request_schema,
                                     "JSON Schema of the payload that bound functions receive."));
}

inline auto describe(json::Type<BindingRow>) {
  using T = BindingRow;
  return json::object<T>(
      "RegisteredTriggerSummary", "", json::field("id", &T::id, kBindingIdHelp),
      json::field("trigger_type", &T::trigger_type, kBindingTypeHelp),
      json::field("function_id", &T::function_id, kBindingFunctionHelp),
      json::field("worker_name", &T::worker_name, kTargetWorkerHelp),
      json::field("config", &T::config, kBindingConfigHelp),
      json::field("config_summary", &T::config_summary, "Config as JSON, at most 80 characters."),
      json::field("status", &T::status,
                  "`live`, or `parked` while its trigger type is not registered."),
      json::field("owner", &T::owner, "Whose quota it counts against."));
}

inline auto describe(json::Type<BindingDetail>) {
  using T = BindingDetail;
  return json::object<T>(
      "RegisteredTriggerDetail", "", json::field("id", &T::id, kBindingIdHelp),
      json::field("trigger_type", &T::trigger_type, kBindingTypeHelp),
      json::field("function_id", &T::function_id, kBindingFunctionHelp),
      json::field("worker_name", &T::worker_name, kTargetWorkerHelp),
      json::field("config", &T::config, kBindingConfigHelp),
      json::field("metadata", &T::metadata, "What the binder registered beside it."),
      json::field("trigger", &T::trigger, "Its trigger type; null if it is not registered.")
          .nullable(),
      json::field("function", &T::function, "Its function; null if it is not registered.")
          .nullable());
}

// Alphabetical, as the public engine shows them.
inline auto describe(json::Type<WorkerRow>) {
  using T = WorkerRow;
  return json::object<T>(
      "WorkerSummary", "",
      json::field("active_invocations", &T::active_invocations,
                  "Calls that it has made or is running."),
      json::field("connected_at_ms", &T::connected_at_ms,
                  "When it connected, in milliseconds since 1970."),
      json::field("description", &T::description, "What it says of itself.").nullable(),
      json::field("function_count", &T::function_count, "Functions it registered."),
      json::field("id", &T::id, "Id of its connection."),
      json::field("ip_address", &T::ip_address, "Address it connected from.").nullable(),
      json::field("isolation", &T::isolation, "How it is isolated.").nullable(),
      json::field("name", &T::name, "Name it announced.").nullable(),
      json::field("namespace", &T::name_space, "Namespace of its registrations."),
      json::field("os", &T::os, "Operating system.").nullable(),
      json::field("runtime", &T::runtime, "For example `node`, `cpp` or `engine`.").nullable(),
      json::field("status", &T::status, "`connected`, or `available` for modules of the engine."),
      json::field("version", &T::version, "Version it announced.").nullable());
}

}  // namespace iii::engine
