// Looking into JSON text without building anything. Every function here demands *valid* JSON, as
// checked by json::parse or by the frame parser: on anything else the result is meaningless (but
// memory-safe).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace iii::json {

enum class Kind { kNull, kBoolean, kInteger, kFloat, kString, kArray, kObject };

// Exactly one value, without white space around it.
using Slice = std::string_view;

Slice trimmed(std::string_view text);
Kind kind_of(Slice value);

// The string with its escapes resolved.
std::string string_of(Slice value);
// The text between the quotes when it holds no escape, so that nothing needs to be copied.
std::optional<std::string_view> plain_string(Slice value);

// Walks the members of an object or the elements of an array, in text order.
class Walker {
 public:
  explicit Walker(Slice container);
  // False at the end. `key` (with quotes) is set only for objects.
  bool next(Slice& key, Slice& value);

 private:
  std::string_view text_;
  size_t at_ = 1;
  bool object_;
};

// The last member with that key, or nothing.
std::optional<Slice> member(Slice object, std::string_view key);

}  // namespace iii::json
