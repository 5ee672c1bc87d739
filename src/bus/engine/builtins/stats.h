// `engine::stats`: how the bus is used, from the counters of call_stats.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bus/engine/builtin.h"
#include "bus/engine/builtins/catalog.h"

namespace iii::engine {

struct StatsQuery {
  size_t window = 60;  // seconds
  bool functions = true;
  std::string prefix = {};  // of the functions' ids
  size_t limit = 100;       // functions
};

// How one function is used. Rates and quantiles are those of recent calls.
struct FunctionUse {
  std::string function_id;
  std::string name_space;
  uint64_t calls = 0;
  uint64_t errors = 0;
  double rate = 0;        // calls per second
  double error_rate = 0;  // share of the calls
  std::optional<double> p50_ms;
  std::optional<double> p99_ms;
  std::vector<uint32_t> points;  // calls in each of the last seconds, oldest first
};

struct TypeUse {
  std::string id;
  uint64_t fired = 0;
};

struct BusStats {
  int64_t at = 0;  // ms since 1970
  int64_t uptime_s = 0;
  uint64_t calls_total = 0;
  uint64_t errors_total = 0;
  uint64_t in_flight = 0;
  uint64_t connections = 0;
  std::vector<SecondOfCalls> samples;  // oldest first
  std::vector<FunctionUse> functions;  // those that are called most often first
  std::vector<TypeUse> trigger_types;  // those of the engine itself
};

// A second that is over, and what is going on now.
struct BusSample {
  uint64_t second = 0;  // its number since the engine started
  int64_t at = 0;       // when it began, in ms since 1970
  uint64_t calls = 0;
  uint64_t errors = 0;
  std::optional<double> p50_ms;
  std::optional<double> p99_ms;
  uint64_t in_flight = 0;
  uint64_t connections = 0;
};

BusStats bus_stats(Engine& engine, const StatsQuery& query);
// The seconds from number `from` on that are over, the last ten at most, oldest first; without a
// number the last one.
std::vector<BusSample> bus_samples(Engine& engine, std::optional<uint64_t> from);

std::vector<BuiltinFunction> stats_functions(Engine& engine);

}  // namespace iii::engine
