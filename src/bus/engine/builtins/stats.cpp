#include "bus/engine/builtins/stats.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bus/engine/builtins/in_process.h"
#include "bus/engine/engine.h"

namespace iii::engine {

namespace {

constexpr size_t kMostSamples = 10;
constexpr size_t kMostFunctions = 500;

constexpr const char* kAboutStats =
    "How the bus is used: calls, errors and latency in each of the last seconds, and for each "
    "function that has been called since it was registered. A call counts in the second in which "
    "it "
    "is over. For one function: functions = its id.";

struct StatsInput {
  size_t window = StatsQuery{}.window;
  std::optional<json::Raw> functions;
  size_t limit = StatsQuery{}.limit;
};

auto describe(json::Type<StatsInput>) {
  using T = StatsInput;
  return json::object<T>(
      "StatsInput", "",
      json::field("window", &T::window, "How many of the last seconds `samples` is about.")
          .optional()
          .range(1, CallStats::kSeconds),
      json::field("functions", &T::functions,
                  "true (as when absent): the functions that are called most often. A string: "
                  "those whose id begins with it. false: none."),
      json::field("limit", &T::limit, "Most functions in the answer.")
          .optional()
          .range(1, kMostFunctions));
}

Result<StatsQuery> query_of(const StatsInput& in) {
  StatsQuery query{.window = in.window, .limit = in.limit};
  if (!in.functions) return query;
  const json::Slice functions = in.functions->text;
  if (json::kind_of(functions) == json::Kind::kBoolean) {
    query.functions = functions == "true";
  } else if (json::kind_of(functions) == json::Kind::kString) {
    query.prefix = json::string_of(functions);
  } else {
    return fail("deserialization_error",
                "Failed to deserialize input for engine::stats: `functions` is a boolean, or the "
                "beginning of ids as a string.");
  }
  return query;
}

std::optional<double> quantile_ms(const LatencyHistogram& latencies, double q) {
  if (latencies.count() == 0) return std::nullopt;
  return double(latencies.quantile(q).count()) / 1e3;
}

FunctionUse use_of(const CallRecord& record, uint64_t second) {
  const CallDetail& detail = *record.detail;
  const auto points = detail.points(second);
  return {.function_id = record.id,
          .name_space = record.name_space,
          .calls = record.calls,
          .errors = record.errors,
          .rate = detail.rate(second),
          .error_rate = std::round(detail.error_rate() * 1e4) / 1e4,
          .p50_ms = quantile_ms(detail.recent(), 0.5),
          .p99_ms = quantile_ms(detail.recent(), 0.99),
          .points = {points.begin(), points.end()}};
}

std::vector<FunctionUse> functions_of(const CallStats& stats, uint64_t second,
                                      const StatsQuery& query) {
  struct Candidate {
    double rate;
    const CallRecord* record;
  };
  std::vector<Candidate> found;
  for (const auto& record : stats.measured()) {
    if (!record->id.starts_with(query.prefix)) continue;
    found.push_back({record->detail->rate(second), record.get()});
  }
  const auto count = static_cast<ptrdiff_t>(std::min(query.limit, found.size()));
  std::ranges::partial_sort(found, found.begin() + count, [](const auto& a, const auto& b) {
    if (a.rate != b.rate) return a.rate > b.rate;
    if (a.record->calls != b.record->calls) return a.record->calls > b.record->calls;
    return std::tie(a.record->id, a.record->name_space) <
           std::tie(b.record->id, b.record->name_space);
  });
  std::vector<FunctionUse> out;
  for (ptrdiff_t i = 0; i < count; ++i) out.push_back(use_of(*found[size_t(i)].record, second));
  return out;
}

}  // namespace

auto describe(json::Type<SecondOfCalls>) {
  using T = SecondOfCalls;
  return json::object<T>(
      "SecondOfCalls", "One second.",
      json::field("at", &T::at, "When it began, in milliseconds since 1970."),
      json::field("calls", &T::calls, "Calls that ended in it."),
      json::field("errors", &T::errors, "Of these, those that ended with an error."),
      json::field("p50_ms", &T::p50_ms,
                  "Half of the answers took at most so long. Absent when there was none."),
      json::field("p99_ms", &T::p99_ms, "99 % of the answers took at most so long."));
}

auto describe(json::Type<FunctionUse>) {
  using T = FunctionUse;
  return json::object<T>(
      "FunctionUse", "One function.",
      json::field("function_id", &T::function_id, "Id of the function."),
      json::field("namespace", &T::name_space, "Its namespace."),
      json::field("calls", &T::calls, "Calls since it was registered."),
      json::field("errors", &T::errors, "Of these, those that ended with an error."),
      json::field("rate", &T::rate, "Calls per second, over the last ten seconds."),
      json::field("error_rate", &T::error_rate, "Share of errors among recent calls, 0 to 1."),
      json::field("p50_ms", &T::p50_ms,
                  "Half of the recent answers took at most so long. Recent: about the last twenty "
                  "seconds, or the last few dozen calls. Absent when it was never answered."),
      json::field("p99_ms", &T::p99_ms, "99 % of the recent answers took at most so long."),
      json::field("points", &T::points, "Calls in each of the last 40 seconds, oldest first."));
}

auto describe(json::Type<TypeUse>) {
  using T = TypeUse;
  return json::object<T>("TypeUse", "One trigger type of the engine.",
                         json::field("id", &T::id, "Id of the type."),
                         json::field("fired", &T::fired, "Functions that its bindings called."));
}

auto describe(json::Type<BusStats>) {
  using T = BusStats;
  return json::object<T>(
      "StatsOutput", "How the bus is used.",
      json::field("at", &T::at, "Now, in milliseconds since 1970."),
      json::field("uptime_s", &T::uptime_s, "Seconds since the engine started."),
      json::field("calls_total", &T::calls_total, "Calls since then."),
      json::field("errors_total", &T::errors_total, "Of these, those that ended with an error."),
      json::field("in_flight", &T::in_flight, "Calls that are not answered yet."),
      json::field("connections", &T::connections, "Workers that are connected."),
      json::field("samples", &T::samples, "The last seconds that are over, oldest first."),
      json::field("functions", &T::functions,
                  "Functions that have been called, those with the most calls now first."),
      json::field("trigger_types", &T::trigger_types,
                  "The engine's own trigger types. It does not know what those of workers do."));
}

BusStats bus_stats(Engine& engine, const StatsQuery& query) {
  CallStats& stats = engine.calls();
  const SteadyTime now = engine.timers().now();
  const int64_t wall_ms = engine.timers().wall_ms();
  BusStats out{.at = wall_ms,
               .uptime_s = stats.up(now).count(),
               .calls_total = stats.calls(),
               .errors_total = stats.errors(),
               .in_flight = engine.in_flight(),
               .connections = engine.workers().size(),
               .samples = stats.seconds(now, wall_ms, query.window),
               .functions = {},
               .trigger_types = {}};
  if (query.functions) out.functions = functions_of(stats, stats.second(now), query);
  for (const BuiltinTriggerType& type : engine.builtin_types()) {
    out.trigger_types.push_back({type.id, type.provider->fired()});
  }
  return out;
}

std::vector<BusSample> bus_samples(Engine& engine, std::optional<uint64_t> from) {
  const SteadyTime now = engine.timers().now();
  const uint64_t present = engine.calls().second(now);
  const uint64_t missed = from ? present - std::min(*from, present) : 1;
  const auto rows = engine.calls().seconds(now, engine.timers().wall_ms(),
                                           std::min<uint64_t>(missed, kMostSamples));
  std::vector<BusSample> out;
  uint64_t second = present - rows.size();
  for (const SecondOfCalls& row : rows) {
    out.push_back({.second = second++,
                   .at = row.at,
                   .calls = row.calls,
                   .errors = row.errors,
                   .p50_ms = row.p50_ms,
                   .p99_ms = row.p99_ms,
                   .in_flight = engine.in_flight(),
                   .connections = engine.workers().size()});
  }
  return out;
}

namespace {

Task<Outcome> answer_stats(Engine& engine, Turns& turns, StatsInput in) {
  const Result<StatsQuery> query = query_of(in);
  if (!query) co_return std::unexpected(query.error());
  const BusStats found = bus_stats(engine, *query);
  co_return co_await Catalog::written(turns, found.functions.size(),
                                      [&]() -> Outcome { return json::encode(found); });
}

}  // namespace

std::vector<BuiltinFunction> stats_functions(Engine& engine) {
  BuiltinFunction stats =
      task_builtin<StatsInput>(engine, std::string(kEngineFunctions), "engine::stats", kAboutStats,
                               [&engine](Turns& turns, StatsInput in) {
                                 return answer_stats(engine, turns, std::move(in));
                               });
  stats.response_schema = json::schema<BusStats>();
  // Lists stay those of the public engine that older peers know.
  stats.listed = false;
  std::vector<BuiltinFunction> out;
  out.push_back(std::move(stats));
  return out;
}

}  // namespace iii::engine
