// What `search` looks through: the folded texts of all skills side by side, so that a search is one
// pass over memory instead of a visit to every skill.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "content/types.h"
#include "functions/row_blocks.h"

namespace iii::directory {

// Neighbouring rows. Of each: id, NUL, then title, description, name and unusual path, with a NUL
// behind each.
struct TextBlock {
  explicit TextBlock(std::span<const content::SkillPtr> rows);

  std::string text;
  std::vector<uint32_t> ends;  // where each row ends in `text`
};

class SearchText {
 public:
  struct Hit {
    size_t place = 0;  // in the generation's skills
    // False: found in the on-disk id only, which may be longer than the one that is shown.
    bool certain = true;
  };

  SearchText() = default;
  explicit SearchText(RowBlocks<TextBlock> blocks) : blocks_(std::move(blocks)) {}

  const RowBlocks<TextBlock>& blocks() const { return blocks_; }
  // What is found from now on are rows of this generation. In one go.
  void follow(const content::GenerationPtr& generation);

  // The skills from `first` to before `last` that hold `needle` (folded, not empty, without NUL),
  // in order.
  std::vector<Hit> find(std::string_view needle, size_t first, size_t last) const;

 private:
  static void look(const TextBlock& block, size_t begin, std::string_view needle, size_t first,
                   size_t last, std::vector<Hit>& hits);

  RowBlocks<TextBlock> blocks_;
};

}  // namespace iii::directory
