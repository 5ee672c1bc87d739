#include "directory/reading/portable_findings.h"

#include <utility>

#include "directory/content/findings.h"
#include "directory/reading/portable_skill.h"

namespace iii::directory {

namespace {

DoctorFinding finding_about(const View& view, const SkillRow& row, const std::string& reason) {
  const content::Skill& skill = *row.skill;
  return {.root = view.generation().roots[skill.file.root].label,
          .path = skill.file.path,
          .severity = "info",
          .code = std::string(content::findings::kMcpLeftOut),
          .line = {},
          .column = {},
          .message = "skills/list of MCP leaves it out, because skill clients could not read it: " +
                     reason + ". It is served as a document and as a resource all the same.",
          .served_as = view.display(skill.id),
          .fix = {}};
}

}  // namespace

std::vector<DoctorFinding> portable_findings(
    const View& view, PortableVerdicts& verdicts,
    const std::function<void(uint64_t, uint64_t)>& progress) {
  const Snapshot& snapshot = view.snapshot();
  const SkillIndex index(view.shared_generation());
  const auto known = verdicts.find(snapshot, index.rows());
  std::vector<DoctorFinding> out;
  for (size_t i = 0; i < known.size(); ++i) {
    if (progress) progress(i, known.size());
    const SkillRow& row = index.rows()[i];
    if (!row.skill->for_agents || !view.shows(row.skill->id)) continue;
    PortableVerdicts::Ptr reason = known[i];
    if (reason == nullptr) {
      const auto legal = check_portable_skill(row, *snapshot.folders->content, view.generation());
      // Anything else is about this moment, or has a finding of its own.
      const bool refused = !legal && is_lasting_refusal(legal.error());
      if (!legal && !refused) continue;
      reason = std::make_shared<const std::string>(refused ? legal.error().message : "");
      verdicts.keep(snapshot, row, reason, reason->size());
    }
    if (!reason->empty()) out.push_back(finding_about(view, row, *reason));
  }
  return out;
}

}  // namespace iii::directory
