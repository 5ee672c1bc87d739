// What state::* takes and gives, described once for decoders and published schemas.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "foundation/json/describe.h"

namespace iii::engine {

struct StateSetInput {
  std::string scope;
  std::string key;
  json::Raw value;
};
inline auto describe(json::Type<StateSetInput>) {
  using In = StateSetInput;
  return json::object<In>(
      "StateSetInput", "A value to store.", json::field("scope", &In::scope, "Group of keys."),
      json::field("key", &In::key, "Name of the value in its scope."),
      json::field("value", &In::value, "Any JSON value; `data` is accepted as another spelling.")
          .alias("data"));
}

struct StateSetResult {
  json::Raw new_value;
  json::Raw old_value;
};
inline auto describe(json::Type<StateSetResult>) {
  using Out = StateSetResult;
  return json::object<Out>(
      "StateSetResult", "The value before and after.",
      json::field("new_value", &Out::new_value, "What is stored now."),
      json::field("old_value", &Out::old_value, "What was stored before; null when nothing was."));
}

struct StateGetInput {
  std::string scope;
  std::string key;
};
inline auto describe(json::Type<StateGetInput>) {
  using In = StateGetInput;
  return json::object<In>("StateGetInput", "", json::field("scope", &In::scope, "Group of keys."),
                          json::field("key", &In::key, "Name of the value in its scope."));
}

struct StateDeleteInput {
  std::string scope;
  std::string key;
};
inline auto describe(json::Type<StateDeleteInput>) {
  using In = StateDeleteInput;
  return json::object<In>("StateDeleteInput", "Which value to remove.",
                          json::field("scope", &In::scope, "Group of keys."),
                          json::field("key", &In::key, "Name of the value in its scope."));
}

struct StateUpdateInput {
  std::string scope;
  std::string key;
  json::Raw ops;  // decoded by parse_update_ops
};
inline auto describe(json::Type<StateUpdateInput>) {
  using In = StateUpdateInput;
  return json::object<In>(
      "StateUpdateInput", "Changes to apply to one value, in order.",
      json::field("scope", &In::scope, "Group of keys."),
      json::field("key", &In::key, "Name of the value in its scope; a missing one starts as {}."),
      json::field("ops", &In::ops, "Changes, applied in order. Required."));
}

struct StateUpdateError {
  std::string code;
  std::string doc_url;
  std::string message;
  uint64_t op_index = 0;
};
inline auto describe(json::Type<StateUpdateError>) {
  using Out = StateUpdateError;
  return json::object<Out>("StateUpdateError", "Why one op was skipped.",
                           json::field("code", &Out::code, "Error code."),
                           json::field("doc_url", &Out::doc_url, "Documentation of the codes."),
                           json::field("message", &Out::message, "Error message."),
                           json::field("op_index", &Out::op_index, "Index of the op, from 0."));
}

struct StateUpdateResult {
  std::optional<std::vector<StateUpdateError>> errors;
  json::Raw new_value;
  json::Raw old_value;
};
inline auto describe(json::Type<StateUpdateResult>) {
  using Out = StateUpdateResult;
  return json::object<Out>(
      "StateUpdateResult", "The value before and after.",
      json::field("errors", &Out::errors, "Ops that were skipped; absent when all were applied."),
      json::field("new_value", &Out::new_value, "What is stored now."),
      json::field("old_value", &Out::old_value, "What was stored before; null when nothing was."));
}

struct StateListInput {
  std::string scope;
};
inline auto describe(json::Type<StateListInput>) {
  using In = StateListInput;
  return json::object<In>("StateListInput", "Which scope to list.",
                          json::field("scope", &In::scope, "Group of keys."));
}

struct StateListGroupsInput {};
inline auto describe(json::Type<StateListGroupsInput>) {
  return json::object<StateListGroupsInput>("StateListGroupsInput", "Takes nothing.");
}

struct StateListGroupsResult {
  std::vector<std::string> groups;
};
inline auto describe(json::Type<StateListGroupsResult>) {
  using Out = StateListGroupsResult;
  return json::object<Out>("StateListGroupsResult", "Every scope.",
                           json::field("groups", &Out::groups, "Names of the scopes, sorted."));
}

struct StateTriggerConfig {
  std::optional<std::string> condition_function_id;
  std::optional<std::string> key;
  std::optional<std::string> scope;
};
inline auto describe(json::Type<StateTriggerConfig>) {
  using C = StateTriggerConfig;
  return json::object<C>(
      "StateTriggerConfig", "",
      json::field(
          "condition_function_id", &C::condition_function_id,
          "Function that is called before each event; `false` or an error skips the event."),
      json::field("key", &C::key, "Only changes of this key."),
      json::field("scope", &C::scope, "Only changes in this scope."));
}

enum class StateEventType { kCreated, kUpdated, kDeleted };
inline auto describe(json::Type<StateEventType>) {
  using E = StateEventType;
  return json::enumeration<E>("StateEventType", {{E::kCreated, "state:created"},
                                                 {E::kUpdated, "state:updated"},
                                                 {E::kDeleted, "state:deleted"}});
}

struct StateEvent {
  StateEventType event_type = StateEventType::kUpdated;
  std::string key;
  json::Raw new_value;
  std::optional<json::Raw> old_value;
  std::string scope;
  std::string type = "state";
};
inline auto describe(json::Type<StateEvent>) {
  using E = StateEvent;
  return json::object<E>(
      "StateEvent", "", json::field("event_type", &E::event_type, "What happened."),
      json::field("key", &E::key, "Name of the value in its scope."),
      json::field("new_value", &E::new_value, "Value now; null when it was removed."),
      json::field("old_value", &E::old_value, "Value before; null when there was none.").nullable(),
      json::field("scope", &E::scope, "Group of keys."),
      json::field("type", &E::type, "Always `state`."));
}

}  // namespace iii::engine
