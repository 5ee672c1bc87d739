// What `GET /metrics` tells, as a value and as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bus/engine/embedded.h"
#include "directory/reading/status.h"
#include "foundation/base/metrics.h"
#include "foundation/base/process_usage.h"

namespace iii::daemon {

struct FunctionMetrics {
  std::string id;
  std::string name_space;
  uint64_t calls = 0;
  uint64_t errors = 0;
  LatencyTotals latencies;
};

struct BusMetrics {
  uint64_t calls = 0;
  uint64_t errors = 0;
  std::vector<std::pair<std::string, uint64_t>> errors_by_code;
  std::vector<FunctionMetrics> functions;               // those with the most calls
  FunctionMetrics others;                               // everything else together
  std::vector<std::pair<std::string, uint64_t>> fired;  // by trigger type
  uint64_t in_flight = 0;
  uint64_t connections = 0;
  uint64_t held_bytes = 0;
  uint64_t waiting_writes = 0;
  bool stores = true;
};

struct Metrics {
  std::string version;
  std::string mode;
  BusMetrics bus;
  std::optional<directory::DirectoryStats> directory;  // nothing: --engine-only, or not there yet
  uint64_t http_connections = 0;
};

// Functions that are told apart; the others are `other`, so that the text stays small.
inline constexpr size_t kMostFunctions = 200;

// On the loop thread; copies a bounded number of counters.
BusMetrics bus_metrics(engine::Embedded& embedded, size_t most = kMostFunctions);

// On any thread.
std::string metrics_text(const Metrics& metrics, const ProcessUsage& process);

}  // namespace iii::daemon
