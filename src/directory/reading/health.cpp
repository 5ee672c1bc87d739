#include "directory/reading/health.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "directory/library/library.h"
#include "directory/table/descriptions.h"
#include "directory/table/function_table.h"
#include "foundation/json/describe.h"

namespace iii::directory {

namespace {

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
         "to "
         "write there, or name another `skills_folder`.";
}

task::Task<ContentHealth> health_of(Library& library) {
  // Registrations are shown as they are known: health must not depend on who keeps them.
  co_await library.current({.filtered = false, .registered = false});
  const View now = library.latest_view();
  const Counts counts = co_await library.answer(now, [](const View& v) { return v.total(); });
  const content::ContentStatus status = library.status();
  ContentHealth out{.generation = now.generation().number,
                    .skills = counts.shown(),
                    .prompts = counts.prompts,
                    .skipped = counts.unserved,
                    .watching = status.watching,
                    .fallback = {},
                    .polled_folders = status.polled_folders};
  if (!status.fallback_reason.empty()) out.fallback = status.fallback_reason;
  co_return out;
}

task::Task<HealthOutput> health_now(Library& library, std::shared_ptr<const HealthFacts> shared) {
  const HealthFacts& facts = *shared;
  ContentHealth content = co_await health_of(library);
  const auto up = std::chrono::steady_clock::now() - facts.started;
  std::optional<std::string> problem = facts.trouble ? facts.trouble() : std::nullopt;
  if (!problem && facts.folders) problem = co_await facts.folders();
  if (!problem && facts.skills_folder) {
    auto look = [path = facts.skills_folder()] { return why_not_writable(path); };
    problem = co_await library.on_answer_thread(std::move(look));
  }
  co_return HealthOutput{
      .status = problem ? "degraded" : "ok",
      .problem = std::move(problem),
      .version = facts.version,
      .mode = facts.mode,
      .uptime_ms = std::chrono::duration_cast<std::chrono::milliseconds>(up).count(),
      .content = std::move(content)};
}

}  // namespace

void add_health(FunctionTable& table, Library& library, HealthFacts facts) {
  table.add<HealthInput, HealthOutput>(
      {.id = "directory::health",
       .title = "Health",
       .description = about::kHealth,
       .hints = kReadOnly},
      [&library, shared = std::make_shared<const HealthFacts>(std::move(facts))](
          const HealthInput&) { return health_now(library, shared); });
}

}  // namespace iii::directory
