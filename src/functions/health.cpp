#include "functions/health.h"

#include "json/describe.h"

namespace iii::functions {

namespace {

struct HealthInput {};
struct HealthOutput {
  std::string status;
  std::string version;
  std::string mode;
  int64_t uptime_ms = 0;
};

auto describe(json::Type<HealthInput>) {
  return json::object<HealthInput>("DirectoryHealthInput", "Nothing is needed.");
}

auto describe(json::Type<HealthOutput>) {
  using T = HealthOutput;
  return json::object<T>(
      "DirectoryHealthOutput", "How the directory is.",
      json::field("status", &T::status, "`ok` when it can answer."),
      json::field("version", &T::version, "Of iii-directory."),
      json::field("mode", &T::mode, "`serve`: with its own engine; `worker`: on another."),
      json::field("uptime_ms", &T::uptime_ms, "Since the process started."));
}

}  // namespace

void add_health(sdk::Worker& worker, HealthFacts facts) {
  const auto health = [facts = std::move(facts)](const HealthInput&) {
    const auto up = std::chrono::steady_clock::now() - facts.started;
    return HealthOutput{
        .status = "ok",
        .version = facts.version,
        .mode = facts.mode,
        .uptime_ms = std::chrono::duration_cast<std::chrono::milliseconds>(up).count()};
  };
  static_cast<void>(worker.function(
      "directory::health", "Tells whether the directory is well, and its version.", health));
}

}  // namespace iii::functions
