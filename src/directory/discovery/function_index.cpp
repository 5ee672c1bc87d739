#include "directory/discovery/function_index.h"

#include <algorithm>
#include <map>

#include "directory/search/function_document.h"
#include "foundation/base/text.h"

namespace iii::directory {

namespace {

search::Index index_of(const std::vector<KnownFunction>& functions) {
  search::Changes all;
  for (const KnownFunction& each : functions) {
    if (each.internal || !search::is_searchable_function(each.id)) continue;
    search::FunctionText text{.id = each.id,
                              .description = utf8_prefix(each.description, kMaxIndexedDescription),
                              .parameters = {}};
    for (const auto& [name, description] : each.parameters) {
      text.parameters.push_back({.name = name, .description = description});
    }
    all.put.push_back(search::function_document(text));
  }
  return search::Index(search::function_profile()).apply(all);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> parameters_of(const json::Value& request_schema) {
  std::vector<std::pair<std::string, std::string>> out;
  const json::Value* properties = request_schema.find("properties");
  if (properties == nullptr || properties->as_object() == nullptr) return out;
  for (const auto& [name, schema] : *properties->as_object()) {
    if (out.size() >= kMaxIndexedParameters) break;
    const json::Value* text = schema.find("description");
    const bool described = text != nullptr && text->as_string() != nullptr;
    out.emplace_back(utf8_prefix(name, kMaxIndexedDescription),
                     described ? utf8_prefix(*text->as_string(), kMaxIndexedDescription) : "");
  }
  return out;
}

std::vector<KnownFunction> by_id(std::vector<KnownFunction> functions) {
  std::map<std::string, KnownFunction> found;
  for (KnownFunction& each : functions) {
    std::string id = each.id;
    found.try_emplace(std::move(id), std::move(each));
  }
  functions.clear();
  for (auto& [id, each] : found) functions.push_back(std::move(each));
  return functions;
}

FunctionIndex::FunctionIndex(std::vector<KnownFunction> functions)
    : functions_(by_id(std::move(functions))), index_(index_of(functions_)) {}

const KnownFunction* FunctionIndex::find(std::string_view id) const {
  const auto found = std::ranges::lower_bound(functions_, id, {}, &KnownFunction::id);
  return found != functions_.end() && found->id == id ? &*found : nullptr;
}

}  // namespace iii::directory
