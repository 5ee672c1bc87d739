// directory::health — is the directory there, which one is it, and how fresh can it be? And
// directory::stats — numbers for operators, from what is in memory anyway.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "directory/reading/installed.h"
#include "foundation/task/task.h"

namespace iii::directory {

class Changes;
class FunctionTable;
class Library;

struct ContentCounts {
  uint64_t files = 0;
  uint64_t skills = 0;
  uint64_t prompts = 0;
  uint64_t skipped = 0;
  uint64_t files_with_findings = 0;
};
struct IndexCounts {
  uint64_t refreshes = 0;
  double last_refresh_ms = 0;
  double refresh_ms = 0;  // all of them
  uint64_t polled_folders = 0;
};
struct McpUse {
  uint64_t sessions = 0;
  uint64_t requests = 0;
};
struct BusUse {
  uint64_t calls = 0;
  uint64_t errors = 0;
  uint64_t in_flight = 0;
  uint64_t connections = 0;
};

struct DirectoryStats {
  std::string version;
  std::string mode;
  int64_t uptime_ms = 0;
  uint64_t generation = 0;
  std::string epoch;
  ContentCounts content;
  IndexCounts index;
  DownloadCounts downloads;
  uint64_t watches = 0;
  uint64_t rss_bytes = 0;
  std::optional<McpUse> mcp;
  std::optional<BusUse> bus;
};

// All of them outlive the table; functions may be empty, except `downloads`.
struct StatusSources {
  Library& library;
  std::function<DownloadCounts()> downloads;
  const Changes& changes;
  std::string version;
  std::string mode;  // `serve` or `worker`
  std::chrono::steady_clock::time_point started;
  // Of this process.
  std::function<McpUse()> mcp = {};
  std::function<BusUse()> bus = {};
  // Why the engine in this process does not store what it is given; nothing: it does.
  std::function<std::optional<std::string>()> trouble = {};
  // Which configured folders have vanished; nothing: none.
  std::function<task::Task<std::optional<std::string>>()> folders = {};
  // Where downloads are written.
  std::function<std::filesystem::path()> skills_folder = {};
};

// Counts the documents once per generation; costs microseconds otherwise.
DirectoryStats stats_now(const StatusSources& sources);

void add_status(FunctionTable& table, StatusSources sources);

}  // namespace iii::directory
