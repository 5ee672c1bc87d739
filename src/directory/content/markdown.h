// What a row shows of a document's body: its first heading and its first paragraph.
#pragma once

#include <string>
#include <string_view>

namespace iii::content {

// The most bytes of a first paragraph that stand for a description, `…` included. Real files have
// paragraphs of hundreds of kilobytes.
inline constexpr size_t kMaxTeaser = 1024;

struct BodySummary {
  std::string
      heading;  // text of the first H1 (R30); empty when there is none, or when it says nothing
  std::string teaser;       // first paragraph in one line (R32), at most kMaxTeaser bytes
  bool teaser_cut = false;  // it was longer
  // The body ends inside a code fence that nobody closed, and something was still being looked for.
  bool open_fence = false;
};

// Reads only as far as needed. Code (fenced or indented) and comments hold no heading, code no
// paragraph.
BodySummary summarise(std::string_view body);

}  // namespace iii::content
