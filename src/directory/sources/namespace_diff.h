// What an update would change in the files of a namespace.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "directory/sources/downloads.h"
#include "foundation/base/result.h"

namespace iii::sources {

// Reads the disk. D310 when `path` is neither here nor in the bundle.
Result<NamespaceDiff> diff_namespace(const std::filesystem::path& skills_folder,
                                     const VerifiedNamespace& installed, const Bundle& bundle,
                                     const std::optional<std::string>& path);

}  // namespace iii::sources
