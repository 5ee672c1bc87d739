// The fields that a JSON Schema describes, as rows for tables of the terminal and of pages.
#pragma once

#include <string>
#include <vector>

#include "foundation/json/value.h"

namespace iii::daemon {

struct SchemaField {
  std::string name;  // `skills[].id` for a field of the elements of `skills`
  std::string type;  // `string`, `integer|null`, `any`
  bool required = false;
  std::string description;
};

// In the order of their names; fields of objects follow their object, down to `depth` levels.
std::vector<SchemaField> schema_fields(const json::Value& schema, size_t depth = 1);

}  // namespace iii::daemon
