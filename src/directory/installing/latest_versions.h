// What sources said last time about newer versions, so that a list need not ask them again. On the
// loop thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "directory/sources/downloads.h"

namespace iii::directory {

class LatestVersions {
 public:
  struct Known {
    sources::OutdatedRow row;
    int64_t checked_ns = 0;  // since 1970
  };

  void note(const std::vector<sources::OutdatedRow>& rows);
  // Asking the source gave this version, which is installed now.
  void note_installed(const std::string& name_space, const sources::Source& source,
                      const std::string& resolved);
  void forget(const std::string& name_space) { known_.erase(name_space); }

  // What is known about a namespace as `directory.lock` has it now; nothing when what was said is
  // about another source or version.
  std::optional<Known> about(const std::string& name_space,
                             const sources::LockedNamespace& locked) const;

 private:
  std::map<std::string, Known, std::less<>> known_;
};

}  // namespace iii::directory
