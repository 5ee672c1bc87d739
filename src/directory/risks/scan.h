// From one file to what a reader should look at.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "directory/risks/risk.h"

namespace iii::risks {

struct ScanOptions {
  // Of one file; what lies behind is not examined, and a finding says so (scan_incomplete).
  size_t max_bytes = 4ULL * 1024 * 1024;
  // Findings of one code and severity; more are left out. One kind cannot crowd out another.
  size_t max_per_code = 10;
  // For tests: gets the number of bytes and words that were looked at.
  uint64_t* steps = nullptr;
};

// Pure, and linear in the bytes. `path` tells scripts from documents. Findings come in the order of
// lines. An empty answer means that nothing was recognised, not that the file is safe.
std::vector<Risk> scan(std::string_view path, std::string_view bytes,
                       const ScanOptions& options = {});

}  // namespace iii::risks
