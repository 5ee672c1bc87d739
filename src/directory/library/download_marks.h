// Which changes are downloads of this process: those of the files that an installation named before
// it swapped them.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "directory/library/change_log.h"

namespace iii::directory {

// From any thread.
class DownloadMarks {
 public:
  // To be called when no reader can see the new files yet. `paths` are relative to the skills
  // folder.
  void announce(const std::string& name_space, std::string_view source,
                const std::vector<std::string>& paths);
  // The installation is over, and what it did has been published.
  void forget(const std::string& name_space);

  // Marks the changes on disk that were announced; each announcement counts once.
  void claim(std::vector<Change>& changes);

 private:
  struct Announced {
    std::string source;
    std::set<std::string, std::less<>> paths;
  };

  std::mutex mutex_;
  std::map<std::string, Announced, std::less<>> by_namespace_;
};

}  // namespace iii::directory
