#include "directory/sources/bundle_risks.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "directory/risks/codes.h"
#include "directory/risks/new_commands.h"
#include "directory/risks/scan.h"
#include "foundation/base/sha256.h"
#include "foundation/base/utf8.h"

namespace iii::sources {

namespace {

constexpr auto kWords = std::to_array<std::pair<ScanAction, std::string_view>>(
    {{ScanAction::kOff, "off"}, {ScanAction::kWarn, "warn"}, {ScanAction::kBlock, "block"}});

// What was said about a file when it was installed.
enum class Told : uint8_t { kNothing, kWarnings };

void add(std::vector<FileRisk>& out, const std::string& path, std::vector<risks::Risk> found,
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
void order_and_cut(std::vector<FileRisk>& risks) {
  const auto key = [](const FileRisk& r) {
    return std::tuple(!r.blocks, -static_cast<int>(r.risk.severity), std::string_view(r.path),
                      r.risk.line, std::string_view(r.risk.code));
  };
  std::ranges::sort(risks, {}, key);
  if (risks.size() <= kMaxReportedRisks) return;
  const size_t more = risks.size() - kMaxReportedRisks;
  risks.resize(kMaxReportedRisks);
  risks.push_back(
      {.path = {},
       .risk = {.code = std::string(risks::code::kScanIncomplete),
                .severity = risks::Severity::kMedium,
                .line = 0,
                .column = std::nullopt,
                .excerpt = {},
                .message = "not all findings are shown: " + std::to_string(more) + " more"},
       .blocks = false});
}

}  // namespace

std::string_view action_word(ScanAction action) {
  return std::ranges::find(kWords, action, &std::pair<ScanAction, std::string_view>::first)->second;
}

std::optional<ScanAction> action_of(std::string_view word) {
  for (const auto& [action, name] : kWords) {
    if (name == word) return action;
  }
  return std::nullopt;
}

ScanAction ScanPolicy::of(const risks::Risk& risk) const {
  if (const auto found = overrides.find(risk.code); found != overrides.end()) return found->second;
  if (action != ScanAction::kBlock) return action;
  return risk.severity == risks::Severity::kHigh ? ScanAction::kBlock : ScanAction::kWarn;
}

std::vector<FileRisk> scan_bundle(const Bundle& bundle, const ScanPolicy& policy,
                                  const AcceptedRisks& accepted, const InstalledText& installed,
                                  bool repeat) {
  std::vector<FileRisk> out;
  if (policy.is_off()) return out;
  for (const BundleFile& file : bundle.files) {
    const auto known = accepted.empty() ? accepted.end() : accepted.find(sha256_hex(file.bytes));
    const auto* codes = known == accepted.end() ? nullptr : &known->second;
    const std::optional<std::string> before = installed ? installed(file.path) : std::nullopt;
    const Told told = before == file.bytes && !repeat ? Told::kWarnings : Told::kNothing;
    add(out, file.path, risks::scan(file.path, file.bytes), policy, codes, told);
    if (!installed) continue;
    add(out, file.path, risks::new_commands(file.path, before.value_or(""), file.bytes), policy,
        codes, told);
  }
  order_and_cut(out);
  return out;
}

AcceptedRisks still_accepted(const Bundle& bundle, const AcceptedRisks& before) {
  AcceptedRisks out;
  if (before.empty()) return out;
  for (const BundleFile& file : bundle.files) {
    const auto found = before.find(sha256_hex(file.bytes));
    if (found != before.end()) out.insert(*found);
  }
  return out;
}

void accept(AcceptedRisks& accepted, const Bundle& bundle, const std::vector<FileRisk>& risks) {
  for (const FileRisk& risk : risks) {
    // A command is new only once.
    if (risk.risk.code == risks::code::kNewCommand) continue;
    const auto file = std::ranges::find(bundle.files, risk.path, &BundleFile::path);
    if (file == bundle.files.end()) continue;
    accepted[sha256_hex(file->bytes)].insert(risk.risk.code);
  }
}

std::string where(const FileRisk& risk) {
  std::string out = printable(risk.path);
  if (risk.risk.line != 0) out += ":" + std::to_string(risk.risk.line);
  return out + " " + risk.risk.code + " (" + std::string(severity_word(risk.risk.severity)) + ")";
}

Result<void> check_risks(const std::vector<FileRisk>& risks) {
  constexpr size_t kNamed = 5;
  std::string named;
  size_t count = 0;
  for (const FileRisk& risk : risks) {
    if (!risk.blocks) continue;
    if (count++ < kNamed) named += (named.empty() ? "" : ", ") + where(risk);
  }
  if (count == 0) return {};
  if (count > kNamed) named += " and " + std::to_string(count - kNamed) + " more";
  return fail("D336", "D336 risks_found: the download has findings that `scan` blocks: " + named +
                          ". Nothing was written. Next: read these files; `accept_risks` "
                          "(--accept-risks) installs them nevertheless and records that.");
}

}  // namespace iii::sources
