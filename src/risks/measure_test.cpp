// Not a test but a measurement: how often each code is found in the files below a folder.
//
//   III_SCAN_FOLDER=DIR [III_SCAN_SHOW=high] risks_test --gtest_also_run_disabled_tests
//       --gtest_filter=*MeasureAFolder
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>

#include "risks/scan_for_test.h"

namespace iii::risks {
namespace {

TEST(Measure, DISABLED_MeasureAFolder) {
  const char* const folder = std::getenv("III_SCAN_FOLDER");
  ASSERT_NE(folder, nullptr);
  const char* const show = std::getenv("III_SCAN_SHOW");
  std::map<std::string, size_t> files_with;
  size_t files = 0;
  uint64_t bytes = 0;
  using Walk = std::filesystem::recursive_directory_iterator;
  for (const auto& entry :
       Walk(folder, std::filesystem::directory_options::skip_permission_denied)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    ++files;
    bytes += text.size();
    std::set<std::string> found;
    for (const Risk& risk : scan(entry.path().string(), text)) {
      const std::string severity(severity_word(risk.severity));
      found.insert(severity + " " + risk.code);
      found.insert(severity);
      if (show != nullptr && severity == show) {
        std::cout << entry.path().string() << ":" << risk.line << " " << risk.code << ": "
                  << risk.excerpt << "\n";
      }
    }
    for (const std::string& each : found) ++files_with[each];
  }
  std::cout << files << " files, " << bytes << " bytes\n";
  for (const auto& [what, count] : files_with) std::cout << count << " files: " << what << "\n";
}

}  // namespace
}  // namespace iii::risks
