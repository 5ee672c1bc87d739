// The one way this project touches files that other people put somewhere: below a root, never outside it.
//
// Paths are relative to the root, UTF-8 or not, without `..`. Links are followed only while they stay inside
// the root (openat2 RESOLVE_BENEATH; on kernels without it, component by component with the same result).
// FIFOs, devices and sockets are refused before they could block. Sizes are checked before reading.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace iii {

// What identifies a version of a file: equal stamps mean equal content, unless it was written within the
// clock's granularity of being looked at (see FileStamp::settled).
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

enum class EntryKind { kFile, kDirectory, kOther, kDangling };

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
  // Codes of every error here: `missing`, `denied`, `outside` (a link leaves the root), `not_a_file`,
  // `too_large`, `not_utf8` (read_text), `io`. Messages name the relative path only.
  static Result<RootFolder> open(const std::filesystem::path& path);
  RootFolder(RootFolder&&) noexcept;
  RootFolder& operator=(RootFolder&&) noexcept;
  ~RootFolder();

  Result<FileStamp> stat(std::string_view relative) const;
  // Unsorted; `.` and `..` left out.
  Result<std::vector<DirectoryEntry>> list(std::string_view relative) const;
  Result<FileBytes> read(std::string_view relative, uint64_t max_bytes) const;
  Result<FileBytes> read_text(std::string_view relative, uint64_t max_bytes) const;  // valid UTF-8
  // Replaces or creates atomically (temporary file beside it, fsync, rename); parents must exist. Mode is
  // kept when the file existed.
  Result<void> write(std::string_view relative, std::string_view bytes) const;
  // A directory file descriptor below the root, for watching. The caller closes it.
  Result<int> open_directory(std::string_view relative) const;

 private:
  explicit RootFolder(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace iii
