// directory::health — is the directory there, which one is it, and how fresh can it be?
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "foundation/task/task.h"

namespace iii::directory {

class FunctionTable;
class Library;

struct HealthFacts {
  std::string version;
  std::string mode;  // `serve` or `worker`
  std::chrono::steady_clock::time_point started;
  // Why the engine in this process does not store what it is given; nothing: it does.
  std::function<std::optional<std::string>()> trouble = {};
  // Which configured folders have vanished; nothing: none. May be empty.
  std::function<task::Task<std::optional<std::string>>()> folders = {};
  // Where downloads are written; may be empty.
  std::function<std::filesystem::path()> skills_folder = {};
};

// `library` outlives the table.
void add_health(FunctionTable& table, Library& library, HealthFacts facts);

}  // namespace iii::directory
