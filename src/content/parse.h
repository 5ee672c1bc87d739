// One file's text, understood: strictly first, then leniently with a finding for whatever was bent.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "content/types.h"

namespace iii::content {

struct ParseOptions {
  bool lenient = true;
};

struct ParsedDocument {
  bool has_frontmatter = false;
  size_t body_offset = 0;  // the body is the file's bytes from here on, untouched (R22)
  // Frontmatter values, trimmed; blank and null are absent (R23–R25).
  std::optional<std::string> title;
  std::optional<std::string> name;
  std::optional<std::string> type;
  std::optional<std::string> function_id;
  std::optional<std::string> description;
  // From the body, fences and indented code respected.
  std::string heading;  // first H1 (R30)
  std::string teaser;   // first paragraph (R32)
  std::vector<Finding> findings;  // `file` and `served_as` are filled in by the caller
};

// `bytes` is the whole file, valid UTF-8, within the size limit.
ParsedDocument parse_document(std::string_view bytes, const ParseOptions& options);

}  // namespace iii::content
