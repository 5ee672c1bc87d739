// directory::doctor — accounts for every file under the roots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "directory/content/content.h"
#include "directory/library/view.h"
#include "foundation/base/result.h"
#include "foundation/json/value.h"

namespace iii::directory {

class Installed;
class FunctionTable;
class Library;
class SkillLinks;

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
  // Only when they are asked for (finding_details.h).
  std::optional<std::string> key = {};
  std::optional<std::vector<std::vector<json::Value>>> excerpt = {};
  std::optional<std::vector<std::vector<std::string>>> patch = {};
  std::optional<std::string> digest = {};
};
// All findings of one kind.
struct DoctorKind {
  std::string code;
  std::string severity;
  uint64_t count = 0;
  uint64_t fixable = 0;
  std::string example;  // `root:path`
  std::string message;  // of the example
};
// files = skills + prompts + supporting + skipped, always.
struct DoctorReport {
  uint64_t files = 0;
  uint64_t skills = 0;
  uint64_t prompts = 0;
  uint64_t supporting = 0;
  uint64_t skipped = 0;
  uint64_t hidden = 0;              // of the skills
  std::vector<DoctorKind> summary;  // worst first, then the most frequent
  uint64_t matching = 0;            // findings that the query selects
  std::vector<DoctorFinding> findings;
  std::optional<std::string> next_cursor;
  bool truncated = false;  // there are more findings after these
};

// Findings of one answer: unless the caller says more, and the most that it may ask for.
inline constexpr size_t kFindingsPage = 100;
inline constexpr size_t kMaxFindings = 10'000;
inline constexpr size_t kMaxDetailed = 1'000;  // the same with details

// Which findings are wanted. The summary is about all of them whose place fits.
struct DoctorQuery {
  std::optional<std::string> code;
  std::optional<std::string> severity;
  std::optional<std::string> prefix;  // of the path, or of the id under which a file is served
  uint64_t skip = 0;                  // matching findings before the first one that is wanted
  size_t limit = SIZE_MAX;
};

// `more` is what others have to say. May look at every row.
DoctorReport examine(const View& view, const DoctorQuery& query,
                     std::vector<DoctorFinding> more = {});
bool has_errors(const DoctorReport& report);
Result<void> check_severity(const std::optional<std::string>& severity);

// For people: the kinds first, then the findings, then the sum.
// `place` says where a file of a root is.
using FindingPlace = std::function<std::string(const std::string& root, const std::string& path)>;
std::string report_text(const DoctorReport& report, const FindingPlace& place);
std::string report_json(const DoctorReport& report);
Result<DoctorReport> report_of(std::string_view json);  // of an answer of directory::doctor
// One finding of a generation as callers see it, and as JSON.
DoctorFinding doctor_finding(const content::Generation& generation,
                             const content::Finding& finding);
std::string finding_json(const DoctorFinding& finding);

// Findings of other rooms about what a view shows; called on a thread that may wait.
using MoreFindings = std::function<std::vector<DoctorFinding>(const View&)>;

// Everything outlives the table. `installed` knows what `directory.lock` names; null: nothing is
// reported about that.
void add_doctor(FunctionTable& table, Library& library, Installed* installed = nullptr,
                SkillLinks* links = nullptr, const MoreFindings& more = {});

}  // namespace iii::directory
