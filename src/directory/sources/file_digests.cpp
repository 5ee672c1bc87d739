#include "directory/sources/file_digests.h"

#include <utility>

namespace iii::sources {

std::optional<std::string> FileDigests::find(const std::string& path,
                                             const FileStamp& stamp) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(path);
  if (found == known_.end() || found->second.stamp != stamp) return std::nullopt;
  return found->second.digest;
}

void FileDigests::keep(const std::string& path, const FileStamp& stamp, std::string digest) {
  if (!stamp.settled(file_clock_ns())) return;
  const std::lock_guard lock(mutex_);
  if (known_.size() >= kMost) known_.clear();
  known_.insert_or_assign(path, Known{.stamp = stamp, .digest = std::move(digest)});
}

}  // namespace iii::sources
