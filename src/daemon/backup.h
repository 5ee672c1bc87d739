// directory::backup: a copy of what the engine in this process stores, made while it runs.
#pragma once

#include <filesystem>
#include <optional>

#include "engine/embedded.h"
#include "library/library.h"

namespace iii::directory {
class FunctionTable;
}

namespace iii::daemon {

// How many copies are kept in the folder `backups` of the data folder.
inline constexpr size_t kKeptBackups = 7;

// `embedded` and `library` outlive the table. Without a data folder every call is refused.
void add_backup(directory::FunctionTable& table, engine::Embedded& embedded,
                directory::Library& library, std::optional<std::filesystem::path> data);

}  // namespace iii::daemon
