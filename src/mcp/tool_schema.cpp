#include "mcp/tool_schema.h"

#include <array>
#include <string_view>
#include <utility>

namespace iii::mcp {

namespace {

constexpr size_t kMaxDepth = 64;
constexpr size_t kMaxParts = 10'000;

constexpr std::array<std::string_view, 5> kMapsOfSchemas = {
    "properties", "patternProperties", "$defs", "definitions", "dependentSchemas"};
constexpr std::array<std::string_view, 12> kSchemas = {"items",
                                                       "additionalProperties",
                                                       "additionalItems",
                                                       "contains",
                                                       "propertyNames",
                                                       "not",
                                                       "if",
                                                       "then",
                                                       "else",
                                                       "allOf",
                                                       "anyOf",
                                                       "oneOf"};

// Cleans schemas in place; false beyond the limits.
class Cleaner {
 public:
  bool clean(json::Value& schema, size_t depth) {
    if (++parts_ > kMaxParts || depth > kMaxDepth) return false;
    if (json::Array* list = schema.as_array()) {
      for (json::Value& each : *list) {
        if (!clean(each, depth + 1)) return false;
      }
      return true;
    }
    json::Object* object = schema.as_object();
    if (object == nullptr) return true;
    object->erase("x-mcp-header");
    for (const std::string_view key : kMapsOfSchemas) {
      const auto member = object->find(key);
      if (member != object->end() && !clean_map(member->second, depth + 1)) return false;
    }
    for (const std::string_view key : kSchemas) {
      const auto member = object->find(key);
      if (member != object->end() && !clean(member->second, depth + 1)) return false;
    }
    return true;
  }

 private:
  bool clean_map(json::Value& map, size_t depth) {
    json::Object* object = map.as_object();
    if (object == nullptr) {
      map = json::Object();
      return true;
    }
    for (auto& [name, schema] : *object) {
      if (schema.as_object() == nullptr) {
        const bool never = schema.as_bool() != nullptr && !*schema.as_bool();
        schema = never ? json::Object{{"not", json::Object()}} : json::Object();
      }
      if (!clean(schema, depth + 1)) return false;
    }
    return true;
  }

  size_t parts_ = 0;
};

json::Value any_object() {
  return json::Object{{"type", "object"}, {"properties", json::Object()}};
}

bool is_list_of_texts(const json::Value& value) {
  const json::Array* list = value.as_array();
  if (list == nullptr) return false;
  for (const json::Value& each : *list) {
    if (each.as_string() == nullptr) return false;
  }
  return true;
}

}  // namespace

json::Value input_schema(const json::Value* schema) {
  if (schema == nullptr || schema->as_object() == nullptr) return any_object();
  json::Value out = *schema;
  if (!Cleaner().clean(out, 0)) return any_object();
  json::Object& root = *out.as_object();
  // A root of another type cannot be the arguments of a tool; `["object", "null"]` can.
  if (const json::Value* type = out.find("type")) {
    const json::Array* several = type->as_array();
    bool object = *type == json::Value("object");
    if (several != nullptr) {
      for (const json::Value& each : *several) object = object || each == json::Value("object");
    }
    if (!object) return any_object();
  }
  root["type"] = "object";
  if (const auto required = root.find("required");
      required != root.end() && !is_list_of_texts(required->second)) {
    root.erase(required);
  }
  return out;
}

bool is_object_schema(const json::Value& schema) {
  const json::Value* type = schema.find("type");
  return type != nullptr && *type == json::Value("object");
}

json::Value wrapped_schema(const json::Value& schema) {
  json::Object out{{"type", "object"},
                   {"properties", json::Object{{"result", schema}}},
                   {"required", json::Array{"result"}}};
  // References count from the root of the document.
  for (const std::string_view key : {"$defs", "definitions"}) {
    if (const json::Value* definitions = schema.find(key)) out[std::string(key)] = *definitions;
  }
  return out;
}

}  // namespace iii::mcp
