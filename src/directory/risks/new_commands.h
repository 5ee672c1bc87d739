// What a new version of a file may run that the old one did not.
#pragma once

#include <string_view>
#include <vector>

#include "directory/risks/risk.h"

namespace iii::risks {

inline constexpr size_t kMaxNewCommands = 20;

// Commands are the lines of shell scripts and of shell code blocks in documents. Of other programs
// the change as a whole is one finding. `before` is empty for a new file. At most kMaxNewCommands
// findings with the code new_command; one more has the number of the others.
std::vector<Risk> new_commands(std::string_view path, std::string_view before,
                               std::string_view after);

}  // namespace iii::risks
