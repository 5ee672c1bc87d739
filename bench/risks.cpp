// How often each code is found in the files below a folder: bench_risks FOLDER [--show high].
//
// A skill is a folder with a SKILL.md, in any spelling, and what is below it. Rates of skills are
// what docs/risks.md records.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "directory/risks/scan.h"

namespace {

namespace fs = std::filesystem;

struct Counts {
  size_t files = 0;
  size_t skills = 0;
  uint64_t bytes = 0;
  std::map<std::string, size_t> files_with;
  std::map<std::string, std::set<std::string>> skills_with;
};

bool is_main_file(const fs::path& path) {
  std::string name = path.filename().string();
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name == "skill.md" || name == "skill.markdown";
}

std::set<std::string> skill_folders(const std::vector<fs::path>& files) {
  std::set<std::string> folders;
  for (const fs::path& file : files) {
    if (is_main_file(file)) folders.insert(file.parent_path().string());
  }
  return folders;
}

// The innermost skill that a file belongs to; empty: none.
std::string skill_of(const std::set<std::string>& folders, const fs::path& file) {
  for (fs::path at = file.parent_path(); at.has_relative_path(); at = at.parent_path()) {
    if (folders.contains(at.string())) return at.string();
  }
  return {};
}

void look_at(const fs::path& path, const std::string& skill, const std::string& show,
             Counts& counts) {
  std::ifstream file(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  ++counts.files;
  counts.bytes += text.size();
  std::set<std::string> found;
  for (const iii::risks::Risk& risk : iii::risks::scan(path.string(), text)) {
    const std::string severity(iii::risks::severity_word(risk.severity));
    found.insert(severity + " " + risk.code);
    found.insert(severity);
    if (severity == show) {
      fmt::print("{}:{} {}: {}\n", path.string(), risk.line, risk.code, risk.excerpt);
    }
  }
  for (const std::string& each : found) {
    ++counts.files_with[each];
    if (!skill.empty()) counts.skills_with[each].insert(skill);
  }
}

}  // namespace

int main(int count, char** words) {
  const bool shows = count == 4 && std::string(words[2]) == "--show";
  if (count != 2 && !shows) {
    fmt::print(stderr, "usage: bench_risks FOLDER [--show high|medium|low]\n");
    return 2;
  }
  std::vector<fs::path> files;
  constexpr auto kSkip = fs::directory_options::skip_permission_denied;
  for (const auto& entry : fs::recursive_directory_iterator(words[1], kSkip)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  const std::set<std::string> folders = skill_folders(files);
  Counts counts;
  counts.skills = folders.size();
  for (const fs::path& path : files) {
    look_at(path, skill_of(folders, path), shows ? words[3] : "", counts);
  }
  fmt::print("{} files, {} bytes, {} skills\n", counts.files, counts.bytes, counts.skills);
  for (const auto& [what, number] : counts.files_with) {
    fmt::print("{}: {} files, {} skills ({:.2f} % of skills)\n", what, number,
               counts.skills_with[what].size(),
               counts.skills == 0 ? 0.0
                                  : 100.0 * static_cast<double>(counts.skills_with[what].size()) /
                                        static_cast<double>(counts.skills));
  }
  return 0;
}
