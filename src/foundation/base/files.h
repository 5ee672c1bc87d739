// The one way this project touches files that other people put somewhere: below a root, never
// outside it.
//
// Paths are relative to the root, UTF-8 or not, without `..`. Links are followed only while they
// stay inside the root (openat2 RESOLVE_BENEATH; on kernels without it, component by component with
// the same result). FIFOs, devices and sockets are refused before they could block. Sizes are
// checked before reading.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"

namespace iii {

// What identifies a version of a file: equal stamps mean equal content, unless it was written
// within the clock's granularity of being looked at (see FileStamp::settled).
struct FileStamp {
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t size = 0;
  int64_t mtime_ns = 0;
  int64_t ctime_ns = 0;

  bool operator==(const FileStamp&) const = default;
  // False while the file is so young that a further write might leave the same stamp.
  bool settled(int64_t now_ns) const;
};

// kDangling: a link whose target is missing, loops or lies outside the root.
enum class EntryKind { kFile, kDirectory, kOther, kDangling };

// How paths are kept below a root. kAuto takes openat2 where the kernel has it (and allows it),
// kComponents is the way without, with the same answers.
enum class Resolver { kAuto, kComponents };

struct FileStatus {
  FileStamp stamp;
  EntryKind kind = EntryKind::kOther;
  bool is_link = false;  // only from peek: the entry itself is a link, `kind` is then kOther
  uint64_t names = 1;    // hard links
};

struct DirectoryEntry {
  std::string name;
  EntryKind kind = EntryKind::kOther;  // links are resolved
  bool is_link = false;
};

struct FileBytes {
  std::string bytes;
  FileStamp stamp;
};

// An open root directory. Thread-safe: all calls are independent.
class RootFolder {
 public:
  // Codes of every error here: `missing`, `denied`, `outside` (a link leaves the root),
  // `not_a_file`, `too_large`, `not_utf8` (read_text), `io`. Messages name the relative path only.
  static Result<RootFolder> open(const std::filesystem::path& path,
                                 Resolver resolver = Resolver::kAuto);
  RootFolder(RootFolder&&) noexcept;
  RootFolder& operator=(RootFolder&&) noexcept;
  ~RootFolder();

  Result<FileStamp> stat(std::string_view relative) const;
  // The same with more detail: links are followed, and only inside the root.
  Result<FileStatus> status(std::string_view relative) const;
  // The entry itself, in one system call: its last link is not followed, links before it are not
  // confined. Only for comparing stamps and for telling links from files; never a reason to trust
  // what lies there.
  Result<FileStatus> peek(std::string_view relative) const;
  // Unsorted; `.` and `..` left out.
  Result<std::vector<DirectoryEntry>> list(std::string_view relative) const;
  // The same without resolving links (their kind is kOther): no system call per entry.
  Result<std::vector<DirectoryEntry>> list_unresolved(std::string_view relative) const;
  Result<FileBytes> read(std::string_view relative, uint64_t max_bytes) const;
  Result<FileBytes> read_text(std::string_view relative, uint64_t max_bytes) const;  // valid UTF-8
  // The first bytes of a file of any size.
  Result<FileBytes> read_head(std::string_view relative, uint64_t count) const;
  // At most `count` bytes from `offset` on, of a file of any size; fewer, or none, at its end.
  Result<FileBytes> read_part(std::string_view relative, uint64_t offset, uint64_t count) const;
  // Replaces or creates atomically (temporary file beside it, fsync, rename); parents must exist.
  // Mode is kept when the file existed; a link stays and its target is replaced.
  Result<void> write(std::string_view relative, std::string_view bytes) const;
  // A directory file descriptor below the root, for watching. The caller closes it.
  Result<int> open_directory(std::string_view relative) const;
  // The root's own descriptor (O_PATH): it pins the folder's identity while this object lives.
  int descriptor() const { return fd_; }

 private:
  RootFolder(int fd, Resolver resolver) : fd_(fd), resolver_(resolver) {}
  Result<FileBytes> read_up_to(std::string_view relative, uint64_t max_bytes, bool cut,
                               uint64_t offset = 0) const;

  int fd_ = -1;
  Resolver resolver_ = Resolver::kAuto;
};

// The clock that file systems stamp with.
int64_t file_clock_ns();

// What a path of our own configuration leads to, links followed. Codes as above.
Result<FileStatus> path_status(const std::filesystem::path& path);

}  // namespace iii
