// The frontmatter of a document: split off, read by YAML's rules, and when they fail, line by line.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "directory/content/frontmatter_split.h"
#include "directory/content/parse.h"
#include "directory/content/types.h"

namespace iii::content {

struct Frontmatter {
  bool present = false;
  size_t body_offset = 0;
  Range block;  // the text between the fences
  // Where the closing fence's line begins; nothing when the block was not found by R20–R22.
  std::optional<size_t> closing_line;
  FrontmatterFields fields;
  std::vector<Finding> findings;
};

Frontmatter read_frontmatter(std::string_view bytes, const ParseOptions& options);

}  // namespace iii::content
