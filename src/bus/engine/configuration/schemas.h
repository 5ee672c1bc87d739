// What configuration::* takes and gives, described once for decoders and published schemas.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "foundation/json/describe.h"

namespace iii::engine {

struct ConfigurationRegisterInput {
  std::string id;
  std::string name;
  std::string description;
  json::Raw schema;
  std::optional<json::Raw> initial_value;
  std::optional<json::Raw> metadata;
};
inline auto describe(json::Type<ConfigurationRegisterInput>) {
  using In = ConfigurationRegisterInput;
  return json::object<In>(
      "ConfigurationRegisterInput", "An entry to create or to update.",
      json::field("id", &In::id, "Name of the entry: 1 to 64 of a-z, 0-9, `_` and `-`."),
      json::field("name", &In::name, "Title to show to users."),
      json::field("description", &In::description, "What the entry is for."),
      json::field("schema", &In::schema, "JSON Schema of the value."),
      json::field("initial_value", &In::initial_value,
                  "Replaces the stored value when given; null counts as not given."),
      json::field("metadata", &In::metadata, "Arbitrary data of the owner."));
}

struct ConfigurationSetInput {
  std::string id;
  json::Raw value;
};
inline auto describe(json::Type<ConfigurationSetInput>) {
  using In = ConfigurationSetInput;
  return json::object<In>(
      "ConfigurationSetInput", "A new value for an entry.",
      json::field("id", &In::id, "Name of the entry."),
      json::field("value", &In::value,
                  "The value; `${NAME:default}` in strings is expanded when it is read."));
}

struct ConfigurationSetResult {
  json::Raw new_value;
  json::Raw old_value;
};
inline auto describe(json::Type<ConfigurationSetResult>) {
  using Out = ConfigurationSetResult;
  return json::object<Out>("ConfigurationSetResult", "The value before and after.",
                           json::field("new_value", &Out::new_value, "What is stored now."),
                           json::field("old_value", &Out::old_value, "What was stored before."));
}

struct ConfigurationGetInput {
  std::string id;
  bool raw = false;
};
inline auto describe(json::Type<ConfigurationGetInput>) {
  using In = ConfigurationGetInput;
  return json::object<In>(
      "ConfigurationGetInput", "Which entry to read, and how.",
      json::field("id", &In::id, "Name of the entry."),
      json::field("raw", &In::raw, "Give the value as stored, without expansion.").optional());
}

struct ConfigurationGetResult {
  std::string id;
  json::Raw value;
};
inline auto describe(json::Type<ConfigurationGetResult>) {
  using Out = ConfigurationGetResult;
  return json::object<Out>("ConfigurationGetResult", "The value of an entry.",
                           json::field("id", &Out::id, "Name of the entry."),
                           json::field("value", &Out::value, "Its value."));
}

struct ConfigurationListInput {};
inline auto describe(json::Type<ConfigurationListInput>) {
  return json::object<ConfigurationListInput>("ConfigurationListInput", "Takes nothing.");
}

struct ConfigurationSchemaInput {
  std::string id;
};
inline auto describe(json::Type<ConfigurationSchemaInput>) {
  using In = ConfigurationSchemaInput;
  return json::object<In>("ConfigurationSchemaInput", "Which entry to describe.",
                          json::field("id", &In::id, "Name of the entry."));
}

// An entry without its value.
struct ConfigurationRow {
  std::string description;
  std::string id;
  std::optional<json::Raw> metadata;
  std::string name;
  json::Raw schema;
};
inline auto describe(json::Type<ConfigurationRow>) {
  using Out = ConfigurationRow;
  return json::object<Out>("ConfigurationRow", "An entry without its value.",
                           json::field("description", &Out::description, "What the entry is for."),
                           json::field("id", &Out::id, "Name of the entry."),
                           json::field("metadata", &Out::metadata, "As registered."),
                           json::field("name", &Out::name, "Title to show to users."),
                           json::field("schema", &Out::schema, "JSON Schema of the value."));
}

struct ConfigurationListResult {
  std::vector<ConfigurationRow> configurations;
};
inline auto describe(json::Type<ConfigurationListResult>) {
  using Out = ConfigurationListResult;
  return json::object<Out>(
      "ConfigurationListResult", "Every entry, by id.",
      json::field("configurations", &Out::configurations, "The entries, without values."));
}

struct ConfigurationEntry {
  std::string description;
  std::string id;
  std::optional<json::Raw> metadata;
  std::string name;
  json::Raw schema;
  json::Raw value;
};
inline auto describe(json::Type<ConfigurationEntry>) {
  using Out = ConfigurationEntry;
  return json::object<Out>(
      "ConfigurationEntry", "An entry as it is stored.",
      json::field("description", &Out::description, "What the entry is for."),
      json::field("id", &Out::id, "Name of the entry."),
      json::field("metadata", &Out::metadata, "As registered."),
      json::field("name", &Out::name, "Title to show to users."),
      json::field("schema", &Out::schema, "JSON Schema of the value."),
      json::field("value", &Out::value, "The stored value, placeholders not expanded."));
}

enum class ConfigurationEventType { kRegistered, kUpdated, kDeleted };
inline auto describe(json::Type<ConfigurationEventType>) {
  using E = ConfigurationEventType;
  return json::enumeration<E>("ConfigurationEventType",
                              {{E::kRegistered, "configuration:registered"},
                               {E::kUpdated, "configuration:updated"},
                               {E::kDeleted, "configuration:deleted"}});
}

// What a binding's config is decoded into. Words that are not an event type are accepted and never
// match.
struct ConfigurationTriggerConfig {
  std::optional<std::string> condition_function_id;
  std::optional<std::string> configuration_id;
  std::optional<std::vector<std::string>> event_types;
};
inline auto describe(json::Type<ConfigurationTriggerConfig>) {
  using C = ConfigurationTriggerConfig;
  return json::object<C>("ConfigurationTriggerConfig", "",
                         json::field("condition_function_id", &C::condition_function_id, ""),
                         json::field("configuration_id", &C::configuration_id, ""),
                         json::field("event_types", &C::event_types, ""));
}

// What is published about it.
struct ConfigurationTriggerConfigForm {
  std::optional<std::string> condition_function_id;
  std::optional<std::string> configuration_id;
  std::optional<std::vector<ConfigurationEventType>> event_types;
};
inline auto describe(json::Type<ConfigurationTriggerConfigForm>) {
  using C = ConfigurationTriggerConfigForm;
  return json::object<C>(
      "ConfigurationTriggerConfig", "",
      json::field(
          "condition_function_id", &C::condition_function_id,
          "Function that is called before each event; `false` or an error skips the event."),
      json::field("configuration_id", &C::configuration_id, "Only events of this entry."),
      json::field("event_types", &C::event_types, "Only events of these types."));
}

struct ConfigurationEvent {
  std::string description;
  ConfigurationEventType event_type = ConfigurationEventType::kUpdated;
  std::string id;
  std::optional<json::Raw> metadata;
  std::string name;
  std::optional<json::Raw> new_value;
  std::optional<json::Raw> old_value;
  json::Raw schema;
  std::string type = "configuration";
};
inline auto describe(json::Type<ConfigurationEvent>) {
  using E = ConfigurationEvent;
  return json::object<E>(
      "ConfigurationEvent", "",
      json::field("description", &E::description, "What the entry is for."),
      json::field("event_type", &E::event_type, "What happened."),
      json::field("id", &E::id, "Name of the entry."),
      json::field("metadata", &E::metadata, "The entry's metadata."),
      json::field("name", &E::name, "Title of the entry."),
      json::field("new_value", &E::new_value, "Value now, expanded.").nullable(),
      json::field("old_value", &E::old_value, "Value before, expanded.").nullable(),
      json::field("schema", &E::schema, "JSON Schema of the value."),
      json::field("type", &E::type, "Always `configuration`."));
}

}  // namespace iii::engine
