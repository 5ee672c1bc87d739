// `directory.lock` as it lies in a folder, and the files that it names compared with those there.
#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "directory/sources/installer.h"
#include "foundation/base/files_writer.h"

namespace iii::sources {

Error unreadable_lock(const Error& error);
Error read_failed(const Error& error);  // D330

// Parses each version of the lock once. From any thread.
class LockReader {
 public:
  // An empty lock when there is no file; D333 when it cannot be read.
  Result<LockPtr> read(const FolderWriter& root);

 private:
  std::mutex mutex_;
  LockPtr lock_;
  std::string hash_;                // of the text that `lock_` was parsed from
  std::optional<FileStamp> stamp_;  // of the file, once it tells versions apart
};

// Runs `work` on the folder and its lock when no swap is under way, again when one began meanwhile.
// D331 when that takes too long.
using ReadWork = std::function<Result<void>(const FolderWriter& root, const Lock& lock)>;
Result<void> read_whole(const std::filesystem::path& skills_folder, LockReader& reader,
                        const ReadWork& work);

// Of one namespace, or of all that the lock names. Files whose hash is known are not read again.
Result<std::vector<VerifiedNamespace>> verify_files(const FolderWriter& root, const Lock& lock,
                                                    const std::optional<std::string>& name_space);

}  // namespace iii::sources
