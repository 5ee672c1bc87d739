// Fuzz target: title and teaser of any text come out without harm, in one line; where there is no
// code and no comment they are what the plain line rules R30 and R32 give.
//
// Input: the body.
#include <cstdint>
#include <string>
#include <string_view>

#include "directory/content/markdown.h"
#include "directory/content/space.h"
#include "foundation/base/check.h"
#include "foundation/base/utf8.h"

namespace {

using namespace iii::content;

// R30 and R32 as they are written down.
BodySummary by_the_rules(std::string_view body) {
  BodySummary out;
  bool heading = false;
  bool done = false;
  for (size_t at = 0; at < body.size();) {
    const std::string_view line = next_line(body, at);
    const std::string_view start = iii::trim_start(line);
    if (!heading && start.starts_with("# ")) {
      heading = true;
      out.heading = iii::trim_space(start.substr(2));
    }
    const std::string_view text = iii::trim_space(line);
    const bool ends = text.empty() || text.front() == '#' || text.front() == '>';
    if (ends) {
      done = done || !out.teaser.empty();
    } else if (!done) {
      if (!out.teaser.empty()) out.teaser += ' ';
      out.teaser += text;
    }
  }
  return out;
}

bool may_hold_code(std::string_view body) {
  for (const std::string_view mark : {"```", "~~~", "    ", "\t", "<!--"}) {
    if (body.find(mark) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  if (!iii::is_utf8(body)) return 0;
  const BodySummary summary = summarise(body);
  III_CHECK(summary.heading.find('\n') == std::string::npos);
  III_CHECK(summary.teaser.find('\n') == std::string::npos);
  III_CHECK(iii::trim_space(summary.heading) == summary.heading);
  III_CHECK(iii::trim_space(summary.teaser) == summary.teaser);
  III_CHECK(summary.teaser.size() <= body.size());
  if (may_hold_code(body)) return 0;
  const BodySummary expected = by_the_rules(body);
  III_CHECK(summary.teaser == expected.teaser);
  III_CHECK(summary.heading == expected.heading);
  return 0;
}
