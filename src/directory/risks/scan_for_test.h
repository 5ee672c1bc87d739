// Findings as short texts, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "directory/risks/scan.h"

namespace iii::risks {

// `high download_run 3` for each finding.
inline std::vector<std::string> brief(const std::vector<Risk>& risks) {
  std::vector<std::string> out;
  for (const Risk& risk : risks) {
    out.push_back(std::string(severity_word(risk.severity)) + " " + risk.code + " " +
                  std::to_string(risk.line));
  }
  return out;
}

// One line of a shell script, of a shell code block, and of prose.
inline std::string in_script(std::string_view line) {
  return "#!/bin/sh\n" + std::string(line) + "\n";
}
inline std::string in_block(std::string_view line) {
  return "# Use\n\n```bash\n" + std::string(line) + "\n```\n";
}
inline std::string in_prose(std::string_view line) {
  return "# Use\n\n" + std::string(line) + "\n";
}

// The severity of the one finding with this code, or `none`; other codes are listed.
inline std::string severity_of(std::string_view code, std::string_view path,
                               std::string_view text) {
  std::string out;
  for (const Risk& risk : scan(path, text)) {
    if (risk.code == code) {
      out = severity_word(risk.severity);
      EXPECT_FALSE(risk.message.empty());
      EXPECT_LE(risk.excerpt.size(), kMaxExcerpt);
    }
  }
  return out.empty() ? "none" : out;
}

}  // namespace iii::risks
