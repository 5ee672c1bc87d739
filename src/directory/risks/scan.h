// Findings about one file.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "directory/risks/risk.h"

namespace iii::risks {

struct ScanOptions {
  // Of one file; the rest is not examined, and there is a finding about it (scan_incomplete).
  size_t max_bytes = 4ULL * 1024 * 1024;
  // Findings of one code and severity; more are left out. One kind cannot crowd out another.
  size_t max_per_code = 10;
  // For tests: gets the number of bytes and words that were examined.
  uint64_t* steps = nullptr;
};

// Pure, and linear in the bytes. `path` tells scripts from documents. Findings come in the order of
// lines. An empty answer means that nothing was recognised, not that the file is safe.
std::vector<Risk> scan(std::string_view path, std::string_view bytes,
                       const ScanOptions& options = {});

}  // namespace iii::risks
