// What a row shows of a document's body: its first heading and its first paragraph.
#pragma once

#include <string>
#include <string_view>

namespace iii::content {

struct BodySummary {
  std::string
      heading;  // text of the first H1 (R30); empty when there is none, or when it says nothing
  std::string teaser;  // first paragraph in one line (R32)
  // The body ends inside a code fence that nobody closed, and something was still being looked for.
  bool open_fence = false;
};

// Reads only as far as needed. Code (fenced or indented) and comments hold no heading, code no
// paragraph.
BodySummary summarise(std::string_view body);

}  // namespace iii::content
