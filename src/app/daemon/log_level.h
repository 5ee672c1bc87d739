// What is logged, changed while the process runs: `directory::log-level`, and the key `log_level`.
#pragma once

#include <string>
#include <string_view>

#include "foundation/base/log.h"

namespace iii::directory {
class FunctionTable;
}

namespace iii::daemon {

// Of this moment, as a word that parse_log_level() knows.
std::string_view log_level_now();

void add_log_level(directory::FunctionTable& table);

}  // namespace iii::daemon
