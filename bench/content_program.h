// The program that users run, with a big tree: how long others wait while one client lists every
// skill.
#pragma once

#include <cstddef>
#include <string>

namespace iii::bench {

struct ProgramWaits {
  double call_alone_ms = 0;    // the slowest call between two other workers
  double call_listing_ms = 0;  // the same while every skill is listed
  double get_alone_ms = 0;     // the slowest `get` of another client
  double get_listing_ms = 0;
  double list_ms = 0;  // of one list, until it has arrived
  double list_mb = 0;
  int64_t slowest_get_ns = 0;  // when it was answered, for `perf script --time`
  bool right = false;          // every call was answered
};

// Starts `program` with the skills of `tree`; its data is in `folder`, which is removed.
ProgramWaits wait_beside_lists(const std::string& program, const std::string& tree,
                               const std::string& folder, size_t lists);

}  // namespace iii::bench
