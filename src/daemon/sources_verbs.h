// `iii-directory install (add) | verify | outdated | diff | update`: the sources without a bus.
#pragma once

#include <span>
#include <string>

namespace iii::daemon {

// Exit codes: 0 done, 1 failed or (verify, outdated, diff) something differs, 2 wrong usage.
int run_install(std::span<const std::string> words);
int run_verify(std::span<const std::string> words);
int run_outdated(std::span<const std::string> words);
int run_diff(std::span<const std::string> words);
int run_update(std::span<const std::string> words);

}  // namespace iii::daemon
