// Risks of all folders, for the doctor.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "directory/content/content.h"
#include "directory/reading/doctor_report.h"
#include "directory/sources/lock_file.h"

namespace iii::directory {

// Told after each file how many of about how many were examined; may be empty. On any thread.
using ScanProgress = std::function<void(uint64_t done, uint64_t total)>;

inline constexpr std::chrono::milliseconds kRiskScanTime{20'000};

// Findings about all documents of a generation and about the other files of its skills (scripts,
// archives, programs), as the doctor reports them: code `risk_…`, never an error. When the time is
// over, a last finding says so. Documents come first, then the other files of skills. Reads every
// file; on a thread that may. `lock` names what was accepted; may be empty.
std::vector<DoctorFinding> scan_folders(content::Content& content,
                                        const content::Generation& generation,
                                        const sources::Lock& lock, std::chrono::milliseconds time,
                                        const ScanProgress& progress = {});

}  // namespace iii::directory
