#pragma once

#include <vector>

#include "directory/reading/doctor.h"
#include "directory/sources/downloads.h"

namespace iii::directory {

// What the doctor says about `directory.lock`: namespaces whose folder does not exist, or that the
// file cannot be used. Looks at the disk.
std::vector<DoctorFinding> lock_findings(const sources::Downloads& downloads);

}  // namespace iii::directory
