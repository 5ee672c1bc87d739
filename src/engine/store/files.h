// The few file operations the store needs before SQLite takes over.
#pragma once

#include <filesystem>

#include "base/result.h"

namespace iii::engine {

// Creates the folder and its missing parents with mode 0700, durably.
Result<void> make_private_directory(const std::filesystem::path& directory);
// Creates an empty file with mode 0600 if there is none, durably.
Result<void> make_private_file(const std::filesystem::path& directory, const char* name);
// Takes the lock that keeps a second process out of the folder; the descriptor holds it.
Result<int> lock_directory(const std::filesystem::path& directory);

}  // namespace iii::engine
