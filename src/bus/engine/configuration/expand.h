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

#include "foundation/base/result.h"
#include "foundation/json/value.h"

namespace iii::engine {

// The value of a variable, or nothing when it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

// Variables of this process whose names are on the list; an element that ends with `*` stands for
// all names with that beginning. Every peer can set a configuration value and read it expanded, so
// whatever is on the list can be read by every peer: a variable that is not counts as unset.
Environment allowed_environment(std::vector<std::string> names);

// Texts inserted into one value, together; beyond it the expansion fails.
inline constexpr size_t kMaxExpandedBytes = 16 * 1024 * 1024;

struct Expansion {
  json::Value value;  // unresolved placeholders stay as they were written
  std::vector<std::string>
      unset;  // names without value and default, each once, in order of appearance
};

// Linear in the size of `value` and of the texts inserted. Fails only beyond kMaxExpandedBytes.
Result<Expansion> expand(const json::Value& value, const Environment& environment);

}  // namespace iii::engine
