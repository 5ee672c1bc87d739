// YAML as JSON values, with the YAML 1.2 core rules for plain scalars.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/json/value.h"

namespace iii::json {

inline constexpr size_t kMaxYamlBytes = 64 * 1024;
inline constexpr size_t kMaxYamlDepth = 16;

struct YamlLimits {
  size_t max_bytes = kMaxYamlBytes;
  size_t max_depth = kMaxYamlDepth;
};

// For messages about a text. Lines and columns (in characters) count from 1; 0: none.
struct YamlPlace {
  size_t line = 0;
  size_t column = 0;
};
struct YamlPlaces {
  std::map<std::string, size_t, std::less<>> lines;      // of the keys of the outermost mapping
  std::map<std::string, YamlPlace, std::less<>> values;  // of their values
  YamlPlace document;                                    // where the outermost value begins
  // Why there is no value.
  std::string error;
  YamlPlace error_place;
};

// Nothing when the text is not YAML, holds more than one document, uses aliases, repeats a key, or
// goes beyond the limits.
std::optional<Value> parse_yaml(std::string_view text, YamlLimits limits = {},
                                YamlPlaces* places = nullptr);

// A plain scalar: null, booleans, integers (decimal, 0x, 0o, 0b), floats; everything else is a
// string (`yes`, dates, `007`).
Value plain_yaml_scalar(std::string_view text);

// A mapping in block style, its members in the order given (nested ones sorted), ending in a
// newline. Text is quoted only where YAML would read it as something else; text of several lines
// becomes a literal block.
std::string write_yaml(std::span<const std::pair<std::string, Value>> members);

}  // namespace iii::json
