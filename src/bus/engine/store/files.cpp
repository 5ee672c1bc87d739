#include "bus/engine/store/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "foundation/base/text.h"

namespace iii::engine {

namespace {

constexpr const char* kLockFile = "state.lock";

std::unexpected<Error> system_failure(const std::string& what, int error) {
  return fail("data_error", what + ": " + std::strerror(error) +
                                ". Next: check the data folder's permissions and free space.");
}

void sync_directory(const std::filesystem::path& directory) {
  const UniqueFd folder(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder) ::fsync(folder.get());
}

Result<void> make_directory(const std::filesystem::path& directory) {
  struct stat info{};
  if (::stat(directory.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) return {};
    return fail("data_error", "the data folder is a file; name a folder with --data");
  }
  const std::filesystem::path parent = directory.parent_path();
  if (!parent.empty() && parent != directory) {
    if (auto made = make_directory(parent); !made) return made;
  }
  if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
    return system_failure("cannot create the data folder", errno);
  }
  sync_directory(parent.empty() ? "." : parent);
  return {};
}

// The person who starts the process reads this, so it may name the folder.
Result<void> check_owner(const struct stat& info, const std::string& folder) {
  if (info.st_uid != ::geteuid()) {
    return fail("data_error", "the data folder " + folder +
                                  " belongs to another user. Next: chown it to the user that runs "
                                  "this program, or choose another folder with --data.");
  }
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return fail("data_error", "other users may write to the data folder " + folder +
                                  ". Next: chmod 700 '" + folder + "'");
  }
  return {};
}

}  // namespace

Result<DataFolder> DataFolder::open(const std::filesystem::path& directory) {
  if (auto made = make_directory(directory); !made) return std::unexpected(made.error());
  DataFolder out;
  std::error_code failed;
  out.path_ = std::filesystem::canonical(directory, failed);
  if (failed) return system_failure("cannot open the data folder", failed.value());
  out.folder_ =
      UniqueFd(::open(out.path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info{};
  if (!out.folder_ || ::fstat(out.folder_.get(), &info) != 0) {
    return system_failure("cannot open the data folder", errno);
  }
  if (auto safe = check_owner(info, directory.native()); !safe) {
    return std::unexpected(safe.error());
  }
  return out;
}

Result<UniqueFd> DataFolder::open_file(const char* name, int flags) const {
  // Not to wait for the other end, should it be a pipe.
  constexpr int kAlways = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  UniqueFd file(::openat(folder_.get(), name, flags | kAlways, 0600));
  const int error = file ? 0 : errno;
  if (error == ENOENT && (flags & O_CREAT) == 0) return file;
  struct stat info{};
  const bool plain = file && ::fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode);
  if (error == ELOOP || (file && !plain)) {
    return fail("data_error", std::string(name) +
                                  " in the data folder is a link or not a plain file. Next: remove "
                                  "it, or choose another folder with --data.");
  }
  if (!file) return system_failure(std::string("cannot open ") + name, error);
  return file;
}

std::optional<struct stat> DataFolder::find(const char* name) const {
  struct stat info{};
  if (::fstatat(folder_.get(), name, &info, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  return info;
}

void DataFolder::sync() const { ::fsync(folder_.get()); }

Result<UniqueFd> DataFolder::lock() const {
  Result<UniqueFd> file = open_file(kLockFile, O_RDWR | O_CREAT);
  if (!file) return file;
  const int fd = file->get();
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) {
    // The number only helps a person to find the other process; the lock is what counts.
    const std::string pid = std::to_string(::getpid()) + "\n";
    if (::ftruncate(fd, 0) != 0 || ::pwrite(fd, pid.data(), pid.size(), 0) < 0) errno = 0;
    return file;
  }
  const int error = errno;
  char text[32] = {};
  const ssize_t got = ::pread(fd, text, sizeof text - 1, 0);
  if (error != EWOULDBLOCK) return system_failure("cannot lock the data folder", error);
  std::string other = "another process";
  if (got > 0) other += " (pid " + std::string(trim(text)) + ")";
  return fail("data_in_use", "the data folder is in use by " + other +
                                 "; stop that process, or choose another folder with --data");
}

}  // namespace iii::engine
