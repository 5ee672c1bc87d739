#include "foundation/base/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "foundation/base/beneath.h"
#include "foundation/base/file_errors.h"
#include "foundation/base/utf8.h"

namespace iii {

namespace {

int64_t nanoseconds(const timespec& time) {
  return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

FileStamp stamp_of(const struct stat& found) {
  return {.device = found.st_dev,
          .inode = found.st_ino,
          .size = static_cast<uint64_t>(found.st_size),
          .mtime_ns = nanoseconds(found.st_mtim),
          .ctime_ns = nanoseconds(found.st_ctim)};
}

EntryKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return EntryKind::kFile;
  if (S_ISDIR(mode)) return EntryKind::kDirectory;
  return EntryKind::kOther;
}

FileStatus status_of(const struct stat& found) {
  return {.stamp = stamp_of(found),
          .kind = kind_of(found.st_mode),
          .is_link = S_ISLNK(found.st_mode),
          .names = found.st_nlink};
}

std::unexpected<Error> failed(int error, std::string_view relative) {
  return file_error(error, relative, FileUse::kReading);
}

int open_at(int root, Resolver resolver, std::string_view relative, int flags) {
  return resolver == Resolver::kAuto ? open_beneath(root, relative, flags)
                                     : open_by_components(root, relative, flags);
}

// Names below a folder, and what the file system says about them for free.
template <typename Take>
int each_entry(int directory_fd, Take take) {
  DIR* const directory = ::fdopendir(directory_fd);
  if (directory == nullptr) {
    const int error = errno;
    ::close(directory_fd);
    return error;
  }
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(directory);
    if (entry == nullptr) break;
    const std::string_view name(entry->d_name);
    if (name == "." || name == "..") continue;
    take(name, entry->d_type, ::dirfd(directory));
  }
  const int error = errno;
  ::closedir(directory);
  return error;
}

DirectoryEntry plain_entry(std::string_view name, unsigned char type, int directory_fd) {
  DirectoryEntry entry{.name = std::string(name)};
  if (type == DT_UNKNOWN) {
    struct stat found{};
    if (::fstatat(directory_fd, entry.name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0) {
      entry.kind = kind_of(found.st_mode);
      entry.is_link = S_ISLNK(found.st_mode);
    }
    return entry;
  }
  entry.is_link = type == DT_LNK;
  if (type == DT_REG) entry.kind = EntryKind::kFile;
  if (type == DT_DIR) entry.kind = EntryKind::kDirectory;
  return entry;
}

// Reads until the end or `limit` bytes. Returns 0 or an errno.
int read_all(int fd, uint64_t expected, uint64_t limit, std::string& out) {
  // One byte more than expected, so that the end is seen without growing.
  size_t room = static_cast<size_t>(std::min(expected, limit)) + 1;
  out.clear();
  for (;;) {
    const size_t have = out.size();
    ssize_t got = 0;
    out.resize_and_overwrite(room, [&](char* bytes, size_t size) {
      got = ::read(fd, bytes + have, size - have);
      return have + static_cast<size_t>(std::max<ssize_t>(got, 0));
    });
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    // All that was expected, and less than asked for: that was the end.
    if (got == 0 || out.size() > limit || (out.size() == expected && out.size() < room)) return 0;
    if (out.size() == room) room += 64 * 1024;
  }
}

int write_all(int fd, std::string_view bytes, bool durable) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    bytes.remove_prefix(static_cast<size_t>(put));
  }
  return !durable || ::fsync(fd) == 0 ? 0 : errno;
}

std::string temporary_name() {
  static std::atomic<uint64_t> counter = 0;
  return ".iii-" + std::to_string(::getpid()) + "-" + std::to_string(counter++) + ".tmp";
}

// Writes beside the target and renames over it. Returns 0 or an errno; EISDIR: no regular file is
// there.
int replace_file(const Place& place, std::string_view bytes) {
  struct stat old{};
  const bool exists =
      ::fstatat(place.folder.get(), place.name.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0;
  if (!exists && errno != ENOENT) return errno;
  if (exists && !S_ISREG(old.st_mode)) return EISDIR;
  const std::string temporary = temporary_name();
  const UniqueFd file(::openat(place.folder.get(), temporary.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!file) return errno;
  int error = 0;
  if (exists && ::fchmod(file.get(), old.st_mode & 07777U) != 0) error = errno;
  if (error == 0) error = write_all(file.get(), bytes, true);
  if (error == 0 && ::renameat(place.folder.get(), temporary.c_str(), place.folder.get(),
                               place.name.c_str()) != 0) {
    error = errno;
  }
  if (error != 0) {
    ::unlinkat(place.folder.get(), temporary.c_str(), 0);
    return error;
  }
  const UniqueFd folder(::openat(place.folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder) ::fsync(folder.get());
  return 0;
}

}  // namespace

bool FileStamp::settled(int64_t now_ns) const {
  // File systems that never fill the last digits may count in seconds, FAT in two; the others
  // follow the kernel's tick. The content's time is the ctime, which cannot be set back.
  constexpr int64_t kSecond = 1'000'000'000;
  const int64_t newest = ctime_ns > 0 ? ctime_ns : mtime_ns;
  const int64_t granularity = newest % kSecond == 0 ? 3 * kSecond : kSecond / 10;
  return newest + granularity <= now_ns;
}

int64_t file_clock_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return nanoseconds(now);
}

Result<RootFolder> RootFolder::open(const std::filesystem::path& path, Resolver resolver) {
  const int fd = ::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return failed(errno, "");
  return RootFolder(fd, resolver);
}

RootFolder::RootFolder(RootFolder&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), resolver_(other.resolver_) {}

RootFolder& RootFolder::operator=(RootFolder&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = std::exchange(other.fd_, -1);
    resolver_ = other.resolver_;
  }
  return *this;
}

