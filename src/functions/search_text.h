// What `search` looks through: the folded ids, titles and descriptions of all skills side by side,
// so that a search is one pass over memory instead of a visit to every skill.
//
// It follows the generations: blocks whose rows are the same objects as before are kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "content/types.h"

namespace iii::directory {

class SearchText {
 public:
  struct Hit {
    size_t place = 0;  // in the generation's skills
    // False: found in the on-disk id only, which may be longer than the one that is shown.
    bool certain = true;
  };

  // What is found from now on are rows of this generation.
  void follow(const content::GenerationPtr& generation);

  // The skills from `first` to before `last` that hold `needle` (folded, not empty, without NUL),
  // in order.
  std::vector<Hit> find(std::string_view needle, size_t first, size_t last) const;

 private:
  // Neighbouring rows. Of each: id, NUL, title, NUL, description, NUL.
  struct Block {
    std::string text;
    std::vector<uint32_t> ends;  // where each row ends in `text`
  };
  using Rows = content::Rows<content::SkillPtr>;

  static void build(const Rows& rows, size_t first, size_t last, std::vector<Block>& out);
  static void look(const Block& block, size_t begin, std::string_view needle, size_t first,
                   size_t last, std::vector<Hit>& hits);

  content::GenerationPtr generation_;  // keeps the rows alive that the blocks were made of
  std::vector<Block> blocks_;
};

}  // namespace iii::directory
