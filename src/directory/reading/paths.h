// Documents by the path of their file, as people and links write it: `references/a b.md`, with or
// without the suffix, relative to a root or to the document that mentions it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "directory/content/types.h"
#include "directory/reading/row_blocks.h"

namespace iii::directory {

// `a/b/c.md` → `a/b`; empty for a file of the root.
std::string_view folder_of(std::string_view path);
std::string_view file_name(std::string_view path);
// Without `.md` or `.markdown`, in any case.
std::string_view without_suffix(std::string_view path);
bool is_document_path(std::string_view path);
// `SKILL.md` in any spelling: it makes its folder a skill.
bool is_skill_file(std::string_view name);

// The path of a document whose id cannot be read off it (`C++/My Skill.md`), for lists and
// searches; empty for all others.
std::string_view unusual_path(const content::Skill& skill);

// `path` seen from `folder`, with `.` and `..` resolved; nothing when it leaves the root.
std::optional<std::string> join_relative(std::string_view folder, std::string_view path);

// Where a link in the document at `base` may lead, best first: relative to its folder, and, unless
// it begins with a dot, to the folders above. Anchors are dropped and escapes resolved.
std::vector<std::string> link_targets(std::string_view base, std::string_view link);

struct PathBlock {
  explicit PathBlock(std::span<const content::SkillPtr> rows);

  struct Entry {
    uint64_t hash = 0;
    uint32_t row = 0;  // in the block
  };
  std::vector<Entry> entries;  // ascending by hash
};

class PathIndex {
 public:
  PathIndex() = default;
  explicit PathIndex(RowBlocks<PathBlock> blocks) : blocks_(std::move(blocks)) {}

  const RowBlocks<PathBlock>& blocks() const { return blocks_; }

  // How well a path fits, best first.
  enum class Fit : uint8_t { kFile, kWithoutSuffix, kFolder, kOtherCase, kNone };
  struct Match {
    const content::Skill* skill = nullptr;
    Fit fit = Fit::kNone;
  };
  // The document at that path, or the overview of the folder there. `root`: only in that one.
  Match find(std::string_view path, std::optional<uint16_t> root = std::nullopt) const;

 private:
  RowBlocks<PathBlock> blocks_;
};

}  // namespace iii::directory
