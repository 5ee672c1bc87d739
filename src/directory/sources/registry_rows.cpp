#include "directory/sources/registry_rows.h"

#include <cstdint>
#include <limits>
#include <utility>

namespace iii::sources {

namespace {

using json::Array;
using json::Object;
using json::Value;

// The first of these members that is text, else null.
Value text_or_null(const Value& from, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    const Value* value = from.find(key);
    if (value != nullptr && value->as_string() != nullptr) return *value;
  }
  return {};
}

Value any_or_null(const Value& from, std::string_view key) {
  const Value* value = from.find(key);
  return value != nullptr ? *value : Value();
}

uint64_t count_or_zero(const Value& from, std::string_view key, uint64_t most) {
  const Value* value = from.find(key);
  if (value == nullptr) return 0;
  if (value->as_uint() != nullptr) return *value->as_uint() <= most ? *value->as_uint() : 0;
  if (value->as_int() == nullptr || *value->as_int() < 0) return 0;
  const auto number = static_cast<uint64_t>(*value->as_int());
  return number <= most ? number : 0;
}

bool flag(const Value& from, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    const Value* value = from.find(key);
    if (value != nullptr && value->as_bool() != nullptr) return *value->as_bool();
  }
  return false;
}

const Array& array_or_empty(const Value* value) {
  static const Array kNothing;
  return value != nullptr && value->as_array() != nullptr ? *value->as_array() : kNothing;
}

Value targets(const Value& row) {
  Array out;
  for (const Value& target : array_or_empty(row.find("supported_targets"))) {
    if (target.as_string() != nullptr) out.push_back(target);
  }
  return out;
}

// A list of names and versions; other routes of the registry give the same as a map.
Value dependencies(const Value& row) {
  Array out;
  const auto add = [&out](const Value& name, Value version) {
    if (version.is_null()) version = "";
    out.emplace_back(Object{{"name", name}, {"version", std::move(version)}});
  };
  const Value* given = row.find("dependencies");
  if (given != nullptr && given->as_object() != nullptr) {
    for (const auto& [name, version] : *given->as_object()) {
      add(name, version.as_string() != nullptr ? version : Value());
    }
  }
  for (const Value& dependency : array_or_empty(given)) {
    const Value name = text_or_null(dependency, {"name"});
    if (!name.is_null()) add(name, text_or_null(dependency, {"version"}));
  }
  return out;
}

Value author(const Value& row) {
  const Value* given = row.find("author");
  if (given == nullptr || given->as_object() == nullptr) return {};
  return Object{{"name", text_or_null(*given, {"name"})},
                {"pfp", text_or_null(*given, {"pfp", "profile_picture"})},
                {"verified", flag(*given, {"verified", "is_verified"})}};
}

Value map_row(const Value& row, Value name) {
  const Value* config = row.find("config");
  Object out{{"name", std::move(name)},
             {"description", text_or_null(row, {"description"})},
             {"type", text_or_null(row, {"type"})},
             {"version", text_or_null(row, {"version", "latest_version"})},
             {"repo", text_or_null(row, {"repo", "repository"})},
             {"config", config != nullptr ? *config : Value(Object{})},
             {"supported_targets", targets(row)},
             {"total_downloads",
              count_or_zero(row, "total_downloads", std::numeric_limits<uint64_t>::max())},
             {"dependencies", dependencies(row)},
             {"author", author(row)}};
  const Value image = text_or_null(row, {"image"});
  if (!image.is_null()) out.emplace("image", image);
  return out;
}

Value map_pagination(const Value* given) {
  const Value page = given != nullptr ? *given : Value();
  return Object{
      {"next_cursor", text_or_null(page, {"next_cursor"})},
      {"has_more", flag(page, {"has_more"})},
      {"page_size", count_or_zero(page, "page_size", std::numeric_limits<uint32_t>::max())}};
}

// Functions or trigger types: those with a name, with null for what is missing.
Value map_reference(const Value* entries, std::initializer_list<std::string_view> schemas) {
  Array out;
  for (const Value& entry : array_or_empty(entries)) {
    Value name = text_or_null(entry, {"name"});
    if (name.is_null()) continue;
    Object row{{"name", std::move(name)},
               {"description", text_or_null(entry, {"description"})},
               {"metadata", any_or_null(entry, "metadata")}};
    for (const std::string_view schema : schemas) {
      row.emplace(schema, any_or_null(entry, schema));
    }
    out.emplace_back(std::move(row));
  }
  return out;
}

// The tree that older flat details carry.
Value older_tree(const Value& detail) {
  const Value* given = detail.find("skills_tree");
  if (given == nullptr) given = detail.find("skillsTree");
  Array skills;
  Array prompts;
  if (given != nullptr) {
    for (const Value& skill : array_or_empty(given->find("skills"))) {
      Value path = text_or_null(skill, {"path"});
      if (!path.is_null()) skills.emplace_back(Object{{"path", std::move(path)}});
    }
    for (const Value& prompt : array_or_empty(given->find("prompts"))) {
      Value name = text_or_null(prompt, {"name"});
      if (name.is_null()) continue;
      prompts.emplace_back(Object{{"name", std::move(name)},
                                  {"description", text_or_null(prompt, {"description"})}});
    }
  }
  return Object{{"skills", std::move(skills)}, {"prompts", std::move(prompts)}};
}

const Value& detail_of(const Value& body) {
  const Value* wrapped = body.find("worker");
  return wrapped != nullptr ? *wrapped : body;
}

}  // namespace

Value map_list(const Value& body, bool rows_alone) {
  const Value* rows = rows_alone && body.as_array() != nullptr ? &body : body.find("workers");
  Array workers;
  for (const Value& row : array_or_empty(rows)) {
    Value name = text_or_null(row, {"name"});
    if (!name.is_null()) workers.push_back(map_row(row, std::move(name)));
  }
  return Object{{"workers", std::move(workers)},
                {"pagination", map_pagination(body.find("pagination"))}};
}

Value map_info(const std::string& name, const Value& body, std::optional<Value> tree) {
  const Value& detail = detail_of(body);
  Value said = text_or_null(detail, {"name"});
  const Value* nested = detail.find("api_reference");
  const Value& reference = nested != nullptr ? *nested : detail;
  Object out{{"worker", map_row(detail, said.is_null() ? Value(name) : std::move(said))},
             {"skills_tree", tree ? std::move(*tree) : older_tree(detail)}};
  out.emplace("api_reference",
              Object{{"functions", map_reference(reference.find("functions"),
                                                 {"request_schema", "response_schema"})},
                     {"triggers", map_reference(reference.find("triggers"),
                                                {"invocation_schema", "return_schema"})}});
  Value readme = text_or_null(detail, {"readme"});
  if (!readme.is_null()) out.emplace("readme", std::move(readme));
  return out;
}

std::string detail_version(const Value& body) {
  const Value version = text_or_null(detail_of(body), {"version", "latest_version"});
  return version.is_null() ? std::string() : *version.as_string();
}

}  // namespace iii::sources
