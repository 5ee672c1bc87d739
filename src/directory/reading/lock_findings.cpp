#include "directory/reading/lock_findings.h"

#include <utility>

#include "directory/sources/lock_file.h"

namespace iii::directory {

std::vector<DoctorFinding> lock_findings(const sources::Downloads& downloads) {
  std::vector<DoctorFinding> out;
  const auto add = [&out](std::string path, const char* severity, const char* code,
                          std::string message) {
    out.push_back({.root = "global",
                   .path = std::move(path),
                   .severity = severity,
                   .code = code,
                   .message = std::move(message)});
  };
  const Result<sources::LockPtr> lock = downloads.lock();
  if (!lock) {
    add(std::string(sources::kLockFileName), "error", "lock_unreadable", lock.error().message);
    return out;
  }
  for (const auto& [name, locked] : (*lock)->namespaces) {
    if (downloads.has(name)) continue;
    add(name, "warning", "namespace_missing",
        "directory.lock names this namespace (" + locked.resolved +
            "), but its folder does not exist; `iii-directory install` or directory::lock::restore "
            "brings it back");
  }
  return out;
}

}  // namespace iii::directory
