// What a short YAML text means as JSON, with the YAML 1.2 core rules for plain scalars.
#pragma once

#include <optional>
#include <string_view>

#include "json/value.h"

namespace iii::engine {

inline constexpr size_t kMaxYamlBytes = 64 * 1024;
inline constexpr size_t kMaxYamlDepth = 16;

// Nothing when the text is no YAML, holds more than one document, uses aliases, repeats a key, or
// goes beyond the limits above.
std::optional<json::Value> parse_yaml(std::string_view text);

// A plain scalar: null, booleans, integers (decimal, 0x, 0o, 0b), floats; everything else is a
// string
// (`yes`, dates, `007`).
json::Value plain_yaml_scalar(std::string_view text);

}  // namespace iii::engine
