#include "mcp/tool_schema.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"

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

std::vector<HeaderParameter> header_parameters(const json::Value& schema) {
  constexpr std::string_view kInNames = "!#$%&'*+-.^_`|~";
  const auto is_token = [&](std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [&](char c) {
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      return letter || (c >= '0' && c <= '9') || kInNames.find(c) != std::string_view::npos;
    });
  };
  std::vector<HeaderParameter> out;
  const json::Value* properties = schema.find("properties");
  if (properties == nullptr || properties->as_object() == nullptr) return out;
  std::multiset<std::string> seen;
  for (const auto& [name, property] : *properties->as_object()) {
    const json::Value* header = property.find("x-mcp-header");
    if (header == nullptr || header->as_string() == nullptr) continue;
    seen.insert(ascii_lower(*header->as_string()));
    const json::Value* type = property.find("type");
    const bool plain =
        type != nullptr && (*type == json::Value("string") || *type == json::Value("integer") ||
                            *type == json::Value("boolean"));
    if (plain && is_token(*header->as_string())) out.push_back({name, *header->as_string()});
  }
  std::erase_if(
      out, [&](const HeaderParameter& each) { return seen.count(ascii_lower(each.header)) > 1; });
  return out;
}

json::Value input_schema(const json::Value* schema, bool keep_headers) {
  if (schema == nullptr || schema->as_object() == nullptr) return any_object();
  json::Value out = *schema;
  if (!Cleaner().clean(out, 0)) return any_object();
  json::Object& root = *out.as_object();
  if (keep_headers) {
    for (const HeaderParameter& each : header_parameters(*schema)) {
      json::Object& properties = *root["properties"].as_object();
      (*properties[each.property].as_object())["x-mcp-header"] = each.header;
    }
  }
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
