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
  for (const sources::OutdatedRow& row : rows) {
    Known known{.source = row.source,
                .current = row.current,
                .latest = row.latest,
                .outdated = row.outdated,
                .gone = row.gone,
                .error = {},
                .checked_ns = now};
    if (row.error) known.error = row.error->message;
    known_.insert_or_assign(row.name_space, std::move(known));
  }
}

void LatestVersions::note_installed(const std::string& name_space, const sources::Source& source,
                                    const std::string& resolved) {
  known_.insert_or_assign(name_space, Known{.source = source,
                                            .current = resolved,
                                            .latest = resolved,
                                            .outdated = false,
                                            .error = {},
                                            .checked_ns = wall_ns()});
}

std::optional<LatestVersions::Known> LatestVersions::about(
    const std::string& name_space, const sources::LockedNamespace& locked) const {
  const auto found = known_.find(name_space);
  if (found == known_.end() || found->second.source != locked.source) return std::nullopt;
  Known known = found->second;
  if (known.current == locked.resolved) return known;
  // Another version was installed since then, perhaps by the command line.
  if (known.latest != locked.resolved) return std::nullopt;
  known.current = locked.resolved;
  known.outdated = false;
  return known;
}

}  // namespace iii::directory
