// Something made of all files of a skill, kept until one of them changes: the row of its SKILL.md
// is another one, or the log of touched files names a file in its folder. Only for folders that are
// watched (TouchedFiles::complete), and files without further hard links.
//
// From any thread; takes a moment when files have changed, so not on the loop.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "directory/library/snapshot.h"
#include "faces/mcp/skill_folders.h"
#include "faces/mcp/uri.h"

namespace iii::mcp {

template <typename T>
class SkillCache {
 public:
  using Ptr = std::shared_ptr<const T>;
  // Of what is kept, enough for about 60 000 skills of a few files; the rest is made anew each
  // time.
  static constexpr size_t kMaxBytes = 64 * 1024 * 1024;
  explicit SkillCache(size_t max_bytes = kMaxBytes) : max_bytes_(max_bytes) {}

  // What is known of the row at this snapshot, or null.
  Ptr find(const directory::Snapshot& snapshot, const SkillRow& row) {
    const std::lock_guard lock(mutex_);
    if (!catch_up(snapshot)) return nullptr;
    const auto found = known_.find(row.folder);
    if (found == known_.end() || found->second.row != row.skill) return nullptr;
    return found->second.value;
  }

  // `value` was made after the snapshot was taken; `bytes` is its size.
  void keep(const directory::Snapshot& snapshot, const SkillRow& row, Ptr value, size_t bytes) {
    bytes += row.folder.size() + kOverhead;
    const std::lock_guard lock(mutex_);
    // What happened since may be about this folder.
    if (!catch_up(snapshot) || count_ != snapshot.touched->count) return;
    const auto old = known_.find(row.folder);
    if (old != known_.end()) drop(old);
    if (bytes_ + bytes > max_bytes_) return;
    bytes_ += bytes;
    known_.emplace(row.folder, Entry{row.skill, std::move(value), bytes});
  }

 private:
  struct Entry {
    content::SkillPtr row;
    Ptr value;
    size_t bytes = 0;
  };
  using Known = std::map<std::string, Entry, std::less<>>;
  static constexpr size_t kOverhead = 160;  // of a node and its value, about

  typename Known::iterator drop(typename Known::iterator entry) {
    bytes_ -= entry->second.bytes;
    return known_.erase(entry);
  }
  void clear() {
    known_.clear();
    bytes_ = 0;
  }

  // Drops what has changed until the snapshot. False: nothing can be known about it.
  bool catch_up(const directory::Snapshot& snapshot) {
    if (snapshot.touched == nullptr || !snapshot.touched->complete) return false;
    if (folders_.lock() != snapshot.folders) {
      folders_ = snapshot.folders;
      clear();
      count_ = snapshot.touched->count;
      return true;
    }
    if (snapshot.touched->count <= count_) return true;  // a newer snapshot was here before
    const auto files = snapshot.touched->after(count_);
    count_ = snapshot.touched->count;
    if (!files) {
      clear();
    } else {
      for (const content::TouchedFile& each : *files) forget(each.file.path);
    }
    return true;
  }

  // A file: the skills in all folders above it. A folder: also those in it.
  void forget(const std::string& path) {
    if (path.empty()) return clear();
    for (std::string_view folder = path; !folder.empty(); folder = folder_of(folder)) {
      if (const auto found = known_.find(folder); found != known_.end()) drop(found);
    }
    const std::string inside = path + "/";
    for (auto at = known_.lower_bound(inside);
         at != known_.end() && at->first.starts_with(inside);) {
      at = drop(at);
    }
  }

  const size_t max_bytes_;
  std::mutex mutex_;
  Known known_;
  size_t bytes_ = 0;
  uint64_t count_ = 0;  // of touched files that were taken into account
  std::weak_ptr<const directory::Folders> folders_;
};

}  // namespace iii::mcp
