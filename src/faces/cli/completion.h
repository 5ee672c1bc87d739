// Completion scripts, made from the table of verbs. Pure.
#pragma once

#include <string>
#include <string_view>

#include "foundation/base/result.h"

namespace iii::cli {

// For `bash`, `zsh` or `fish`.
Result<std::string> completion_script(std::string_view shell);

}  // namespace iii::cli
