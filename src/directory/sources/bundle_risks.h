// What a reader should know about a download before it is written: findings of the room `risks`
// about its files, and what the configuration does with them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "directory/risks/risk.h"
#include "directory/sources/bundle.h"
#include "foundation/base/result.h"

namespace iii::sources {

enum class ScanAction : uint8_t { kOff, kWarn, kBlock };

// `off`, `warn`, `block`.
std::string_view action_word(ScanAction action);
std::optional<ScanAction> action_of(std::string_view word);

struct ScanPolicy {
  // kBlock: findings of severity `high` refuse a download.
  ScanAction action = ScanAction::kWarn;
  // For single codes. kBlock: whatever the severity.
  std::map<std::string, ScanAction, std::less<>> overrides;

  bool is_off() const { return action == ScanAction::kOff && overrides.empty(); }
  ScanAction of(const risks::Risk& risk) const;
  bool operator==(const ScanPolicy&) const = default;
};

struct FileRisk {
  std::string path;  // below the namespace; empty: the download as a whole
  risks::Risk risk;
  bool blocks = false;

  bool operator==(const FileRisk&) const = default;
};

// SHA-256 of a file → codes that a person accepted.
using AcceptedRisks = std::map<std::string, std::set<std::string>>;

// More are counted in a last one, with the code scan_incomplete.
inline constexpr size_t kMaxReportedRisks = 200;

// The text of an installed file; nothing: there is none. Not set: nothing is installed yet, so
// that commands are not new.
using InstalledText = std::function<std::optional<std::string>(const std::string& path)>;

// The worst first; without those that were accepted. Warnings about files that are installed as
// they are in the bundle were given before: they are left out unless `repeat` is set.
std::vector<FileRisk> scan_bundle(const Bundle& bundle, const ScanPolicy& policy,
                                  const AcceptedRisks& accepted, const InstalledText& installed,
                                  bool repeat = false);

// What is still true of `before` for the files of a bundle.
AcceptedRisks still_accepted(const Bundle& bundle, const AcceptedRisks& before);
// Adds these findings.
void accept(AcceptedRisks& accepted, const Bundle& bundle, const std::vector<FileRisk>& risks);

// Code D336 when one of them blocks.
Result<void> check_risks(const std::vector<FileRisk>& risks);

// `run.sh:3 download_run (high)`
std::string where(const FileRisk& risk);

}  // namespace iii::sources
