// What an MCP server shows, and where it gets it from.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace iii::directory {
class EngineClient;
class FunctionCatalog;
class FunctionTable;
class Library;
class SkillSearch;
}  // namespace iii::directory

namespace iii::mcp {

// Everything here outlives the server.
struct Host {
  directory::Library* library = nullptr;
  const directory::FunctionTable* functions = nullptr;
  // Search over the skills; null: there is none.
  directory::SkillSearch* search = nullptr;
  // The functions on the bus and of the directory, and their index.
  directory::FunctionCatalog* catalog = nullptr;
  // The bus; null: there is none.
  directory::EngineClient* engine = nullptr;
  // Whether the engine is there now; calls would wait otherwise.
  std::function<bool()> engine_is_there = {};
  // Id of the function that passes messages of running functions to LiveCalls; empty: none.
  std::string tell_function = {};
  // Functions of the table that cannot work here, by the beginning of their id.
  std::vector<std::string> unusable = {};
};

// Which functions are tools of their own.
enum class ToolsMode {
  kMinimal,    // none: `find`, `read` and `call`
  kDirectory,  // those of the directory
  kAll,        // those of the engine, too
};

}  // namespace iii::mcp
