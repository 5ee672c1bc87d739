#include "directory/sources/bundle_risks.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "directory/risks/codes.h"
#include "directory/risks/new_commands.h"
#include "directory/risks/scan.h"
#include "foundation/base/utf8.h"

namespace iii::sources {

namespace {

constexpr auto kActionWords = std::to_array<std::pair<ScanAction, std::string_view>>(
    {{ScanAction::kOff, "off"}, {ScanAction::kWarn, "warn"}, {ScanAction::kBlock, "block"}});

// What was said about a file when it was installed.
enum class Told : uint8_t { kNothing, kWarnings };

// A finding before it is sorted.
struct Finding {
  std::string path;
  risks::Risk risk;
  bool blocks = false;
};

void add(std::vector<Finding>& out, const std::string& path, std::vector<risks::Risk> found,
         const ScanPolicy& policy, const std::set<std::string>* accepted, Told told) {
  for (risks::Risk& risk : found) {
    const ScanAction action = policy.of(risk);
    if (action == ScanAction::kWarn && told == Told::kWarnings) continue;
    if (action == ScanAction::kOff || (accepted != nullptr && accepted->contains(risk.code))) {
      continue;
    }
    out.push_back({path, std::move(risk), action == ScanAction::kBlock});
  }
}

// What blocks comes first, so that it is among those that are shown.
std::vector<FileRisk> sorted_and_cut(std::vector<Finding> findings) {
  const auto key = [](const Finding& f) {
    return std::tuple(!f.blocks, -static_cast<int>(f.risk.severity), std::string_view(f.path),
                      f.risk.line, std::string_view(f.risk.code));
  };
  std::ranges::sort(findings, {}, key);
  std::vector<FileRisk> out;
  for (Finding& finding : findings) {
    if (out.size() == kMaxReportedRisks) break;
    out.push_back(file_risk(std::move(finding.path), std::move(finding.risk)));
    if (finding.blocks) out.back().blocks = true;
  }
  if (findings.size() > out.size()) {
    const size_t more = findings.size() - out.size();
    out.push_back(file_risk(
        {}, {.code = std::string(risks::code::kScanIncomplete),
             .severity = risks::Severity::kMedium,
             .column = {},
             .excerpt = {},
             .message = "not all findings are shown: " + std::to_string(more) + " more"}));
  }
  return out;
}

}  // namespace

std::string_view action_word(ScanAction action) {
  return std::ranges::find(kActionWords, action, &std::pair<ScanAction, std::string_view>::first)
      ->second;
}

std::optional<ScanAction> action_of(std::string_view word) {
  for (const auto& [action, name] : kActionWords) {
    if (name == word) return action;
  }
  return std::nullopt;
}

ScanAction ScanPolicy::of(const risks::Risk& risk) const {
  if (const auto found = overrides.find(risk.code); found != overrides.end()) return found->second;
  if (action != ScanAction::kBlock) return action;
  return risk.severity == risks::Severity::kHigh ? ScanAction::kBlock : ScanAction::kWarn;
}

FileRisk file_risk(std::optional<std::string> path, risks::Risk risk) {
  const risks::CodeInfo* const info = risks::find_code(risk.code);
  return {.path = std::move(path),
          .code = std::move(risk.code),
          .severity = std::string(severity_word(risk.severity)),
          .line = risk.line == 0 ? std::nullopt : std::optional(risk.line),
          .column = risk.column,
          .excerpt = std::move(risk.excerpt),
          .message = std::move(risk.message),
          .why = std::string(info != nullptr ? info->why : ""),
          .blocks = {}};
}

std::vector<FileRisk> scan_bundle(const Bundle& bundle, const ScanPolicy& policy,
                                  const AcceptedRisks& accepted, const InstalledText& installed,
                                  bool repeat) {
  if (policy.is_off()) return {};
  std::vector<Finding> found;
  for (const BundleFile& file : bundle.files) {
    const auto known = accepted.find(file.sha256);
    const auto* codes = known == accepted.end() ? nullptr : &known->second;
    const std::optional<std::string> before = installed ? installed(file.path) : std::nullopt;
    const Told told = before == file.bytes && !repeat ? Told::kWarnings : Told::kNothing;
    add(found, file.path, risks::scan(file.path, file.bytes), policy, codes, told);
    if (!installed) continue;
    add(found, file.path, risks::new_commands(file.path, before.value_or(""), file.bytes), policy,
        codes, told);
  }
  return sorted_and_cut(std::move(found));
}

AcceptedRisks still_accepted(const Bundle& bundle, const AcceptedRisks& before) {
  AcceptedRisks out;
  for (const BundleFile& file : bundle.files) {
    const auto found = before.find(file.sha256);
    if (found != before.end()) out.insert(*found);
  }
  return out;
}

void accept(AcceptedRisks& accepted, const Bundle& bundle, const std::vector<FileRisk>& risks) {
  for (const FileRisk& risk : risks) {
    if (risk.code == risks::code::kNewCommand) continue;  // a command is new only once
    const auto file = std::ranges::find(bundle.files, risk.path, &BundleFile::path);
    if (file != bundle.files.end()) accepted[file->sha256].insert(risk.code);
  }
}

std::string where(const FileRisk& risk) {
  std::string out = printable(risk.path.value_or(""));
  if (risk.line) out += ":" + std::to_string(*risk.line);
  return out + " " + risk.code + " (" + risk.severity + ")";
}

Result<void> check_risks(const std::vector<FileRisk>& risks) {
  constexpr size_t kNamed = 5;
  std::string named;
  size_t count = 0;
  for (const FileRisk& risk : risks) {
    if (!risk.blocks.value_or(false)) continue;
    if (count++ < kNamed) named += (named.empty() ? "" : ", ") + where(risk);
  }
  if (count == 0) return {};
  if (count > kNamed) named += " and " + std::to_string(count - kNamed) + " more";
  return fail("D336", "D336 risks_found: the download has findings that `scan` blocks: " + named +
                          ". Nothing was written. Next: read these files; `accept_risks` "
                          "(--accept-risks) installs them nevertheless and records that.");
}

}  // namespace iii::sources
