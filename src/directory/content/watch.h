// Notifications about folders: one inotify watch per directory, never per file.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "directory/content/tree.h"
#include "foundation/base/beneath.h"

namespace iii::content {

// `add` and `remove` may be called from several threads at a time, the rest not.
class Watcher {
 public:
  // At most `max_watches` directories.
  explicit Watcher(size_t max_watches);

  // Whether a folder was refused because there are no more watches.
  bool limit_reached() const { return limit_reached_; }
  // Whether a further folder would be refused now.
  bool is_full() const { return folders_.size() >= limit_; }
  // The system may offer more watches than it did when it refused one.
  void retry_limit() { limit_ = max_watches_; }
  // Of the watched folders the one that was used the longest time ago; null: there is none.
  Folder* least_used() const;

  // Watches the directory at `path` for `folder` from now on. The same directory reached through a
  // link shares the watch. False: it cannot be watched.
  bool add(Folder& folder, const std::string& path);
  void remove(Folder& folder);
  bool can_watch(uint64_t device, const std::string& path);

  // Hints only, instead of those in `hints`: they wake descriptor() when one of these entries, a
  // folder or a link, is moved, removed or replaced, or when something appears in the last one.
  // Nothing is reported.
  void set_hints(std::vector<int>& hints, const std::vector<std::string>& entries);
  // Whether a hint has been used up or fired since the last call.
  bool take_hint_fired() { return std::exchange(hint_fired_, false); }

  struct Event {
    Folder* folder = nullptr;
    uint32_t mask = 0;
    std::string_view name;  // empty: the folder itself
  };
  // Everything that is pending, without waiting. False: the system dropped some.
  bool drain(const std::function<void(const Event&)>& take);

  // Whether drain() would find something.
  bool has_pending() const;

  // After dropped notifications no watch can be relied on: all folders are added again in between.
  void begin_renewal();
  void end_renewal();

  int descriptor() const { return inotify_.get(); }
  size_t count() const { return folders_.size(); }
  // Why something is not watched; empty while everything is.
  const std::string& trouble() const { return trouble_; }

 private:
  void unlink(Folder& folder);
  void end_if_unused(int watch);
  void dispatch(int watch, uint32_t mask, std::string_view name,
                const std::function<void(const Event&)>& take);

  UniqueFd inotify_;
  const size_t max_watches_;
  size_t limit_;  // the same, or how many the system offers
  bool limit_reached_ = false;
  std::mutex mutex_;
  std::unordered_map<int, Folder*> folders_;  // first of those that share the watch
  std::unordered_map<uint64_t, bool> devices_;
  std::unordered_map<int, size_t> hints_;  // by how many they are wanted
  bool hint_fired_ = false;
  std::vector<int> old_watches_;
  std::string trouble_;
};

}  // namespace iii::content
