// What the introspection functions show, as described structs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json/describe.h"

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

inline auto describe(json::Type<FunctionRow>) {
  using T = FunctionRow;
  return json::object<T>(
      "FunctionSummary", "", json::field("function_id", &T::function_id, ""),
      json::field("namespace", &T::name_space, ""),
      json::field("worker_name", &T::worker_name, "The worker that provides it."),
      json::field("description", &T::description, ""), json::field("metadata", &T::metadata, ""));
}

inline auto describe(json::Type<BoundTrigger>) {
  using T = BoundTrigger;
  return json::object<T>("BoundTrigger", "", json::field("id", &T::id, ""),
                         json::field("trigger_type", &T::trigger_type, ""),
                         json::field("config", &T::config, ""));
}

inline auto describe(json::Type<FunctionDetail>) {
  using T = FunctionDetail;
  return json::object<T>(
      "FunctionDetail", "", json::field("function_id", &T::function_id, ""),
      json::field("namespace", &T::name_space, ""),
      json::field("worker_name", &T::worker_name, "The worker that provides it."),
      json::field("description", &T::description, ""),
      json::field("request_schema", &T::request_schema, "JSON Schema of its input."),
      json::field("response_schema", &T::response_schema, "JSON Schema of its output."),
      json::field("metadata", &T::metadata, ""),
      json::field("registered_triggers", &T::registered_triggers, "Bindings that call it."));
}

inline auto describe(json::Type<TriggerTypeRow>) {
  using T = TriggerTypeRow;
  return json::object<T>(
      "TriggerTypeSummary", "", json::field("id", &T::id, ""),
      json::field("namespace", &T::name_space, ""),
      json::field("worker_name", &T::worker_name, "The worker that provides it."),
      json::field("description", &T::description, ""));
}

inline auto describe(json::Type<TriggerTypeDetail>) {
  using T = TriggerTypeDetail;
  return json::object<T>(
      "TriggerTypeDetail", "", json::field("id", &T::id, ""),
      json::field("namespace", &T::name_space, ""),
      json::field("worker_name", &T::worker_name, "The worker that provides it."),
      json::field("description", &T::description, ""),
      json::field("instance_count", &T::instance_count,
                  "Number of live bindings, in all namespaces."),
      json::field("configuration_schema", &T::configuration_schema, "Of a binding's config."),
      json::field("request_schema", &T::request_schema,
                  "JSON Schema of what the bound function receives."));
}

inline auto describe(json::Type<BindingRow>) {
  using T = BindingRow;
  return json::object<T>(
      "RegisteredTriggerSummary", "", json::field("id", &T::id, ""),
      json::field("trigger_type", &T::trigger_type, ""),
      json::field("function_id", &T::function_id, ""),
      json::field("worker_name", &T::worker_name, "The worker that provides the bound function."),
      json::field("config", &T::config, ""),
      json::field("config_summary", &T::config_summary, "The config in at most 80 characters."),
      json::field("status", &T::status, "live or parked."),
      json::field("owner", &T::owner, "Whose quota it counts against."));
}

inline auto describe(json::Type<BindingDetail>) {
  using T = BindingDetail;
  return json::object<T>(
      "RegisteredTriggerDetail", "", json::field("id", &T::id, ""),
      json::field("trigger_type", &T::trigger_type, ""),
      json::field("function_id", &T::function_id, ""),
      json::field("worker_name", &T::worker_name, "The worker that provides the bound function."),
      json::field("config", &T::config, ""), json::field("metadata", &T::metadata, ""),
      json::field("trigger", &T::trigger, "Its trigger type, when it is registered.").nullable(),
      json::field("function", &T::function, "The bound function, when it exists.").nullable());
}

// Alphabetical, as the public engine shows them.
inline auto describe(json::Type<WorkerRow>) {
  using T = WorkerRow;
  return json::object<T>(
      "WorkerSummary", "",
      json::field("active_invocations", &T::active_invocations,
                  "Calls that it has made or is running."),
      json::field("connected_at_ms", &T::connected_at_ms, ""),
      json::field("description", &T::description, "").nullable(),
      json::field("function_count", &T::function_count, ""), json::field("id", &T::id, ""),
      json::field("ip_address", &T::ip_address, "").nullable(),
      json::field("isolation", &T::isolation, "").nullable(),
      json::field("name", &T::name, "").nullable(), json::field("namespace", &T::name_space, ""),
      json::field("os", &T::os, "").nullable(), json::field("runtime", &T::runtime, "").nullable(),
      json::field("status", &T::status, "`connected`, or `available` for modules of the engine."),
      json::field("version", &T::version, "").nullable());
}

}  // namespace iii::engine
