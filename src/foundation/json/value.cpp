#include "foundation/json/value.h"

namespace iii::json {

const Value* Value::find(std::string_view key) const {
  const Object* object = as_object();
  if (object == nullptr) return nullptr;
  const auto it = object->find(key);
  return it == object->end() ? nullptr : &it->second;
}

std::string string_at(const Value& object, std::string_view key) {
  const Value* value = object.find(key);
  return value != nullptr && value->as_string() != nullptr ? *value->as_string() : std::string();
}

std::string_view Value::kind_name() const {
  if (is_null()) return "null";
  if (as_bool() != nullptr) return "boolean";
  if (is_number()) return "number";
  if (as_string() != nullptr) return "string";
  return as_array() != nullptr ? "array" : "object";
}

}  // namespace iii::json
