// directory::doctor — accounts for every file under the roots.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "content/content.h"
#include "functions/function_table.h"
#include "library/library.h"
#include "sources/installer.h"

namespace iii::directory {

class Downloader;

struct DoctorFix {
  uint64_t offset = 0;
  uint64_t length = 0;
  std::string text;
};
struct DoctorFinding {
  std::string root;
  std::string path;
  std::string severity;
  std::string code;
  std::optional<uint32_t> line;
  std::optional<uint32_t> column;
  std::string message;
  std::optional<std::string> served_as;
  std::optional<DoctorFix> fix;
};
// files = skills + prompts + supporting + skipped, always.
struct DoctorReport {
  uint64_t files = 0;
  uint64_t skills = 0;
  uint64_t prompts = 0;
  uint64_t supporting = 0;
  uint64_t skipped = 0;
  uint64_t hidden = 0;  // of the skills
  std::vector<DoctorFinding> findings;
  bool truncated = false;  // more findings than one answer should carry
};

inline constexpr size_t kMaxFindings = 10'000;

DoctorReport examine(const content::Generation& generation, size_t max_findings = kMaxFindings);
// Adds what the installed-worker filter hides, a finding for each namespace.
void add_hidden(DoctorReport& report, const View& view);

struct FixOutcome {
  size_t fixed_files = 0;
  // Those below the skills folder, for `directory.lock`: our own fixes are not edits.
  std::vector<sources::FixedFile> in_skills_folder;
  std::vector<std::string> failures;
};
// Applies every ready patch, file by file and atomically.
FixOutcome apply_ready_fixes(content::Content& content);

std::string report_text(const DoctorReport& report);  // for people
std::string report_json(const DoctorReport& report);

// Everything outlives the table. `downloader` knows what `directory.lock` names; null: nothing is
// said about that.
void add_doctor(FunctionTable& table, Library& library, Downloader* downloader = nullptr);

}  // namespace iii::directory
