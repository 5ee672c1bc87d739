// Small helpers of verbs that show answers.
#pragma once

#include <string>
#include <string_view>

#include "foundation/json/value.h"

namespace iii::daemon {

// A member as text; empty when it is missing, null or of another kind.
inline std::string text_at(const json::Value& value, std::string_view key) {
  return json::string_at(value, key);
}
// A whole number, or 0.
int64_t number_at(const json::Value& value, std::string_view key);
bool flag_at(const json::Value& value, std::string_view key);
// The rows of an array; none when it is missing.
const json::Array& rows_at(const json::Value& value, std::string_view key);

}  // namespace iii::daemon
