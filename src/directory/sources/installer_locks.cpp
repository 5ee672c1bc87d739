#include "directory/sources/installer_locks.h"

#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

namespace iii::sources {

namespace {

constexpr std::chrono::milliseconds kFirstPause{1};
constexpr std::chrono::milliseconds kLongestPause{20};

// The file that was locked is still the one that others would lock.
bool still_there(const FolderWriter& root, std::string_view path, int fd) {
  struct stat held{};
  const Result<FileStatus> found = root.look(path);
  return ::fstat(fd, &held) == 0 && found && found->stamp.inode == held.st_ino &&
         found->stamp.device == held.st_dev;
}

}  // namespace

Result<std::optional<FileLock>> FileLock::attempt(const FolderWriter& root, std::string_view path) {
  Result<UniqueFd> file = root.open_lock(path);
  if (!file) return std::unexpected(file.error());
  if (::flock(file->get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK || errno == EINTR) return std::nullopt;
    return fail("io", "`" + std::string(path) + "` cannot be locked: " + std::strerror(errno));
  }
  if (!still_there(root, path, file->get())) return std::nullopt;
  return FileLock(std::move(*file));
}

Result<FileLock> FileLock::wait(const FolderWriter& root, std::string_view path, const Job& job) {
  // flock has no time limit, so this asks again and again, soon at first.
  for (auto pause = kFirstPause;; pause = std::min(pause * 2, kLongestPause)) {
    Result<std::optional<FileLock>> lock = attempt(root, path);
    if (!lock) return std::unexpected(lock.error());
    if (*lock) return std::move(**lock);
    if (job.should_stop()) return fail("busy", "another process holds it");
    std::this_thread::sleep_for(std::min(pause, job.left()));
  }
}

Result<SwapLock> SwapLock::wait(const FolderWriter& root, const Job& job) {
  Result<FileLock> turn = FileLock::wait(root, kTurnLockPath, job);
  if (!turn) return std::unexpected(turn.error());
  Result<FileLock> swap = FileLock::wait(root, kSwapLockPath, job);
  if (!swap) return std::unexpected(swap.error());
  return SwapLock(std::move(*turn), std::move(*swap));
}

}  // namespace iii::sources
