#include "directory/reading/stats.h"

#include <memory>
#include <utility>

#include "directory/library/library.h"
#include "directory/reading/changes.h"
#include "directory/table/function_table.h"
#include "foundation/base/process_usage.h"
#include "foundation/json/describe.h"

namespace iii::directory {

namespace {

constexpr const char* kAboutStats =
    "Numbers about the directory for operators: documents and findings, how often and how fast the "
    "index was brought up to date, downloads, watches, memory, MCP, and the totals of the bus when "
    "its engine is in the same process (engine::stats has more about it). They are what is known "
    "at "
    "the moment; the folders are not looked at. For a verdict call directory::health.";

struct StatsInput {};

auto describe(json::Type<StatsInput>) {
  return json::object<StatsInput>("DirectoryStatsInput", "");
}

}  // namespace

auto describe(json::Type<ContentCounts>) {
  using T = ContentCounts;
  return json::object<T>("ContentCounts", "",
                         json::field("files", &T::files, "Files in the folders."),
                         json::field("skills", &T::skills, "Skills that are served."),
                         json::field("prompts", &T::prompts, "Prompts that are served."),
                         json::field("skipped", &T::skipped, "Documents that are not served."),
                         json::field("files_with_findings", &T::files_with_findings,
                                     "Files about which directory::doctor has something to say."));
}
auto describe(json::Type<IndexCounts>) {
  using T = IndexCounts;
  return json::object<T>(
      "IndexCounts", "",
      json::field("refreshes", &T::refreshes, "How often the folders were looked at."),
      json::field("last_refresh_ms", &T::last_refresh_ms, "How long the last time took."),
      json::field("refresh_ms", &T::refresh_ms, "How long all of them took."),
      json::field("polled_folders", &T::polled_folders,
                  "Folders that are compared with the disk, because they cannot be watched."));
}
auto describe(json::Type<DownloadCounts>) {
  using T = DownloadCounts;
  return json::object<T>(
      "DownloadCounts", "", json::field("running", &T::running, "Downloads that have a place."),
      json::field("waiting", &T::waiting, "Downloads that wait for one."),
      json::field("done", &T::done, "Downloads that succeeded."),
      json::field("failed", &T::failed, "Downloads that failed, and left everything as it was."));
}
auto describe(json::Type<McpUse>) {
  using T = McpUse;
  return json::object<T>("McpUse", "", json::field("sessions", &T::sessions, "Open sessions."),
                         json::field("requests", &T::requests, "Requests so far."));
}
auto describe(json::Type<BusUse>) {
  using T = BusUse;
  return json::object<T>(
      "BusUse", "", json::field("calls", &T::calls, "Calls so far."),
      json::field("errors", &T::errors, "Of these, those that ended with an error."),
      json::field("in_flight", &T::in_flight, "Calls that are not answered yet."),
      json::field("connections", &T::connections, "Workers that are connected."));
}
auto describe(json::Type<DirectoryStats>) {
  using T = DirectoryStats;
  return json::object<T>(
      "DirectoryStatsOutput", "Numbers about the directory.",
      json::field("version", &T::version, "Version of iii-directory."),
      json::field("mode", &T::mode,
                  "`serve`: with an embedded engine; `worker`: connected to another engine."),
      json::field("uptime_ms", &T::uptime_ms, "Milliseconds since the process started."),
      json::field("generation", &T::generation,
                  "Number of the present state; grows with every change."),
      json::field("epoch", &T::epoch, "What the number belongs to; new after a restart."),
      json::field("content", &T::content, "Documents."),
      json::field("index", &T::index, "How the index of the documents is kept up to date."),
      json::field("downloads", &T::downloads, "Downloads since the start."),
      json::field("watches", &T::watches, "Folders that the kernel watches."),
      json::field("rss_bytes", &T::rss_bytes, "Resident memory of the process."),
      json::field("mcp", &T::mcp, "MCP over HTTP; absent where it is not served."),
      json::field("bus", &T::bus, "The engine in this process; absent in worker mode."));
}

DirectoryStats stats_now(const StatsSources& sources) {
  const View now = sources.library.latest_view();
  const Counts counts = now.total();
  const content::ContentStatus status = sources.library.status();
  const Library::Refreshes refreshes = sources.library.refreshes();
  const auto up = std::chrono::steady_clock::now() - sources.started;
  using Milliseconds = std::chrono::duration<double, std::milli>;
  DirectoryStats out{.version = sources.version,
                     .mode = sources.mode,
                     .uptime_ms = std::chrono::duration_cast<std::chrono::milliseconds>(up).count(),
                     .generation = now.generation().number,
                     .epoch = sources.changes.epoch(),
                     .content = {.files = now.total_on_disk().files(),
                                 .skills = counts.shown(),
                                 .prompts = counts.prompts,
                                 .skipped = counts.unserved,
                                 .files_with_findings = now.generation().findings.size()},
                     .index = {.refreshes = refreshes.count,
                               .last_refresh_ms = Milliseconds(refreshes.last).count(),
                               .refresh_ms = Milliseconds(refreshes.total).count(),
                               .polled_folders = status.polled_folders},
                     .downloads = sources.downloads(),
                     .watches = status.watches,
                     .rss_bytes = resident_bytes(),
                     .mcp = {},
                     .bus = {}};
  if (sources.mcp) out.mcp = sources.mcp();
  if (sources.bus) out.bus = sources.bus();
  return out;
}

void add_stats(FunctionTable& table, StatsSources sources) {
  table.add<StatsInput, DirectoryStats>(
      {.id = "directory::stats",
       .title = "Statistics",
       .description = kAboutStats,
       .hints = kReadOnly},
      [sources = std::move(sources)](const StatsInput&) { return stats_now(sources); });
}

}  // namespace iii::directory
