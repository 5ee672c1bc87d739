// What the doctor says about the folders of a view: every file in one column, and what was noticed
// about files. Pure.
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
#include "foundation/json/describe.h"

namespace iii::directory {

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
  std::optional<uint32_t> line = {};
  std::optional<uint32_t> column = {};
  std::string message;
  std::optional<std::string> served_as = {};
  std::optional<DoctorFix> fix = {};
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
struct FileNumbers {
  uint64_t files = 0;
  uint64_t skills = 0;
  uint64_t prompts = 0;
  uint64_t supporting = 0;
  uint64_t skipped = 0;
  uint64_t hidden = 0;  // of the skills
};
// One folder.
struct DoctorRoot : FileNumbers {
  std::string root;
  std::string folder;  // as people write it
  bool on_disk = false;
  std::optional<std::string> problem = {};
  uint64_t unreadable = 0;  // of the skills
  bool watching = false;
  // Why documents are skipped, the most frequent first: pairs of a code and a count.
  std::vector<std::vector<json::Value>> reasons = {};
};
// The numbers are the sums over the roots that are on disk.
struct DoctorReport : FileNumbers {
  std::vector<DoctorKind> summary;  // worst first, then the most frequent
  uint64_t matching = 0;            // findings that the query selects
  std::vector<DoctorFinding> findings;
  std::optional<std::string> next_cursor;
  bool truncated = false;         // there are more findings after these
  std::vector<DoctorRoot> roots;  // in order of precedence
  uint64_t generation = 0;
};

// Which findings are wanted. The summary is about all of them whose place fits.
struct DoctorQuery {
  std::optional<std::string> code;
  std::optional<std::string> severity;
  std::optional<std::string> prefix;  // of the path, or of the id under which a file is served
  uint64_t skip = 0;                  // matching findings before the first one that is wanted
  size_t limit = SIZE_MAX;
};

// `more` is what others have to say. Looks at every row. `folder`, `problem` and `watching` of the
// roots are left to the caller.
DoctorReport examine(const View& view, const DoctorQuery& query,
                     std::vector<DoctorFinding> more = {});
bool has_errors(const DoctorReport& report);
Result<void> check_severity(const std::optional<std::string>& severity);

// For people: the kinds first, then the findings, then the sum.
// `place` says where a file of a root is.
using FindingPlace = std::function<std::string(const std::string& root, const std::string& path)>;
std::string report_text(const DoctorReport& report, const FindingPlace& place);
// One finding of a generation as callers see it.
DoctorFinding doctor_finding(const content::Generation& generation,
                             const content::Finding& finding);

json::ObjectDescription describe(json::Type<DoctorFinding>);
json::ObjectDescription describe(json::Type<DoctorReport>);

}  // namespace iii::directory
