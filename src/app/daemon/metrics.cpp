#include "app/daemon/metrics.h"

#include <algorithm>

namespace iii::daemon {

namespace {

constexpr std::string_view kOther = "other";

void write_functions(MetricsText& out, const BusMetrics& bus) {
  const auto each = [&bus](const auto& write) {
    for (const FunctionMetrics& function : bus.functions) write(function);
    write(bus.others);
  };
  out.family("iii_function_calls_total", "counter",
             "Calls by function since it was registered; `other`: those that are not listed.");
  each([&](const auto& f) {
    out.sample(f.calls, {{"function", f.id}, {"namespace", f.name_space}});
  });
  out.family("iii_function_errors_total", "counter",
             "Calls that ended with an error, by function.");
  each([&](const auto& f) {
    out.sample(f.errors, {{"function", f.id}, {"namespace", f.name_space}});
  });
  out.family("iii_function_duration_seconds", "histogram",
             "Time from a call to its answer, by function.");
  each([&](const auto& f) {
    out.histogram(f.latencies, {{"function", f.id}, {"namespace", f.name_space}});
  });
}

void write_bus(MetricsText& out, const BusMetrics& bus) {
  out.one("iii_calls_total", "counter", "Calls that are over: answered, refused or sent.",
          bus.calls);
  out.family("iii_call_errors_total", "counter", "Calls that ended with an error, by its code.");
  for (const auto& [code, count] : bus.errors_by_code) out.sample(count, {{"code", code}});
  out.one("iii_calls_in_flight", "gauge", "Calls that are not answered yet.", bus.in_flight);
  out.one("iii_connections", "gauge", "Workers that are connected.", bus.connections);
  out.one("iii_held_bytes", "gauge",
          "Bytes that connections hold: unfinished input, and output that was not taken.",
          bus.held_bytes);
  out.one("iii_store_waiting_writes", "gauge", "Writes that wait for the disk.",
          bus.waiting_writes);
  out.one("iii_store_ok", "gauge", "1 while what is written reaches the disk, else 0.",
          uint64_t{bus.stores ? 1U : 0U});
  out.family("iii_trigger_fired_total", "counter",
             "Functions called by bindings, by trigger type of the engine.");
  for (const auto& [type, count] : bus.fired) out.sample(count, {{"type", type}});
  write_functions(out, bus);
}

void write_directory(MetricsText& out, const directory::DirectoryStats& now) {
  out.one("iii_directory_generation", "gauge", "Number of the present state of the documents.",
          now.generation);
  out.one("iii_directory_skills", "gauge", "Skills that are served.", now.content.skills);
  out.one("iii_directory_prompts", "gauge", "Prompts that are served.", now.content.prompts);
  out.one("iii_directory_files", "gauge", "Files in the folders.", now.content.files);
  out.one("iii_directory_skipped_documents", "gauge", "Documents that are not served.",
          now.content.skipped);
  out.one("iii_directory_files_with_findings", "gauge", "Files that the doctor reports.",
          now.content.files_with_findings);
  out.one("iii_directory_refreshes_total", "counter", "How often the folders were looked at.",
          now.index.refreshes);
  out.one("iii_directory_refresh_seconds_total", "counter", "Time that this took.",
          now.index.refresh_ms / 1e3);
  out.one("iii_directory_watches", "gauge", "Folders that the kernel watches.", now.watches);
  out.one("iii_directory_polled_folders", "gauge", "Folders that calls compare by themselves.",
          now.index.polled_folders);
  out.one("iii_downloads_running", "gauge", "Downloads that are running.", now.downloads.running);
  out.one("iii_downloads_waiting", "gauge", "Downloads that wait for a place.",
          now.downloads.waiting);
  out.family("iii_downloads_total", "counter", "Downloads that are over.");
  out.sample(now.downloads.done, {{"result", "done"}});
  out.sample(now.downloads.failed, {{"result", "failed"}});
  if (!now.mcp) return;
  out.one("iii_mcp_sessions", "gauge", "Open MCP sessions.", now.mcp->sessions);
  out.one("iii_mcp_requests_total", "counter", "MCP requests.", now.mcp->requests);
}

// Under the names that dashboards for all kinds of programs use.
void write_process(MetricsText& out, const ProcessUsage& process) {
  out.one("process_resident_memory_bytes", "gauge", "Resident memory.", process.resident_bytes);
  out.one("process_cpu_seconds_total", "counter", "Processor time, user and system.",
          process.cpu_seconds);
  out.one("process_open_fds", "gauge", "Open file descriptors.", process.open_files);
  out.one("process_max_fds", "gauge", "Most file descriptors.", process.max_open_files);
  out.one("process_start_time_seconds", "gauge", "Start of the process, since 1970.",
          process.started_at);
}

}  // namespace

BusMetrics bus_metrics(engine::Embedded& embedded, size_t most) {
  engine::Engine& engine = embedded.engine();
  engine::CallStats& stats = engine.calls();
  BusMetrics out{.calls = stats.calls(),
                 .errors = stats.errors(),
                 .errors_by_code = {},
                 .functions = {},
                 .others = {.id = std::string(kOther), .name_space = {}},
                 .fired = {},
                 .in_flight = engine.in_flight(),
                 .connections = engine.workers().size(),
                 .held_bytes = embedded.held_bytes(),
                 .waiting_writes = embedded.waiting_writes(),
                 .stores = !embedded.trouble()};
  for (const auto& [code, count] : stats.errors_by_code()) {
    out.errors_by_code.emplace_back(code, count);
  }
  for (const engine::BuiltinTriggerType& type : engine.builtin_types()) {
    out.fired.emplace_back(type.id, type.provider->fired());
  }
  std::vector<const engine::CallRecord*> records;
  records.reserve(stats.measured().size());
  for (const auto& record : stats.measured()) records.push_back(record.get());
  const size_t shown = std::min(most, records.size());
  std::ranges::nth_element(records, records.begin() + static_cast<ptrdiff_t>(shown),
                           std::ranges::greater{}, &engine::CallRecord::calls);
  out.others.calls = out.calls;
  out.others.errors = out.errors;
  out.others.latencies = stats.released();
  for (size_t i = 0; i < records.size(); ++i) {
    const engine::CallRecord& record = *records[i];
    if (i >= shown) {
      out.others.latencies.add(record.detail->latencies());
      continue;
    }
    out.functions.push_back({.id = record.id,
                             .name_space = record.name_space,
                             .calls = record.calls,
                             .errors = record.errors,
                             .latencies = record.detail->latencies()});
    out.others.calls -= record.calls;
    out.others.errors -= record.errors;
  }
  return out;
}

std::string metrics_text(const Metrics& metrics, const ProcessUsage& process) {
  MetricsText out;
  out.family("iii_build_info", "gauge", "Always 1.");
  out.sample(uint64_t{1}, {{"version", metrics.version}, {"mode", metrics.mode}});
  write_bus(out, metrics.bus);
  out.one("iii_http_connections", "gauge", "Open HTTP connections.", metrics.http_connections);
  if (metrics.directory) write_directory(out, *metrics.directory);
  write_process(out, process);
  return out.take();
}

}  // namespace iii::daemon
