// docs/functions.md: every function, made from the table of functions.
#pragma once

#include <string>

#include "foundation/base/result.h"

namespace iii::daemon {

Result<std::string> function_page();

}  // namespace iii::daemon
