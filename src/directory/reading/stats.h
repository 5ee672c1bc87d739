// directory::stats — numbers for operators, from what is in memory anyway.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "directory/reading/installed.h"

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

// All of them outlive the table.
struct StatsSources {
  Library& library;
  std::function<DownloadCounts()> downloads;
  const Changes& changes;
  std::string version;
  std::string mode;
  std::chrono::steady_clock::time_point started;
  // Of this process; may be empty.
  std::function<McpUse()> mcp = {};
  std::function<BusUse()> bus = {};
};

// Counts the documents once per generation; costs microseconds otherwise.
DirectoryStats stats_now(const StatsSources& sources);

void add_stats(FunctionTable& table, StatsSources sources);

}  // namespace iii::directory
