// Members of what the engine and the registry answer. Nobody has checked these answers: what is not
// there, or not of the right type, is left out.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "foundation/json/value.h"

namespace iii::directory {

inline const json::Array& rows_of(const json::Value& answer, std::string_view key) {
  static const json::Array kNone;
  const json::Value* rows = answer.find(key);
  return rows != nullptr && rows->as_array() != nullptr ? *rows->as_array() : kNone;
}

inline std::optional<std::string> text_in(const json::Value& row, std::string_view key) {
  const json::Value* value = row.find(key);
  if (value == nullptr || value->as_string() == nullptr) return std::nullopt;
  return *value->as_string();
}

// The first of these members that is not null.
inline std::optional<json::Value> first_of(const json::Value& row,
                                           std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    const json::Value* value = row.find(key);
    if (value != nullptr && !value->is_null()) return *value;
  }
  return std::nullopt;
}

// `null` when there is no such member.
inline const json::Value& member_of(const json::Value& row, std::string_view key) {
  static const json::Value kNull;
  const json::Value* value = row.find(key);
  return value != nullptr ? *value : kNull;
}

// `null` when the text is not JSON.
inline json::Value parsed_answer(std::string_view text) {
  Result<json::Value> answer = json::parse(text);
  return answer ? std::move(*answer) : json::Value();
}

}  // namespace iii::directory
