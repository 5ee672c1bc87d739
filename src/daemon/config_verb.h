// `iii-directory config`: what is in force, and where it comes from.
#pragma once

#include <span>
#include <string>

namespace iii::daemon {

int run_config(std::span<const std::string> words);

}  // namespace iii::daemon
