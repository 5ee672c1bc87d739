// Something made of all files of a skill, kept until one of them changes: the row of its SKILL.md
// is another one, or the log of touched files names a file in its folder. Only for folders that are
// watched (TouchedFiles::complete), and files without further hard links.
//
// From any thread; takes a moment when files have changed, so not on the loop.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "directory/library/snapshot.h"
#include "directory/reading/paths.h"
#include "directory/reading/skill_index.h"

namespace iii::directory {

template <typename T>
class FolderCache {
 public:
  using Ptr = std::shared_ptr<const T>;
  // Of what is kept; the rest is made anew every time.
  explicit FolderCache(size_t max_bytes) : max_bytes_(max_bytes) {}

  // What is known of each row at this snapshot, null for the others. Rows are in order of their
  // folders.
  std::vector<Ptr> find(const Snapshot& snapshot, std::span<const SkillRow> rows) {
    std::vector<Ptr> out(rows.size());
    const std::lock_guard lock(mutex_);
    if (!follow(snapshot) || rows.empty()) return out;
    auto at = known_.lower_bound(rows.front().folder);
    for (size_t i = 0; i < rows.size(); ++i) {
      while (at != known_.end() && at->first < rows[i].folder) ++at;
      if (at == known_.end()) break;
      if (at->first == rows[i].folder && at->second.row == rows[i].skill) out[i] = at->second.value;
    }
    return out;
  }

  // `value` was made after the snapshot was taken; `bytes` is its size.
  void keep(const Snapshot& snapshot, const SkillRow& row, Ptr value, size_t bytes) {
    bytes += row.folder.size() + kOverhead;
    const std::lock_guard lock(mutex_);
    // What happened since may be about this folder.
    if (!follow(snapshot) || count_ != snapshot.touched->count) return;
    const auto old = known_.find(row.folder);
    if (old != known_.end()) drop(old);
    if (bytes_ + bytes > max_bytes_) return;
    bytes_ += bytes;
    known_.emplace(row.folder, Entry{row.skill, std::move(value), bytes});
  }

  size_t size() const {
    const std::lock_guard lock(mutex_);
    return known_.size();
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
  bool follow(const Snapshot& snapshot) {
    if (snapshot.touched == nullptr || !snapshot.touched->complete) return false;
    if (folders_.lock() != snapshot.folders) {
      folders_ = snapshot.folders;
      clear();
      count_ = snapshot.touched->count;
      return true;
    }
    if (snapshot.touched->count <= count_) return true;  // others have seen a newer one
    const auto files = snapshot.touched->after(count_);
    count_ = snapshot.touched->count;
    if (!files) clear();
    for (size_t i = 0; files && i < files->size(); ++i) forget((*files)[i].file.path);
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
  mutable std::mutex mutex_;
  Known known_;
  size_t bytes_ = 0;
  uint64_t count_ = 0;  // of touched files that have been followed
  std::weak_ptr<const Folders> folders_;
};

}  // namespace iii::directory
