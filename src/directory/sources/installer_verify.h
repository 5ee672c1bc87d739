// Reading what an installation recorded, and comparing it with what is there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "directory/sources/installer.h"
#include "foundation/base/files_writer.h"

namespace iii::sources {

// An empty lock when there is no file; D333 when it cannot be read.
Result<Lock> read_lock(const FolderWriter& root);
Error unreadable_lock(const Error& error);

// `by_stamp`: files whose digest is known by their stamp are not read again.
Result<std::vector<VerifiedNamespace>> verify_folder(const std::filesystem::path& skills_folder,
                                                     const std::optional<std::string>& name_space,
                                                     bool by_stamp = false);

}  // namespace iii::sources
