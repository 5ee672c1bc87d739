#include "directory/content/watch.h"

#include <linux/magic.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace iii::content {

namespace {

// IN_MODIFY as well as IN_CLOSE_WRITE: a writer may keep its file open.
constexpr uint32_t kInterest = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MODIFY |
                               IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF;

// A full queue (16384 by default) is read in fewer steps; more would be waiting for a busy writer.
constexpr int kMaxReads = 512;

// File systems whose changes may happen on another machine or in another program, unseen by
// inotify.
bool is_remote(uint64_t magic) {
  constexpr uint64_t kCifs = 0xff534d42, kSmb2 = 0xfe534d42, kCeph = 0x00c36400,
                     kGlusterLegacy = 0x9fa0ff, kVboxShare = 0x786f4256, kVmHgfs = 0xbacbacbc,
                     kLustre = 0x0bd00bd0, kBeegfs = 0x19830326;
  constexpr auto kAll =
      std::to_array<uint64_t>({NFS_SUPER_MAGIC, SMB_SUPER_MAGIC, FUSE_SUPER_MAGIC, V9FS_MAGIC,
                               AFS_SUPER_MAGIC, CODA_SUPER_MAGIC, OCFS2_SUPER_MAGIC, kCifs, kSmb2,
                               kCeph, kGlusterLegacy, kVboxShare, kVmHgfs, kLustre, kBeegfs});
  return std::ranges::find(kAll, magic) != kAll.end();
}

// The folder has no watch any more. Returns the next one of that watch.
Folder* release(Folder& folder) {
  folder.watch = -1;
  return std::exchange(folder.next_watched, nullptr);
}

}  // namespace

Watcher::Watcher(size_t max_watches) : max_watches_(max_watches), limit_(max_watches) {
  if (max_watches == 0) {
    trouble_ = "watching is switched off";
    return;
  }
  inotify_ = UniqueFd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!inotify_)
    trouble_ = std::string("file notifications are not available: ") + std::strerror(errno);
}

bool Watcher::can_watch(uint64_t device, const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (const auto known = devices_.find(device); known != devices_.end()) return known->second;
  struct statfs found{};
  const bool remote =
      ::statfs(path.c_str(), &found) == 0 && is_remote(static_cast<uint32_t>(found.f_type));
  if (remote && trouble_.empty())
    trouble_ = "a network or user-space file system has no notifications";
  devices_.emplace(device, !remote);
  return !remote;
}

bool Watcher::add(Folder& folder, const std::string& path) {
  if (!inotify_) return false;
  {
    const std::lock_guard lock(mutex_);
    if (folder.watch < 0 && is_full()) {
      limit_reached_ = true;
      if (trouble_.empty()) trouble_ = "the limit of watches is reached";
      return false;
    }
  }
  // Outside the mutex, where the scan's threads spend their time. Should another thread end this
  // very watch before it is filed, IN_IGNORED will say so.
  const int watch = ::inotify_add_watch(inotify_.get(), path.c_str(), kInterest | IN_ONLYDIR);
  const int error = errno;
  const std::lock_guard lock(mutex_);
  // Ending a watch is itself a notification, which would wake whoever waits for one: so the old one
  // ends only if it is another.
  if (watch >= 0 && folder.watch == watch) return true;
  unlink(folder);
  if (watch < 0) {
    // Missing, or not ours to read: nothing that more watches would help against.
    if (error == ENOSPC) {
      limit_ = folders_.size();
      limit_reached_ = true;
    }
    const bool ours = error != ENOENT && error != ENOTDIR && error != EACCES && error != ELOOP;
    if (ours && trouble_.empty()) {
      trouble_ = error == ENOSPC
                     ? "the system's limit of watches (fs.inotify.max_user_watches) is reached"
                     : std::string("a folder cannot be watched: ") + std::strerror(error);
    }
    return false;
  }
  Folder*& first = folders_[watch];
  folder.watch = watch;
  folder.next_watched = first;
  first = &folder;
  return true;
}

