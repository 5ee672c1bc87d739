// Answers of the directory's functions name functions of the bus. Those that a client must not see
// are left out of them. Pure.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "foundation/base/result.h"

namespace iii::mcp {

using IsHidden = std::function<bool(std::string_view id)>;

struct HiddenThings {
  IsHidden function = {};
  std::set<std::string, std::less<>> prompts = {};  // names; their functions are hidden
};

// `json_text` without rows about hidden functions: elements of `functions`, `triggers`,
// `registered_triggers` and `nearest` that name one, elements of `workers` that have no others, and
// elements of `prompts` that one of them makes.
// With `about_one` the answer describes one function, a binding to one, or one prompt: code
// `missing` when that is hidden. Text without such rows stays as it is.
Result<std::string> without_hidden(std::string json_text, bool about_one,
                                   const HiddenThings& hidden);

// The message of an error without `Did you mean: …?` of hidden functions.
std::string without_hidden_suggestions(std::string message, const IsHidden& is_hidden);

}  // namespace iii::mcp
