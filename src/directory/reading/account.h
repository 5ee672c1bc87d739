// directory::account: every file of every folder, in columns that add up.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

#include "directory/reading/browse.h"
#include "directory/reading/inspect.h"

namespace iii::directory {

class FunctionTable;
class Library;

// Where a root lies. Called on the loop thread.
using FolderPath = std::function<std::filesystem::path(uint16_t root)>;

// `library` outlives the table.
void add_account(FunctionTable& table, Library& library, FolderNames folders, FolderPath path_of);

}  // namespace iii::directory
