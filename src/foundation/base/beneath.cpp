#include "foundation/base/beneath.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <vector>

namespace iii {

namespace {

constexpr int kMaxLinks = 40;     // as the kernel's own limit
constexpr int kMaxAttempts = 16;  // against renames that race with us

int call_openat2(int folder, const char* path, int flags, uint64_t also = 0) {
  open_how how{};
  how.flags = static_cast<uint64_t>(flags) | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | also;
  const long fd = ::syscall(SYS_openat2, folder, path, &how, sizeof how);
  return fd >= 0 ? static_cast<int>(fd) : -errno;
}

// A caller's path must not climb, even where climbing would stay inside, nor hold a NUL.
bool climbs(std::string_view path) {
  if (path.starts_with('/')) return true;
  // The kernel would see only what comes before it.
  if (path.find('\0') != std::string_view::npos) return true;
  while (!path.empty()) {
    const size_t end = path.find('/');
    if (path.substr(0, end) == "..") return true;
    if (end == std::string_view::npos) break;
    path.remove_prefix(end + 1);
  }
  return false;
}

// The walk of find_place: which folders we are in, and which components are still to come (last one
// first).
struct Walk {
  int root;
  std::vector<UniqueFd> inside;
  std::vector<std::string> coming;
  int links = 0;

  int here() const { return inside.empty() ? root : inside.back().get(); }

  void add(std::string_view path) {
    std::vector<std::string> parts;
    while (!path.empty()) {
      const size_t end = path.find('/');
      const std::string_view part = path.substr(0, end);
      if (!part.empty() && part != ".") parts.emplace_back(part);
      if (end == std::string_view::npos) break;
      path.remove_prefix(end + 1);
    }
    coming.insert(coming.end(), parts.rbegin(), parts.rend());
  }

  int climb() {
    if (inside.empty()) return -EXDEV;
    inside.pop_back();
    return 0;
  }

  int follow(const std::string& name) {
    if (++links > kMaxLinks) return -ELOOP;
    std::array<char, PATH_MAX> target{};
    const ssize_t length = ::readlinkat(here(), name.c_str(), target.data(), target.size());
    if (length < 0) return -errno;
    const std::string_view text(target.data(), static_cast<size_t>(length));
    if (text.starts_with('/')) return -EXDEV;
    add(text);
    return 0;
  }

  int enter(const std::string& name) {
    const int fd = ::openat(here(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return -errno;
    inside.emplace_back(fd);
    return 0;
  }
};

int hand_over(Walk& walk, std::string name, Place& out) {
  const int fd = ::fcntl(walk.here(), F_DUPFD_CLOEXEC, 0);
  if (fd < 0) return -errno;
  out.folder = UniqueFd(fd);
  out.name = std::move(name);
  return 0;
}

}  // namespace

void UniqueFd::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

int find_place(int folder, std::string_view relative, Place& out) {
  if (climbs(relative)) return -EXDEV;
  Walk walk{folder, {}, {}};
  walk.add(relative);
  while (!walk.coming.empty()) {
    const std::string name = std::move(walk.coming.back());
    walk.coming.pop_back();
    int failed = 0;
    struct stat found{};
    if (name == "..") {
      failed = walk.climb();
    } else if (::fstatat(walk.here(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno == ENOENT && walk.coming.empty()) return hand_over(walk, name, out);
      failed = -errno;
    } else if (S_ISLNK(found.st_mode)) {
      failed = walk.follow(name);
    } else if (walk.coming.empty()) {
      return hand_over(walk, name, out);
    } else {
      failed = walk.enter(name);
    }
    if (failed != 0) return failed;
  }
  return hand_over(walk, "", out);
}

int open_by_components(int folder, std::string_view relative, int flags) {
  int failed = -EAGAIN;
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    Place place;
    failed = find_place(folder, relative, place);
    if (failed != 0) return failed;
    const char* name = place.name.empty() ? "." : place.name.c_str();
    const int fd = ::openat(place.folder.get(), name, flags | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0) {
      struct stat found{};
      const bool link = (flags & O_PATH) != 0 && ::fstat(fd, &found) == 0 && S_ISLNK(found.st_mode);
      if (!link) return fd;
      ::close(fd);  // became a link after we looked: O_PATH opens links themselves
    } else if (errno != ELOOP) {
      return -errno;
    }
  }
  return failed == 0 ? -EAGAIN : failed;
}

bool have_openat2() {
  // Sandboxes refuse unknown system calls with EPERM instead of ENOSYS.
  static const bool have = [] {
    const int fd = call_openat2(AT_FDCWD, ".", O_PATH | O_DIRECTORY);
    if (fd >= 0) ::close(fd);
    return fd >= 0 || (fd != -ENOSYS && fd != -EPERM && fd != -EINVAL && fd != -E2BIG);
  }();
  return have;
}

int open_beneath(int folder, std::string_view relative, int flags) {
  if (!have_openat2()) return open_by_components(folder, relative, flags);
  if (climbs(relative)) return -EXDEV;
  const std::string path(relative.empty() ? "." : relative);
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    const int fd = call_openat2(folder, path.c_str(), flags);
    if (fd != -EAGAIN) return fd;
  }
  return open_by_components(folder, relative, flags);
}

int open_plain_folder_by_components(int folder, std::string_view relative) {
  if (climbs(relative)) return -EXDEV;
  Walk walk{folder, {}, {}};
  walk.add(relative);
  while (!walk.coming.empty()) {
    const std::string name = std::move(walk.coming.back());
    walk.coming.pop_back();
    const int failed = walk.enter(name);
    if (failed == 0) continue;
    // A link is not a folder either; the error says which of the two it is.
    struct stat found{};
    const bool link = ::fstatat(walk.here(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 &&
                      S_ISLNK(found.st_mode);
    return link ? -ELOOP : failed;
  }
  const int fd = ::fcntl(walk.here(), F_DUPFD_CLOEXEC, 0);
  return fd >= 0 ? fd : -errno;
}

int open_plain_folder(int folder, std::string_view relative) {
  if (!have_openat2()) return open_plain_folder_by_components(folder, relative);
  if (climbs(relative)) return -EXDEV;
  const std::string path(relative.empty() ? "." : relative);
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    const int fd = call_openat2(folder, path.c_str(), O_PATH | O_DIRECTORY, RESOLVE_NO_SYMLINKS);
    if (fd != -EAGAIN) return fd;
  }
  return open_plain_folder_by_components(folder, relative);
}

}  // namespace iii
