// The frontmatter of a document: split off, read by YAML's rules, and when they fail, line by line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "directory/content/frontmatter_split.h"
#include "directory/content/parse.h"
#include "directory/content/types.h"

namespace iii::content {

// Trimmed; blank and null are absent (R25).
struct FrontmatterFields {
  std::optional<std::string> title;
  std::optional<std::string> name;
  std::optional<std::string> type;
  std::optional<std::string> function_id;
  std::optional<std::string> description;
  bool stub = false;       // the description says nothing (frontmatter_description.h)
  bool for_agents = true;  // false: `disable-model-invocation`
  std::vector<std::string> required_functions;  // ids in `requires`
  std::vector<std::string> functions;           // as `functions` lists them

  // The field a key names, or null.
  std::optional<std::string>* find(std::string_view key);
};

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
