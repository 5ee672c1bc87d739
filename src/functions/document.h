// A document's text as a caller gets it: read now, judged by R26–R28, frontmatter taken off.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "content/content.h"

namespace iii::directory {

struct Document {
  std::string body;
  int64_t mtime_ns = 0;
};

// `what` is `skill` or `prompt`, `shown` its id; errors name those and never a path outside the
// root.
Result<Document> read_document(content::Content& content, const content::Generation& generation,
                               const content::FileRef& file, std::string_view what,
                               std::string_view shown);
// The same for a skill, which may know where its body begins.
Result<Document> read_skill(content::Content& content, const content::Generation& generation,
                            const content::Skill& skill, std::string_view shown);

}  // namespace iii::directory
