#include "app/daemon/verbs/schema_fields.h"

#include <algorithm>
#include <string_view>

#include "app/daemon/verbs/rows.h"

namespace iii::daemon {

namespace {

// What `#/definitions/NAME` means in this document.
const json::Value& followed(const json::Value& schema, const json::Value& document) {
  constexpr std::string_view kDefinitions = "#/definitions/";
  const std::string reference = text_at(schema, "$ref");
  const json::Value* definitions =
      reference.starts_with(kDefinitions) ? document.find("definitions") : nullptr;
  const json::Value* found =
      definitions == nullptr ? nullptr : definitions->find(reference.substr(kDefinitions.size()));
  return found == nullptr ? schema : *found;
}

// A value that may be null is described as `anyOf` of its schema and null.
const json::Value& without_null(const json::Value& schema, const json::Value& document) {
  for (const char* key : {"anyOf", "allOf"}) {
    for (const json::Value& each : rows_at(schema, key)) {
      if (text_at(each, "type") != "null") return followed(each, document);
    }
  }
  return followed(schema, document);
}

std::string type_of(const json::Value& property, const json::Value& document) {
  const json::Value& schema = without_null(property, document);
  const json::Value* type = schema.find("type");
  if (type == nullptr) return "any";
  std::vector<std::string> words;
  if (type->as_string() != nullptr) words.push_back(*type->as_string());
  for (const json::Value& word : rows_at(schema, "type")) {
    if (word.as_string() != nullptr) words.push_back(*word.as_string());
  }
  const json::Array& choices = rows_at(property, "anyOf");
  if (std::ranges::any_of(choices, [](const auto& c) { return text_at(c, "type") == "null"; })) {
    words.emplace_back("null");
  }
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : "|") + word;
  return out;
}

void add_fields(const json::Value& schema, const json::Value& document, const std::string& before,
                size_t depth, std::vector<SchemaField>& out) {
  const json::Value* properties = schema.find("properties");
  if (properties == nullptr || properties->as_object() == nullptr || depth == 0) return;
  const json::Array& required = rows_at(schema, "required");
  for (const auto& [name, property] : *properties->as_object()) {
    std::string description = text_at(property, "description");
    const json::Value& inner = without_null(property, document);
    if (description.empty()) description = text_at(inner, "description");
    out.push_back({.name = before + name,
                   .type = type_of(property, document),
                   .required = std::ranges::find(required, json::Value(name)) != required.end(),
                   .description = std::move(description)});
    add_fields(inner, document, before + name + ".", depth - 1, out);
    if (const json::Value* items = inner.find("items")) {
      add_fields(followed(*items, document), document, before + name + "[].", depth - 1, out);
    }
  }
}

}  // namespace

std::vector<SchemaField> schema_fields(const json::Value& schema, size_t depth) {
  std::vector<SchemaField> out;
  add_fields(followed(schema, schema), schema, "", depth, out);
  return out;
}

}  // namespace iii::daemon
