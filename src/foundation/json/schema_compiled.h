// What schema_compile.cpp prepares and schema_check.cpp uses. Internal to the two.
#pragma once

#include <re2/re2.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "foundation/json/schema_check.h"
#include "foundation/json/value.h"

namespace iii::json::schema_detail {

struct Compiled {
  Value root;
  SchemaLimits limits;
  std::map<std::string, std::unique_ptr<RE2>, std::less<>> patterns;
};

// The place a `$ref` names, or nullptr when it is not in this document.
const Value* resolve(const Value& root, std::string_view ref);
// `array`, `boolean`, `integer`, `null`, `number`, `object`, `string`.
bool is_type_name(std::string_view name);
// The value as JSON text, cut when it is long. Takes time for what is shown, not for the value.
std::string shown(const Value& value, size_t max_bytes);
// At most that many bytes of UTF-8, and `…` when something was cut.
std::string cut(std::string text, size_t max_bytes);
std::string not_of_type(const Value& value, std::string_view type, size_t max_bytes);

}  // namespace iii::json::schema_detail
