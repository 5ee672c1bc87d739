// SHA-256 of files. What was computed is remembered for the whole process by the stamp of the file,
// so that a file is read once for all who ask. From any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "foundation/base/files.h"

namespace iii {

class FolderWriter;

struct FileDigest {
  std::string sha256;       // hexadecimal
  bool is_program = false;  // begins with `#!`
  uint64_t size = 0;
};

// Of a file with this stamp, when it was computed before.
std::optional<FileDigest> known_digest(const FileStamp& stamp);

// Of the file as it is now, or as it is remembered. `stamp` is what it was found with. Code
// `too_large`, and those of RootFolder.
Result<FileDigest> file_digest(const RootFolder& root, const std::string& path,
                               const FileStamp& stamp, uint64_t max_bytes);
// The same of a file of any size where no link is followed. Codes of FolderWriter.
Result<FileDigest> file_digest(const FolderWriter& root, const std::string& path,
                               const FileStamp& stamp);
// Always reads the file, and remembers nothing.
Result<FileDigest> read_digest(const FolderWriter& root, const std::string& path);

}  // namespace iii
