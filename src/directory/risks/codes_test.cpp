#include "directory/risks/codes.h"

#include <fstream>
#include <set>
#include <sstream>

#include "directory/risks/scan_for_test.h"

namespace iii::risks {
namespace {

TEST(Codes, AreUniqueAndDescribed) {
  std::set<std::string_view> seen;
  for (const CodeInfo& info : kCodes) {
    EXPECT_TRUE(seen.insert(info.code).second) << info.code;
    EXPECT_EQ(find_code(info.code), &info);
    EXPECT_FALSE(info.title.empty() || info.why.empty() || info.action.empty()) << info.code;
    EXPECT_TRUE(info.why.ends_with('.') && info.action.ends_with('.')) << info.code;
  }
  EXPECT_EQ(find_code("nothing"), nullptr);
}

// "No findings" must not be taken for "safe".
TEST(Codes, NoTextCallsAFileSafe) {
  for (const CodeInfo& info : kCodes) {
    for (const std::string_view text : {info.title, info.why, info.action}) {
      EXPECT_FALSE(text.contains("safe") || text.contains("harmless") || text.contains("clean"))
          << text;
    }
  }
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

TEST(Codes, TheDocumentHasTheTable) {
  std::ifstream file(std::string(III_TEST_DATA) + "/../../docs/risks.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(text.str().contains(codes_markdown())) << "docs/risks.md must contain this table:\n"
                                                     << codes_markdown();
}

}  // namespace
}  // namespace iii::risks
