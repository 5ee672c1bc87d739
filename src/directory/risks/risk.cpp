#include "directory/risks/risk.h"

#include <algorithm>

#include "directory/risks/codes.h"

namespace iii::risks {

std::string_view severity_word(Severity severity) {
  switch (severity) {
    case Severity::kLow:
      return "low";
    case Severity::kMedium:
      return "medium";
    case Severity::kHigh:
      return "high";
  }
  return "low";
}

const CodeInfo* find_code(std::string_view code) {
  const auto found = std::ranges::find(kCodes, code, &CodeInfo::code);
  return found == kCodes.end() ? nullptr : &*found;
}

std::string codes_markdown() {
  std::string out =
      "| code | at most | what was recognised | why it matters | what to do |\n"
      "|---|---|---|---|---|\n";
  for (const CodeInfo& info : kCodes) {
    out += "| `" + std::string(info.code) + "` | " + std::string(severity_word(info.severity)) +
           " | " + std::string(info.title) + " | " + std::string(info.why) + " | " +
           std::string(info.action) + " |\n";
  }
  return out;
}

}  // namespace iii::risks
