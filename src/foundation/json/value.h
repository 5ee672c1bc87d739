// A JSON value in memory, for the places that need to look inside one. Payloads that only pass
// through stay text (see Raw) and are never turned into a Value.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "foundation/base/result.h"

namespace iii::json {

class Value;
using Array = std::vector<Value>;
// Keys are kept sorted, as the public engine stores and shows them.
using Object = std::map<std::string, Value, std::less<>>;

// Integers that fit 64 bits stay exact; every other number is a double, as in the public engine.
class Value {
 public:
  // Not defaulted: the class holds containers of itself, which ask for this before it is complete.
  Value() {}
  Value(std::nullptr_t) {}
  Value(bool b) : data_(b) {}
  Value(int64_t i) : data_(i) {}
  Value(int i) : data_(static_cast<int64_t>(i)) {}
  Value(uint64_t u) {
    if (u <= static_cast<uint64_t>(INT64_MAX)) {
      data_ = static_cast<int64_t>(u);
    } else {
      data_ = u;
    }
  }
  Value(uint32_t u) : data_(static_cast<int64_t>(u)) {}
  Value(double d) : data_(d) {}
  Value(std::string s) : data_(std::move(s)) {}
  Value(std::string_view s) : data_(std::string(s)) {}
  Value(const char* s) : data_(std::string(s)) {}
  Value(Array a) : data_(std::move(a)) {}
  Value(Object o) : data_(std::move(o)) {}

  bool is_null() const { return std::holds_alternative<std::nullptr_t>(data_); }
  bool is_number() const { return as_int() || as_uint() || as_double(); }

  // nullptr when the value is of another kind.
  const bool* as_bool() const { return std::get_if<bool>(&data_); }
  const int64_t* as_int() const { return std::get_if<int64_t>(&data_); }
  const uint64_t* as_uint() const { return std::get_if<uint64_t>(&data_); }  // above INT64_MAX only
  const double* as_double() const { return std::get_if<double>(&data_); }
  const std::string* as_string() const { return std::get_if<std::string>(&data_); }
  const Array* as_array() const { return std::get_if<Array>(&data_); }
  const Object* as_object() const { return std::get_if<Object>(&data_); }
  std::string* as_string() { return std::get_if<std::string>(&data_); }
  Array* as_array() { return std::get_if<Array>(&data_); }
  Object* as_object() { return std::get_if<Object>(&data_); }

  // The member of an object, or nullptr when this is not an object or lacks the key.
  const Value* find(std::string_view key) const;

  // `null`, `boolean`, `number`, `string`, `array`, `object`.
  std::string_view kind_name() const;

  bool operator==(const Value&) const = default;

 private:
  std::variant<std::nullptr_t, bool, int64_t, uint64_t, double, std::string, Array, Object> data_ =
      nullptr;
};

// The string at `key` of an object; empty when there is none.
std::string string_at(const Value& object, std::string_view key);

// JSON text that is carried, not looked into. Always one valid value.
struct Raw {
  std::string text = "null";

  bool is_null() const { return text == "null"; }
  bool operator==(const Raw&) const = default;
};

inline constexpr size_t kMaxDepth = 127;  // levels of arrays and objects, as in the public engine

// Strict RFC 8259, plus the public engine's rules: numbers beyond a double, lone surrogates and
// more than `max_depth` levels are errors; of repeated keys the last one stays. Input must be UTF-8
// (checked).
Result<Value> parse(std::string_view text, size_t max_depth = kMaxDepth);
// The same rules, nothing built: constant memory however large the text.
Result<void> validate(std::string_view text, size_t max_depth = kMaxDepth);

}  // namespace iii::json
