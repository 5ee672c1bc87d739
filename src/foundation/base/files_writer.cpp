#include "foundation/base/files_writer.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>

#include "foundation/base/file_errors.h"
#include "foundation/base/text.h"
#include "foundation/base/utf8.h"
#include "foundation/base/walk.h"

namespace iii {

namespace {

int64_t nanoseconds_of(const timespec& time) {
  return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

std::unexpected<Error> write_failed(int error, std::string_view relative) {
  return file_error(error, relative, FileUse::kWriting);
}

Result<void> outcome(int error, std::string_view relative) {
  if (error != 0) return write_failed(error, relative);
  return {};
}

int write_and_sync(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    bytes.remove_prefix(static_cast<size_t>(put));
  }
  return ::fsync(fd) == 0 ? 0 : errno;
}

}  // namespace

Result<FolderWriter> FolderWriter::open(const std::filesystem::path& path, Resolver resolver,
                                        Fault fault) {
  UniqueFd root(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root) return write_failed(errno, "");
  return FolderWriter(std::move(root), resolver, std::move(fault));
}

Result<FolderWriter> FolderWriter::open_to_read(const std::filesystem::path& path) {
  Result<FolderWriter> root = open(path);
  if (!root && root.error().code == "missing") return FolderWriter({}, Resolver::kAuto, {});
  return root;
}

int FolderWriter::open_folder(std::string_view relative) const {
  if (!root_) return -ENOENT;
  return resolver_ == Resolver::kAuto ? open_plain_folder(root_.get(), relative)
                                      : open_plain_folder_by_components(root_.get(), relative);
}

int FolderWriter::find(std::string_view relative, Spot& out) const {
  const size_t slash = relative.rfind('/');
  const bool top = slash == std::string_view::npos;
  out.name = std::string(top ? relative : relative.substr(slash + 1));
  if (out.name.empty() || out.name == "." || out.name == ".." ||
      out.name.find('\0') != std::string::npos) {
    return EXDEV;
  }
  const int fd = open_folder(top ? std::string_view() : relative.substr(0, slash));
  if (fd < 0) return -fd;
  out.folder = UniqueFd(fd);
  return 0;
}

int FolderWriter::begin(std::string_view step, std::string_view relative, Spot& out) const {
  const int fault = fault_ ? fault_(step, relative) : 0;
  return fault != 0 ? fault : find(relative, out);
}

Result<void> FolderWriter::make_folders(std::string_view relative) const {
  for (size_t end = 0; end != std::string_view::npos && !relative.empty();) {
    end = relative.find('/', end == 0 ? 0 : end + 1);
    const std::string_view folder = relative.substr(0, end);
    const int there = open_folder(folder);
    if (there >= 0) {
      ::close(there);
      continue;
    }
    if (there != -ENOENT) return write_failed(there == -ENOTDIR ? EEXIST : -there, folder);
    Spot spot;
    int error = begin("make", folder, spot);
    // Another process may have created it meanwhile; the next step notices a link in its place.
    if (error == 0 && ::mkdirat(spot.folder.get(), spot.name.c_str(), 0777) != 0 &&
        errno != EEXIST) {
      error = errno;
    }
    if (error != 0) return write_failed(error, folder);
  }
  return {};
}

Result<void> FolderWriter::create(std::string_view relative, std::string_view bytes,
                                  mode_t mode) const {
  Spot spot;
  int error = begin("create", relative, spot);
  if (error != 0) return write_failed(error, relative);
  const UniqueFd file(::openat(spot.folder.get(), spot.name.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!file) return write_failed(errno, relative);
  // A mode that was asked for is not cut by the umask; the usual one is.
  if (mode != kUsualMode && ::fchmod(file.get(), mode) != 0) error = errno;
  if (error == 0) error = write_and_sync(file.get(), bytes);
  if (error == 0) return {};
  ::unlinkat(spot.folder.get(), spot.name.c_str(), 0);
  return write_failed(error, relative);
}

Result<void> FolderWriter::rename(std::string_view from, std::string_view to) const {
  Spot source;
  Spot target;
  if (const int error = begin("rename", to, target); error != 0) return write_failed(error, to);
  if (const int error = find(from, source); error != 0) return write_failed(error, from);
  if (::renameat(source.folder.get(), source.name.c_str(), target.folder.get(),
                 target.name.c_str()) != 0) {
    return write_failed(errno, to);
  }
  return {};
}

Result<void> FolderWriter::link(std::string_view from, std::string_view to) const {
  Spot source;
  Spot target;
  int error = begin("link", to, target);
  if (error == 0) error = find(from, source);
  if (error == 0 && ::linkat(source.folder.get(), source.name.c_str(), target.folder.get(),
                             target.name.c_str(), 0) != 0) {
    error = errno;
  }
  // EPERM: the file system has none, or the kernel protects other people's files.
  if (error == EPERM || error == EOPNOTSUPP || error == EMLINK || error == EXDEV ||
      error == ENOSYS) {
    return fail("no_links", shown_path(to) + ": a hard link cannot be created");
  }
  return outcome(error, to);
}

Result<void> FolderWriter::remove(std::string_view relative) const {
  Spot spot;
  int error = begin("remove", relative, spot);
  if (error == 0 && ::unlinkat(spot.folder.get(), spot.name.c_str(), 0) != 0) error = errno;
  return outcome(error, relative);
}

Result<void> FolderWriter::remove_folder(std::string_view relative) const {
  Spot spot;
  int error = begin("rmdir", relative, spot);
  if (error == 0 && ::unlinkat(spot.folder.get(), spot.name.c_str(), AT_REMOVEDIR) != 0) {
    error = errno == EEXIST ? ENOTEMPTY : errno;
  }
  return outcome(error, relative);
}

Result<void> FolderWriter::sync_folder(std::string_view relative) const {
  if (const int fault = fault_ ? fault_("sync", relative) : 0; fault != 0) {
    return write_failed(fault, relative);
  }
  const int found = open_folder(relative);
  if (found < 0) return write_failed(-found, relative);
  const UniqueFd pinned(found);
  const UniqueFd folder(::openat(found, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return write_failed(errno, relative);
  // Some file systems cannot force folders to the disk and say so: nothing more can be done there.
  if (::fsync(folder.get()) != 0 && errno != EINVAL) return write_failed(errno, relative);
  return {};
}

Result<UniqueFd> FolderWriter::open_lock(std::string_view relative) const {
  Spot spot;
  if (const int error = find(relative, spot); error != 0) return write_failed(error, relative);
  UniqueFd file(::openat(spot.folder.get(), spot.name.c_str(),
                         O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666));
  if (!file) return write_failed(errno, relative);
  struct stat found{};
  if (::fstat(file.get(), &found) != 0) return write_failed(errno, relative);
  if (!S_ISREG(found.st_mode)) return write_failed(EISDIR, relative);
  return file;
}

Result<FileStatus> FolderWriter::look(std::string_view relative) const {
  Spot spot;
  if (const int error = find(relative, spot); error != 0) return write_failed(error, relative);
  struct stat found{};
  if (::fstatat(spot.folder.get(), spot.name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) {
    return write_failed(errno, relative);
  }
  FileStatus status{.stamp = {.device = found.st_dev,
                              .inode = found.st_ino,
                              .size = static_cast<uint64_t>(found.st_size),
                              .mtime_ns = nanoseconds_of(found.st_mtim),
                              .ctime_ns = nanoseconds_of(found.st_ctim)},
                    .kind = EntryKind::kOther,
                    .is_link = S_ISLNK(found.st_mode),
                    .names = found.st_nlink};
  if (S_ISREG(found.st_mode)) status.kind = EntryKind::kFile;
  if (S_ISDIR(found.st_mode)) status.kind = EntryKind::kDirectory;
  return status;
}

Result<mode_t> FolderWriter::mode(std::string_view relative) const {
  Spot spot;
  if (const int error = find(relative, spot); error != 0) return write_failed(error, relative);
  struct stat found{};
  if (::fstatat(spot.folder.get(), spot.name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) {
    return write_failed(errno, relative);
  }
  return found.st_mode & 0777U;
}

Result<std::string> FolderWriter::read_link(std::string_view relative) const {
  Spot spot;
  if (const int error = find(relative, spot); error != 0) return write_failed(error, relative);
  std::array<char, PATH_MAX> target{};
  const ssize_t length =
      ::readlinkat(spot.folder.get(), spot.name.c_str(), target.data(), target.size());
  if (length < 0) return write_failed(errno, relative);
  return std::string(target.data(), static_cast<size_t>(length));
}

Result<UniqueFd> FolderWriter::open_file(std::string_view relative) const {
  Spot spot;
  if (const int error = find(relative, spot); error != 0) return write_failed(error, relative);
  // O_NONBLOCK: opening a FIFO must not wait for a writer.
  UniqueFd file(::openat(spot.folder.get(), spot.name.c_str(),
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file) return write_failed(errno, relative);
  struct stat found{};
  if (::fstat(file.get(), &found) != 0) return write_failed(errno, relative);
  if (!S_ISREG(found.st_mode)) return write_failed(EISDIR, relative);
  return file;
}

Result<std::string> FolderWriter::read(std::string_view relative, uint64_t max_bytes) const {
  const Result<UniqueFd> file = open_file(relative);
  if (!file) return std::unexpected(file.error());
  std::string bytes;
  std::array<char, 65'536> part;
  for (;;) {
    const ssize_t got = ::read(file->get(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return write_failed(errno, relative);
    if (got == 0) return bytes;
    bytes.append(part.data(), static_cast<size_t>(got));
    if (bytes.size() > max_bytes) return write_failed(EFBIG, relative);
  }
}

Result<std::vector<DirectoryEntry>> FolderWriter::list(std::string_view relative) const {
  const int found = open_folder(relative);
  if (found < 0) return write_failed(-found, relative);
  const UniqueFd pinned(found);
  UniqueFd folder(::openat(found, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return write_failed(errno, relative);
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(folder.get()), ::closedir);
  if (entries == nullptr) return write_failed(errno, relative);
  folder.release();
  std::vector<DirectoryEntry> out;
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(entries.get());
    if (entry == nullptr) break;
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    struct stat status{};
    if (::fstatat(found, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    const EntryKind kind = S_ISREG(status.st_mode)   ? EntryKind::kFile
                           : S_ISDIR(status.st_mode) ? EntryKind::kDirectory
                                                     : EntryKind::kOther;
    out.push_back({.name = name, .kind = kind, .is_link = S_ISLNK(status.st_mode)});
  }
  if (errno != 0) return write_failed(errno, relative);
  return out;
}

Result<std::vector<DirectoryEntry>> FolderWriter::walk(std::string_view relative) const {
  std::vector<DirectoryEntry> out;
  const auto visit = [&out](const std::string& path, const std::vector<DirectoryEntry>& entries) {
    for (DirectoryEntry entry : entries) {
      entry.name = join_path(path, entry.name);
      out.push_back(std::move(entry));
    }
    return Result<void>();
  };
  const Result<void> walked = iii::walk(*this, relative, {.max_entries = kMaxWalkEntries}, visit);
  if (walked || walked.error().code == "missing" || walked.error().code == "too_deep") return out;
  if (walked.error().code != "too_many") return std::unexpected(walked.error());
  return fail("too_large", "`" + printable(relative) + "` has too many files");
}

}  // namespace iii
