#include "directory/reading/status.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "directory/library/library.h"
#include "directory/reading/changes.h"
#include "directory/table/descriptions.h"
#include "directory/table/function_table.h"
#include "foundation/base/process_usage.h"
#include "foundation/json/describe.h"

namespace iii::directory {

static auto describe(json::Type<ContentCounts>) {
  using T = ContentCounts;
  return json::object<T>("ContentCounts", "",
                         json::field("files", &T::files, "Files in the folders."),
                         json::field("skills", &T::skills, "Skills that are served."),
                         json::field("prompts", &T::prompts, "Prompts that are served."),
                         json::field("skipped", &T::skipped, "Documents that are not served."),
                         json::field("files_with_findings", &T::files_with_findings,
                                     "Files about which directory::doctor has something to say."));
}
static auto describe(json::Type<IndexCounts>) {
  using T = IndexCounts;
  return json::object<T>(
      "IndexCounts", "",
      json::field("refreshes", &T::refreshes, "How often the folders were looked at."),
      json::field("last_refresh_ms", &T::last_refresh_ms, "How long the last time took."),
      json::field("refresh_ms", &T::refresh_ms, "How long all of them took."),
      json::field("polled_folders", &T::polled_folders,
                  "Folders that are compared with the disk, because they cannot be watched."));
}
static auto describe(json::Type<DownloadCounts>) {
  using T = DownloadCounts;
  return json::object<T>(
      "DownloadCounts", "", json::field("running", &T::running, "Downloads that have a place."),
      json::field("waiting", &T::waiting, "Downloads that wait for one."),
      json::field("done", &T::done, "Downloads that succeeded."),
      json::field("failed", &T::failed, "Downloads that failed, and left everything as it was."));
}
static auto describe(json::Type<McpUse>) {
  using T = McpUse;
  return json::object<T>("McpUse", "", json::field("sessions", &T::sessions, "Open sessions."),
                         json::field("requests", &T::requests, "Requests so far."));
}
static auto describe(json::Type<BusUse>) {
  using T = BusUse;
  return json::object<T>(
      "BusUse", "", json::field("calls", &T::calls, "Calls so far."),
      json::field("errors", &T::errors, "Of these, those that ended with an error."),
      json::field("in_flight", &T::in_flight, "Calls that are not answered yet."),
      json::field("connections", &T::connections, "Workers that are connected."));
}
static auto describe(json::Type<DirectoryStats>) {
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

DirectoryStats stats_now(const StatusSources& sources) {
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

namespace {

constexpr const char* kAboutStats =
    "Numbers about the directory for operators: documents and findings, how often and how fast the "
    "index was brought up to date, downloads, watches, memory, MCP, and the totals of the bus when "
    "its engine is in the same process (engine::stats has more about it). They are what is known "
    "at the moment; the folders are not looked at. For a verdict call directory::health.";

struct StatsInput {};

auto describe(json::Type<StatsInput>) {
  return json::object<StatsInput>("DirectoryStatsInput", "");
}

struct HealthInput {};
struct ContentHealth {
  uint64_t generation = 0;
  uint64_t skills = 0;
  uint64_t prompts = 0;
  uint64_t skipped = 0;
  bool watching = false;
  std::optional<std::string> fallback;
  uint64_t polled_folders = 0;
};
struct HealthOutput {
  std::string status;
  std::optional<std::string> problem;
  std::string version;
  std::string mode;
  int64_t uptime_ms = 0;
  ContentHealth content;
};

auto describe(json::Type<HealthInput>) {
  return json::object<HealthInput>("DirectoryHealthInput", "");
}
auto describe(json::Type<ContentHealth>) {
  using T = ContentHealth;
  return json::object<T>(
      "ContentHealth", "",
      json::field("generation", &T::generation,
                  "Number of the present state; grows with every change."),
      json::field("skills", &T::skills, "Skills that are served."),
      json::field("prompts", &T::prompts, "Prompts that are served."),
      json::field("skipped", &T::skipped,
                  "Documents that are not served; directory::doctor says why."),
      json::field("watching", &T::watching,
                  "Changes on disk are reported by the kernel. false: calls compare the files."),
      json::field("fallback", &T::fallback,
                  "Why not everything is watched; absent when everything is."),
      json::field("polled_folders", &T::polled_folders,
                  "Folders that are compared with the disk, because they cannot be watched."));
}
auto describe(json::Type<HealthOutput>) {
  using T = HealthOutput;
  return json::object<T>(
      "DirectoryHealthOutput", "State of the directory.",
      json::field(
          "status", &T::status,
          "`ok`, or `degraded`: calls are answered, but the engine in this process does not "
          "store what it is given, a folder of skills has vanished, or the skills folder cannot "
          "be written."),
      json::field("problem", &T::problem, "Why the status is `degraded`."),
      json::field("version", &T::version, "Version of iii-directory."),
      json::field("mode", &T::mode,
                  "`serve`: with an embedded engine; `worker`: connected to another engine."),
      json::field("uptime_ms", &T::uptime_ms, "Milliseconds since the process started."),
      json::field("content", &T::content, "Documents that are served."));
}

// The folder, or the one in which it would be created. The text has no path of this machine.
std::optional<std::string> why_not_writable(const std::filesystem::path& path) {
  std::filesystem::path folder = std::filesystem::absolute(path);
  struct stat info{};
  while (::stat(folder.c_str(), &info) != 0 && errno == ENOENT && folder.has_relative_path()) {
    folder = folder.parent_path();
  }
  if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0) return std::nullopt;
  return std::string("the skills folder cannot be written (") + std::strerror(errno) +
         "), so nothing can be downloaded. Next: give the user that runs the directory the right "
         "to write there, or name another `skills_folder`.";
}

// The same numbers as directory::stats, after a look at the folders.
task::Task<HealthOutput> health_now(std::shared_ptr<const StatusSources> shared) {
  const StatusSources& sources = *shared;
  Library& library = sources.library;
  // Registrations are shown as they are known: health must not depend on who keeps them.
  co_await library.current({.filtered = false, .registered = false});
  // Counts them off the loop when there are many; the counts are remembered.
  co_await library.answer(library.latest_view(), [](const View& view) { return view.total(); });
  const content::ContentStatus status = library.status();
  DirectoryStats stats = stats_now(sources);
  std::optional<std::string> problem = sources.trouble ? sources.trouble() : std::nullopt;
  if (!problem && sources.folders) problem = co_await sources.folders();
  if (!problem && sources.skills_folder) {
    auto look = [path = sources.skills_folder()] { return why_not_writable(path); };
    problem = co_await library.on_answer_thread(std::move(look));
  }
  HealthOutput out{.status = problem ? "degraded" : "ok",
                   .problem = std::move(problem),
                   .version = std::move(stats.version),
                   .mode = std::move(stats.mode),
                   .uptime_ms = stats.uptime_ms,
                   .content = {.generation = stats.generation,
                               .skills = stats.content.skills,
                               .prompts = stats.content.prompts,
                               .skipped = stats.content.skipped,
                               .watching = status.watching,
                               .fallback = {},
                               .polled_folders = status.polled_folders}};
  if (!status.fallback_reason.empty()) out.content.fallback = status.fallback_reason;
  co_return out;
}

}  // namespace

void add_status(FunctionTable& table, StatusSources sources) {
  const auto shared = std::make_shared<const StatusSources>(std::move(sources));
  table.add<HealthInput, HealthOutput>({.id = "directory::health",
                                        .title = "Health",
                                        .description = about::kHealth,
                                        .hints = kReadOnly},
                                       [shared](const HealthInput&) { return health_now(shared); });
  table.add<StatsInput, DirectoryStats>({.id = "directory::stats",
                                         .title = "Statistics",
                                         .description = kAboutStats,
                                         .hints = kReadOnly},
                                        [shared](const StatsInput&) { return stats_now(*shared); });
}

}  // namespace iii::directory
