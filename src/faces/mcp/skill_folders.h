// Which skills of a generation have a folder of their own, so that their files have addresses.
// Pure.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "directory/content/types.h"

namespace iii::mcp {

struct SkillRow {
  std::string folder;  // of its SKILL.md, relative to its root
  content::SkillPtr skill;
};

// Never changes. Takes time for many skills: to be made off the loop.
class SkillFolders {
 public:
  explicit SkillFolders(content::GenerationPtr generation);

  const content::GenerationPtr& generation() const { return generation_; }
  // By folder, each folder once.
  const std::vector<SkillRow>& rows() const { return rows_; }
  // The first row whose folder comes after `folder`.
  size_t after(std::string_view folder) const;
  const SkillRow* find(std::string_view folder) const;
  // The innermost skill whose folder is `path` or contains it; null when there is none.
  const SkillRow* owner_of(std::string_view path) const;

 private:
  content::GenerationPtr generation_;
  std::vector<SkillRow> rows_;
};
using SkillFoldersPtr = std::shared_ptr<const SkillFolders>;

}  // namespace iii::mcp
