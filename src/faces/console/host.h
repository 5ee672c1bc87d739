// What the console shows, and where it gets it from.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace iii::directory {
class EngineClient;
class FunctionTable;
class Library;
}  // namespace iii::directory

namespace iii::console {

struct RootFolder {
  std::string root;    // `local`, `global`, `extra-1`
  std::string folder;  // as people write it: `~/.iii/skills`
};

struct BusCounts {
  uint64_t functions = 0;
  uint64_t workers = 0;
};

// What the bus did in a second.
struct Sample {
  uint64_t second = 0;  // its number
  int64_t at = 0;       // when it began, in milliseconds since 1970
  uint64_t calls = 0;
  uint64_t errors = 0;
  std::optional<double> p50_ms = {};  // nothing: no call was answered
  std::optional<double> p99_ms = {};
  uint64_t in_flight = 0;
  uint64_t connections = 0;
};

// What stays the same as long as the process runs.
struct Facts {
  std::string version = {};
  std::string commit = {};
  std::string address = {};  // `127.0.0.1:3111`
  std::string ws = {};       // `ws://127.0.0.1:49134`
  std::string epoch = {};    // of the generations
};

// Everything here outlives the console.
struct Host {
  directory::Library* library = nullptr;
  const directory::FunctionTable* functions = nullptr;
  directory::EngineClient* engine = nullptr;
  // Whether the engine is there now; calls would wait otherwise.
  std::function<bool()> engine_is_there = {};
  Facts facts = {};
  std::function<std::vector<RootFolder>()> roots = {};
  std::function<BusCounts()> bus = {};
  // Of the seconds from this number on that are over; without a number, of the last one.
  std::function<std::vector<Sample>(std::optional<uint64_t> from)> samples = {};
  std::function<uint64_t()> mcp_sessions = {};
  // Called when the first page begins to listen (true), and every second while one does.
  // Console::functions_changed() tells what is found.
  std::function<void(bool first)> look_at_functions = {};
};

}  // namespace iii::console
