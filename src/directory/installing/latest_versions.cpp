#include "directory/installing/latest_versions.h"

#include <chrono>

namespace iii::directory {

namespace {

int64_t wall_ns() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

}  // namespace

void LatestVersions::note(const std::vector<sources::OutdatedRow>& rows) {
  const int64_t now = wall_ns();
  for (const sources::OutdatedRow& row : rows)
    known_.insert_or_assign(row.name_space, Known{row, now});
}

void LatestVersions::note_installed(const std::string& name_space, const sources::Source& source,
                                    const std::string& resolved) {
  note({{.name_space = name_space, .current = resolved, .latest = resolved, .asked = source}});
}

std::optional<LatestVersions::Known> LatestVersions::about(
    const std::string& name_space, const sources::LockedNamespace& locked) const {
  const auto found = known_.find(name_space);
  if (found == known_.end() || found->second.row.asked != locked.source) return std::nullopt;
  Known known = found->second;
  if (known.row.current == locked.resolved) return known;
  // Another version was installed since then, perhaps by the command line.
  if (known.row.latest != locked.resolved) return std::nullopt;
  known.row.current = locked.resolved;
  known.row.outdated = false;
  return known;
}

}  // namespace iii::directory
