// JSON text out, appended to a string.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "foundation/json/value.h"

namespace iii::json {

// With quotes; escapes only what must be: `"`, `\` and characters below U+0020.
void append_string(std::string& out, std::string_view text);
// Nothing in it needs an escape.
bool is_plain(std::string_view text);
void append_number(std::string& out, int64_t number);
void append_number(std::string& out, uint64_t number);
// Shortest text that reads back as the same double, always recognisable as a double (`1.0`,
// `1e22`). NaN and infinities, which JSON cannot express, are written as null.
void append_number(std::string& out, double number);

void append(std::string& out, const Value& value);
std::string to_text(const Value& value);
// Two spaces per level, as `iii trigger` prints results.
std::string to_pretty_text(const Value& value);

// The same value without white space between tokens. `text` must be valid JSON.
std::string compact(std::string_view text);

}  // namespace iii::json
