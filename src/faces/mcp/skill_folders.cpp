#include "faces/mcp/skill_folders.h"

#include <algorithm>
#include <utility>

#include "faces/mcp/portable_skill.h"
#include "faces/mcp/uri.h"

namespace iii::mcp {

SkillFolders::SkillFolders(content::GenerationPtr generation) : generation_(std::move(generation)) {
  for (const content::SkillPtr& skill : generation_->skills) {
    if (skill->kind != content::SkillKind::kSkill) continue;
    if (last_segment(skill->file.path) != kSkillFile) continue;
    if (generation_->roots[skill->file.root].kind == content::RootKind::kRegistered) continue;
    const std::string_view folder = folder_of(skill->file.path);
    if (!folder.empty()) rows_.push_back({std::string(folder), skill});
  }
  // Of one folder in several roots the first root counts.
  std::sort(rows_.begin(), rows_.end(), [](const SkillRow& a, const SkillRow& b) {
    return std::pair(std::string_view(a.folder), a.skill->file.root) <
           std::pair(std::string_view(b.folder), b.skill->file.root);
  });
  const auto same = [](const SkillRow& a, const SkillRow& b) { return a.folder == b.folder; };
  rows_.erase(std::unique(rows_.begin(), rows_.end(), same), rows_.end());
}

size_t SkillFolders::after(std::string_view folder) const {
  const auto found = std::ranges::upper_bound(
      rows_, folder, {}, [](const SkillRow& row) { return std::string_view(row.folder); });
  return static_cast<size_t>(found - rows_.begin());
}

const SkillRow* SkillFolders::find(std::string_view folder) const {
  const size_t next = after(folder);
  return next > 0 && rows_[next - 1].folder == folder ? &rows_[next - 1] : nullptr;
}

const SkillRow* SkillFolders::owner_of(std::string_view path) const {
  for (std::string_view folder = path; !folder.empty(); folder = folder_of(folder)) {
    if (const SkillRow* row = find(folder)) return row;
  }
  return nullptr;
}

}  // namespace iii::mcp
