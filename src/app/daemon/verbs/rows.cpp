#include "app/daemon/verbs/rows.h"

namespace iii::daemon {

int64_t number_at(const json::Value& value, std::string_view key) {
  const json::Value* member = value.find(key);
  return member != nullptr && member->as_int() != nullptr ? *member->as_int() : 0;
}

bool flag_at(const json::Value& value, std::string_view key) {
  const json::Value* member = value.find(key);
  return member != nullptr && member->as_bool() != nullptr && *member->as_bool();
}

const json::Array& rows_at(const json::Value& value, std::string_view key) {
  static const json::Array kNone;
  const json::Value* member = value.find(key);
  return member != nullptr && member->as_array() != nullptr ? *member->as_array() : kNone;
}

}  // namespace iii::daemon
