// `iii-directory serve`: engine and directory worker in one process.
#pragma once

#include <span>
#include <string>

namespace iii::daemon {

// The exit code.
int run_serve(std::span<const std::string> words);
int run_worker(std::span<const std::string> words);

}  // namespace iii::daemon