RootFolder::~RootFolder() {
  if (fd_ >= 0) ::close(fd_);
}

Result<FileStatus> RootFolder::status(std::string_view relative) const {
  if (relative.empty()) {
    // The folder itself can be looked at even when nothing below it may be.
    struct stat found{};
    if (::fstat(fd_, &found) != 0) return failed(errno, relative);
    return status_of(found);
  }
  const int fd = open_at(fd_, resolver_, relative, O_PATH);
  if (fd < 0) return failed(-fd, relative);
  const UniqueFd owned(fd);
  struct stat found{};
  if (::fstat(fd, &found) != 0) return failed(errno, relative);
  return status_of(found);
}

Result<FileStamp> RootFolder::stat(std::string_view relative) const {
  Result<FileStatus> found = status(relative);
  if (!found) return std::unexpected(found.error());
  return found->stamp;
}

Result<FileStatus> RootFolder::peek(std::string_view relative) const {
  struct stat found{};
  const std::string path(relative.empty() ? "." : relative);
  if (::fstatat(fd_, path.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) {
    return failed(errno, relative);
  }
  return status_of(found);
}

Result<int> RootFolder::open_directory(std::string_view relative) const {
  const int fd = open_at(fd_, resolver_, relative, O_RDONLY | O_DIRECTORY);
  if (fd < 0) return failed(-fd, relative);
  return fd;
}

Result<std::vector<DirectoryEntry>> RootFolder::list_unresolved(std::string_view relative) const {
  Result<int> directory = open_directory(relative);
  if (!directory) return std::unexpected(directory.error());
  std::vector<DirectoryEntry> entries;
  const int error =
      each_entry(*directory, [&](std::string_view name, unsigned char type, int directory_fd) {
        entries.push_back(plain_entry(name, type, directory_fd));
      });
  if (error != 0) return failed(error, relative);
  return entries;
}

Result<std::vector<DirectoryEntry>> RootFolder::list(std::string_view relative) const {
  Result<std::vector<DirectoryEntry>> entries = list_unresolved(relative);
  if (!entries) return entries;
  for (DirectoryEntry& entry : *entries) {
    if (!entry.is_link) continue;
    std::string path(relative);
    if (!path.empty()) path += '/';
    const Result<FileStatus> target = status(path + entry.name);
    entry.kind = target ? target->kind : EntryKind::kDangling;
  }
  return entries;
}

Result<FileBytes> RootFolder::read_up_to(std::string_view relative, uint64_t max_bytes, bool cut,
                                         uint64_t offset) const {
  // O_NONBLOCK: opening a FIFO must not wait for a writer.
  const int fd = open_at(fd_, resolver_, relative, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (fd == -ENXIO) return fail("not_a_file", shown_path(relative) + " is not a regular file");
  if (fd < 0) return failed(-fd, relative);
  const UniqueFd owned(fd);
  struct stat found{};
  if (::fstat(fd, &found) != 0) return failed(errno, relative);
  if (!S_ISREG(found.st_mode)) {
    return fail("not_a_file", shown_path(relative) + " is not a regular file");
  }
  const auto too_large = [&](uint64_t size) {
    return fail("too_large", shown_path(relative) + " is too large: " + std::to_string(size) +
                                 " bytes, the limit is " + std::to_string(max_bytes));
  };
  FileBytes file{.bytes = {}, .stamp = stamp_of(found)};
  if (!cut && file.stamp.size > max_bytes) return too_large(file.stamp.size);
  if (offset >= file.stamp.size && offset > 0) return file;
  if (offset > 0 && ::lseek(fd, static_cast<off_t>(offset), SEEK_SET) < 0) {
    return failed(errno, relative);
  }
  const int error = read_all(fd, file.stamp.size - offset, max_bytes, file.bytes);
  if (error != 0) return failed(error, relative);
  if (file.bytes.size() > max_bytes) {
    if (!cut) return too_large(file.bytes.size());
    file.bytes.resize(static_cast<size_t>(max_bytes));
  }
  return file;
}

Result<FileBytes> RootFolder::read(std::string_view relative, uint64_t max_bytes) const {
  return read_up_to(relative, max_bytes, false);
}

Result<FileBytes> RootFolder::read_head(std::string_view relative, uint64_t count) const {
  return read_up_to(relative, count, true);
}

Result<FileBytes> RootFolder::read_part(std::string_view relative, uint64_t offset,
                                        uint64_t count) const {
  return read_up_to(relative, count, true, offset);
}

Result<FileBytes> RootFolder::read_text(std::string_view relative, uint64_t max_bytes) const {
  Result<FileBytes> file = read(relative, max_bytes);
  if (file && !is_utf8(file->bytes)) {
    return fail("not_utf8", shown_path(relative) + " is not UTF-8 text");
  }
  return file;
}

Result<void> RootFolder::write(std::string_view relative, std::string_view bytes) const {
  Place place;
  const int found = find_place(fd_, relative, place);
  if (found != 0) return failed(-found, relative);
  if (place.name.empty()) return fail("not_a_file", shown_path(relative) + " is a folder");
  const int error = replace_file(place, bytes);
  if (error == EISDIR) return fail("not_a_file", shown_path(relative) + " is not a regular file");
  if (error != 0) return failed(error, relative);
  return {};
}

Result<FileStatus> path_status(const std::filesystem::path& path) {
  struct stat found{};
  if (::stat(path.c_str(), &found) != 0) return failed(errno, "");
  return status_of(found);
}

}  // namespace iii