// Takes the folder off its watch and ends the watch when nobody else shares it. The mutex is held.
void Watcher::unlink(Folder& folder) {
  if (folder.watch < 0) return;
  const auto at = folders_.find(folder.watch);
  if (at != folders_.end()) {
    Folder** link = &at->second;
    while (*link != nullptr && *link != &folder) link = &(*link)->next_watched;
    if (*link == &folder) *link = folder.next_watched;
    if (at->second == nullptr) {
      folders_.erase(at);
      end_if_unused(folder.watch);
    }
  }
  release(folder);
}

void Watcher::end_if_unused(int watch) {
  if (folders_.contains(watch) || hints_.contains(watch)) return;
  ::inotify_rm_watch(inotify_.get(), watch);
}

Folder* Watcher::least_used() const {
  Folder* least = nullptr;
  for (const auto& [watch, folder] : folders_) {
    const bool is_shared = folder->next_watched != nullptr;
    if (!is_shared && (least == nullptr || folder->used < least->used)) least = folder;
  }
  return least;
}

void Watcher::remove(Folder& folder) {
  const std::lock_guard lock(mutex_);
  unlink(folder);
}

void Watcher::set_hints(std::vector<int>& hints, const std::vector<std::string>& entries) {
  if (!inotify_) return;
  const std::vector<int> old = std::exchange(hints, {});
  for (const int watch : old) {
    if (const auto at = hints_.find(watch); at != hints_.end() && --at->second == 0) {
      hints_.erase(at);
    }
  }
  for (const std::string& entry : entries) {
    const uint32_t mask = IN_MOVE_SELF | IN_DELETE_SELF | IN_ATTRIB | IN_DONT_FOLLOW |
                          (&entry == &entries.back() ? IN_CREATE | IN_MOVED_TO : 0U);
    int watch = ::inotify_add_watch(inotify_.get(), entry.c_str(), mask | IN_MASK_ADD);
    // What others asked of this entry before, and no longer do, would only wake us for nothing.
    if (watch >= 0 && !folders_.contains(watch) && !hints_.contains(watch)) {
      watch = ::inotify_add_watch(inotify_.get(), entry.c_str(), mask);
    }
    if (watch < 0) continue;
    ++hints_[watch];
    hints.push_back(watch);
  }
  for (const int watch : old) end_if_unused(watch);
}

void Watcher::dispatch(int watch, uint32_t mask, std::string_view name,
                       const std::function<void(const Event&)>& take) {
  const auto at = folders_.find(watch);
  if (hints_.contains(watch)) hint_fired_ = true;
  if ((mask & IN_IGNORED) != 0) {
    // The watch has ended: folders that relied on it are scanned again.
    hints_.erase(watch);
    if (at == folders_.end()) return;
    Folder* folder = at->second;
    folders_.erase(at);
    while (folder != nullptr) {
      Folder* const next = release(*folder);
      take({folder, mask, {}});
      folder = next;
    }
    return;
  }
  if (at == folders_.end()) return;
  for (Folder* folder = at->second; folder != nullptr; folder = folder->next_watched) {
    take({folder, mask, name});
  }
}

bool Watcher::drain(const std::function<void(const Event&)>& take) {
  if (!inotify_) return true;
  bool complete = true;
  alignas(inotify_event) std::array<char, 65'536> buffer;
  for (int reads = 0; reads < kMaxReads; ++reads) {
    const ssize_t got = ::read(inotify_.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    for (ssize_t at = 0; at < got;) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* const name = buffer.data() + at + sizeof event;
      if ((event.mask & IN_Q_OVERFLOW) != 0) {
        complete = false;
      } else {
        dispatch(event.wd, event.mask, event.len > 0 ? std::string_view(name) : std::string_view(),
                 take);
      }
      at += static_cast<ssize_t>(sizeof event + event.len);
    }
  }
  return complete;
}

bool Watcher::has_pending() const {
  // Not FIONREAD, which walks through everything that is queued.
  pollfd waiting{.fd = inotify_.get(), .events = POLLIN, .revents = 0};
  return inotify_ && ::poll(&waiting, 1, 0) != 0;
}

void Watcher::begin_renewal() {
  for (auto& [watch, first] : folders_) {
    old_watches_.push_back(watch);
    while (first != nullptr) first = release(*first);
  }
  folders_.clear();
}

void Watcher::end_renewal() {
  for (const int watch : old_watches_) end_if_unused(watch);
  old_watches_.clear();
}

}  // namespace iii::content
