// Changes one key of a configuration file and leaves the rest as it is.
#pragma once

#include <string>
#include <string_view>

#include "foundation/base/result.h"
#include "foundation/json/value.h"

namespace iii::daemon {

// The text with `key: value` in it: where the key stood, else at the end. Comments and other keys
// stay. Pure.
std::string with_key(std::string_view yaml, std::string_view key, const json::Value& value);
// Whether a line of it sets one of our keys; the file need not be valid. Pure.
bool has_own_key(std::string_view yaml);
// The same for a file, which is made when it does not exist, and replaced at once.
Result<void> set_in_file(const std::string& path, std::string_view key, const json::Value& value);

}  // namespace iii::daemon
