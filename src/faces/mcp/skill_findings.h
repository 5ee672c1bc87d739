// What the doctor reports about the Skills extension of MCP: the skills that `skills/list` leaves
// out, because its clients would refuse the whole list, and why.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "directory/library/view.h"
#include "directory/reading/doctor.h"
#include "faces/mcp/skill_cache.h"

namespace iii::mcp {

// The reason for each skill, empty for those that are listed.
using SkillRefusals = SkillCache<std::string>;

// By folder. Reads the SKILL.md and the folder of every skill without a known result, so it is
// called on a thread that may wait. The view has folders.
// `progress` gets how many of how many skills were examined; may be empty.
std::vector<directory::DoctorFinding> skill_findings(const directory::View& view,
                                                     SkillRefusals& refusals,
                                                     const directory::ScanProgress& progress = {});

// The same for add_doctor, with a cache of its own.
directory::MoreFindings doctor_findings();

}  // namespace iii::mcp
