// What this process takes from the machine.
#pragma once

#include <cstdint>

namespace iii {

// Resident memory. 0 where the system does not tell.
uint64_t resident_bytes();

struct ProcessUsage {
  uint64_t resident_bytes = 0;
  double cpu_seconds = 0;  // user and system
  uint64_t open_files = 0;
  uint64_t max_open_files = 0;
  double started_at = 0;  // seconds since 1970
};
// Counting open files takes milliseconds when there are thousands: not for the loop thread.
ProcessUsage process_usage();

}  // namespace iii
