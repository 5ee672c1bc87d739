#include "faces/mcp/skill_findings.h"

#include <memory>
#include <utility>

#include "directory/content/findings.h"
#include "faces/mcp/portable_skill.h"

namespace iii::mcp {

namespace {

directory::DoctorFinding left_out(const directory::View& view, const content::Skill& skill,
                                  const std::string& reason) {
  return {.root = view.generation().roots[skill.file.root].label,
          .path = skill.file.path,
          .severity = "info",
          .code = std::string(content::findings::kMcpLeftOut),
          .message = "skills/list of MCP leaves it out, because skill clients could not read it: " +
                     reason + ". It is served as a document and as a resource all the same.",
          .served_as = view.display(skill.id)};
}

// Null: nothing lasting is known, or there is another finding about it.
SkillRefusals::Ptr refusal_of(const SkillRow& row, const directory::View& view,
                              SkillRefusals& refusals) {
  if (auto known = refusals.find(view.snapshot(), row)) return known;
  const Result<PortableSkill> skill = read_portable_skill(row, view, false);
  if (!skill && !is_lasting_refusal(skill.error())) return nullptr;
  auto out = std::make_shared<const std::string>(skill ? "" : skill.error().message);
  refusals.keep(view.snapshot(), row, out, out->size());
  return out;
}

}  // namespace

std::vector<directory::DoctorFinding> skill_findings(const directory::View& view,
                                                     SkillRefusals& refusals,
                                                     const directory::ScanProgress& progress) {
  const SkillFolders folders(view.shared_generation());
  std::vector<directory::DoctorFinding> out;
  uint64_t done = 0;
  for (const SkillRow& row : folders.rows()) {
    if (progress) progress(done++, folders.rows().size());
    if (!row.skill->for_agents || !view.shows(row.skill->id)) continue;
    const SkillRefusals::Ptr reason = refusal_of(row, view, refusals);
    if (reason != nullptr && !reason->empty()) out.push_back(left_out(view, *row.skill, *reason));
  }
  return out;
}

directory::MoreFindings doctor_findings() {
  return [refusals = std::make_shared<SkillRefusals>()](const directory::View& view,
                                                        const directory::ScanProgress& progress) {
    return skill_findings(view, *refusals, progress);
  };
}

}  // namespace iii::mcp
