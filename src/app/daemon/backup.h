// directory::backup: a copy of what the engine in this process stores, made while it runs.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

namespace iii::directory {
class FunctionTable;
class Library;
}  // namespace iii::directory

namespace iii::engine {
class Embedded;
}

namespace iii::daemon {

// How many copies are kept in the folder `backups` of the data folder.
inline constexpr size_t kKeptBackups = 7;

// `embedded` and `library` outlive the table. Without a data folder every call is refused.
void add_backup(directory::FunctionTable& table, engine::Embedded& embedded,
                directory::Library& library, std::optional<std::filesystem::path> data);

}  // namespace iii::daemon
