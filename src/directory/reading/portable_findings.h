// What the doctor reports about the Skills extension of MCP: the skills that `skills/list` leaves
// out, because its clients would refuse the whole list, and why.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "directory/library/view.h"
#include "directory/reading/doctor.h"
#include "directory/reading/folder_cache.h"

namespace iii::directory {

// The reason for each skill, empty for those that are listed.
using PortableVerdicts = FolderCache<std::string>;
inline constexpr size_t kMaxVerdictBytes = 16 * 1024 * 1024;

// By folder. Reads the SKILL.md and the folder of every skill that it has not looked at before, so
// it is called on a thread that may wait. The view has folders.
// `progress` is told how many of how many skills were looked at; may be empty.
std::vector<DoctorFinding> portable_findings(
    const View& view, PortableVerdicts& verdicts,
    const std::function<void(uint64_t, uint64_t)>& progress = {});

}  // namespace iii::directory
