// Ctrl-C during work that must end in an orderly way: exit code 130, nothing half done.
#pragma once

#include <atomic>

namespace iii::cli {

inline constexpr int kInterrupted = 130;

// From now on SIGINT and SIGTERM set `stop` instead of ending the process; a second one ends it at
// once. `stop` lives as long as the process.
void catch_interrupts(std::atomic<bool>& stop);
bool was_interrupted();

}  // namespace iii::cli
