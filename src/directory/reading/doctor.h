// directory::doctor — accounts for every file under the roots.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "directory/reading/doctor_report.h"
#include "directory/reading/risk_scan.h"

namespace iii::directory {

class Installed;
class FunctionTable;
class Library;
class SkillLinks;

// Findings of one answer: unless the caller says more, and the most that it may ask for.
inline constexpr size_t kFindingsPage = 100;
inline constexpr size_t kMaxFindings = 10'000;
inline constexpr size_t kMaxDetailed = 1'000;  // the same with details

// How people write the folder of a root (`~/.iii/skills`, `compiled in`), and where it lies.
struct RootPlace {
  std::string name;
  std::filesystem::path path;  // empty: it is not on disk
};
// Of all roots, in their order. Called on the loop thread.
using RootPlaces = std::function<std::vector<RootPlace>(const content::Generation&)>;

// Findings of other rooms about what a view shows; called on a thread that may wait.
using MoreFindings =
    std::function<std::vector<DoctorFinding>(const View&, const ScanProgress& progress)>;

// What it refers to outlives the table.
struct DoctorHost {
  Library& library;
  RootPlaces places = {};          // may be empty
  Installed* installed = nullptr;  // null: nothing is said about directory.lock, nor about risks
  SkillLinks* links = nullptr;     // null: nothing is said about functions
  MoreFindings more = {};          // may be empty
  std::chrono::milliseconds scan_time = kRiskScanTime;
};
void add_doctor(FunctionTable& table, DoctorHost host);

}  // namespace iii::directory
