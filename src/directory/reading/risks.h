// Findings about files as callers see them: of a document, of a download, of all folders.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "directory/library/view.h"
#include "directory/reading/doctor.h"
#include "directory/risks/risk.h"
#include "directory/sources/bundle_risks.h"
#include "directory/sources/lock_file.h"
#include "foundation/base/result.h"
#include "foundation/json/describe.h"
#include "foundation/task/task.h"

namespace iii::directory {

class Library;

using RiskRow = sources::FileRisk;
using sources::kRisksHelp;

// Findings about documents, remembered by the stamp of their file, so that the same document is
// scanned once. On the loop thread.
class DocumentRisks {
 public:
  using Rows = std::shared_ptr<const std::vector<RiskRow>>;

  // Scans on an answer thread what is not remembered. Errors as of Library::read_file.
  task::Task<Result<Rows>> of(Library& library, View view, content::Skill skill);

  // At most this many documents, and findings of each.
  static constexpr size_t kMaxRemembered = 4'096;
  static constexpr size_t kMaxRows = 50;

 private:
  struct Known {
    uint64_t bytes = 0;
    int64_t mtime_ns = 0;
    content::FileVersion version;
    Rows rows;
  };
  std::unordered_map<std::string, Known> known_;  // by root and path
};

// What one scan of all folders may cost. Documents come first, then the other files of skills.
struct RiskScanLimits {
  std::chrono::milliseconds time{20'000};
  uint64_t bytes = 1ULL << 30U;
  uint64_t files = 500'000;
  // Told after each file how many of about how many were examined; may be empty.
  std::function<void(uint64_t, uint64_t)> progress = {};
};

// Findings about all documents of a generation and about the other files of its skills (scripts,
// archives, programs), as the doctor reports them: code `risk_…`, never an error. When a limit is
// reached, a last finding says so. Reads every file; on a thread that may. `lock` names what was
// accepted; may be empty.
std::vector<DoctorFinding> scan_folders(content::Content& content,
                                        const content::Generation& generation,
                                        const sources::Lock& lock, const RiskScanLimits& limits);

}  // namespace iii::directory
