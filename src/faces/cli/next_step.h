// Errors name the function to call next. On the command line that is a command to run.
#pragma once

#include <string>
#include <string_view>

namespace iii::cli {

// `call directory::lock::verify` becomes ``run `iii-directory verify` ``; a function without a verb
// of its own is run by `iii-directory trigger`.
std::string as_commands(std::string_view message);

}  // namespace iii::cli
