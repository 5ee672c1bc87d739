// Placeholders in configuration values: `${NAME}` and `${NAME:default}` in any string, keys
// excepted.
//
// A string that is exactly one placeholder takes the type its text has in YAML (`${PORT:80}` is the
// number 80); anywhere else the text is inserted.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace iii::engine {

// The value of a variable, or nothing when it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;
Environment process_environment();

// Texts inserted into one value, together; beyond it the expansion fails.
inline constexpr size_t kMaxExpandedBytes = 16 * 1024 * 1024;

struct Expansion {
  json::Value value;  // unresolved placeholders stay as they were written
  std::vector<std::string>
      unset;  // names without value and default, each once, in order of appearance
};

// Fails only beyond kMaxExpandedBytes.
Result<Expansion> expand(const json::Value& value, const Environment& environment);

}  // namespace iii::engine
