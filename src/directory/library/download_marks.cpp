#include "directory/library/download_marks.h"

namespace iii::directory {

void DownloadMarks::announce(const std::string& name_space, std::string_view source,
                             const std::vector<std::string>& paths) {
  const std::lock_guard lock(mutex_);
  Announced& announced = by_namespace_[name_space];
  announced.source = source;
  announced.paths.insert(paths.begin(), paths.end());
}

void DownloadMarks::forget(const std::string& name_space) {
  const std::lock_guard lock(mutex_);
  by_namespace_.erase(name_space);
}

void DownloadMarks::claim(std::vector<Change>& changes) {
  const std::lock_guard lock(mutex_);
  if (by_namespace_.empty()) return;
  for (Change& change : changes) {
    if (change.op != ChangeOp::kExternal) continue;
    const std::string_view path = change.file.path;
    const auto found = by_namespace_.find(path.substr(0, path.find('/')));
    if (found == by_namespace_.end()) continue;
    const auto announced = found->second.paths.find(path);
    if (announced == found->second.paths.end()) continue;
    found->second.paths.erase(announced);
    change.op = ChangeOp::kDownload;
    change.source = found->second.source;
  }
}

}  // namespace iii::directory
