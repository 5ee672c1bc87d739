#include "faces/mcp/tool_schema.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "foundation/base/text.h"

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

bool contains(const json::Value* list, std::string_view text) {
  if (list == nullptr || list->as_array() == nullptr) return false;
  return std::ranges::find(*list->as_array(), json::Value(text)) != list->as_array()->end();
}

// Several types in one schema are legal, but clients that know one type per schema (Gemini) reject
// the tool: `anyOf` says the same. `null` is left out where a caller may leave out the member.
void split_types(json::Object& schema, bool may_be_absent) {
  const auto types = schema.find("type");
  if (types == schema.end() || types->second.as_array() == nullptr) return;
  json::Array& list = *types->second.as_array();
  if (may_be_absent && list.size() > 1) std::erase(list, json::Value("null"));
  if (list.size() == 1) {
    json::Value only = std::move(list.front());
    types->second = std::move(only);
    return;
  }
  if (list.empty() || schema.contains("anyOf")) return;
  json::Array branches;
  for (json::Value& type : list) branches.push_back(json::Object{{"type", std::move(type)}});
  schema.erase(types);
  schema["anyOf"] = std::move(branches);
}

constexpr std::array<std::string_view, 8> kAnnotations = {"title",     "description", "default",
                                                          "examples",  "deprecated",  "readOnly",
                                                          "writeOnly", "$comment"};

// A property or item of any value says so with types: `{}` is `true` to clients, which some reject.
void name_any_type(json::Object& property) {
  const auto says_nothing = [](const auto& member) {
    return std::ranges::find(kAnnotations, member.first) != kAnnotations.end();
  };
  if (!std::ranges::all_of(property, says_nothing)) return;
  json::Array all;
  for (const char* type : {"object", "array", "string", "number", "boolean", "null"}) {
    all.push_back(json::Object{{"type", type}});
  }
  property["anyOf"] = std::move(all);
}

// Cleans schemas in place; false beyond the limits.
class Cleaner {
 public:
  enum class Of { kInput, kOutput };
  explicit Cleaner(Of of) : of_(of) {}

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
    if (of_ == Of::kInput) object->erase("x-mcp-header");
    if (of_ == Of::kInput) leave_out_null(*object);
    if (depth > 0) split_types(*object, false);
    // `uint64` and its like are no formats of JSON Schema: clients complain about each.
    if (const auto format = object->find("format");
        format != object->end() && format->second.as_string() != nullptr &&
        format->second.as_string()->starts_with("uint")) {
      object->erase(format);
    }
    if (const auto rest = object->find("additionalProperties");
        rest != object->end() && rest->second == json::Value(json::Object())) {
      rest->second = true;
    }
    for (const std::string_view key : kMapsOfSchemas) {
      const auto member = object->find(key);
      if (member != object->end() && !clean_map(member->second, depth + 1)) return false;
    }
    for (const std::string_view key : kSchemas) {
      const auto member = object->find(key);
      if (member != object->end() && !clean(member->second, depth + 1)) return false;
    }
    if (const auto items = object->find("items");
        items != object->end() && items->second.as_object() != nullptr) {
      name_any_type(*items->second.as_object());
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
      name_any_type(*schema.as_object());
    }
    return true;
  }

  static void leave_out_null(json::Object& schema) {
    const auto properties = schema.find("properties");
    if (properties == schema.end() || properties->second.as_object() == nullptr) return;
    const auto required = schema.find("required");
    const json::Value* needed = required != schema.end() ? &required->second : nullptr;
    for (auto& [name, property] : *properties->second.as_object()) {
      if (property.as_object() == nullptr || contains(needed, name)) continue;
      split_types(*property.as_object(), true);
    }
  }

  const Of of_;
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
  if (!Cleaner(Cleaner::Of::kInput).clean(out, 0)) return any_object();
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

json::Value portable_output_schema(const json::Value& schema) {
  json::Value out = schema;
  return Cleaner(Cleaner::Of::kOutput).clean(out, 0) ? out : schema;
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
