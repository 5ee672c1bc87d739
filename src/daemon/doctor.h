// `iii-directory doctor`: the same account as directory::doctor, on the folders directly, for a
// person.
#pragma once

#include <span>
#include <string>

namespace iii::daemon {

// The exit code: 0 when nothing is wrong, 1 when an error was found, 2 for a wrong command line.
int run_doctor(std::span<const std::string> words);

}  // namespace iii::daemon
