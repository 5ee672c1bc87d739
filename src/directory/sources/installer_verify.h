// Reading what an installation recorded, and comparing it with what is there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "directory/sources/file_digests.h"
#include "directory/sources/installer.h"
#include "foundation/base/files_writer.h"

namespace iii::sources {

// An empty lock when there is no file; D333 when it cannot be read.
Result<Lock> read_lock(const FolderWriter& root);
Error unreadable_lock(const Error& error);

// With `digests`, files whose hash it knows are not read again.
Result<std::vector<VerifiedNamespace>> verify_folder(const std::filesystem::path& skills_folder,
                                                     const std::optional<std::string>& name_space,
                                                     FileDigests* digests = nullptr);

}  // namespace iii::sources
