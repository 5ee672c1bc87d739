#include "functions/health.h"

#include <utility>

#include "json/describe.h"

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
};
struct HealthOutput {
  std::string status;
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
      json::field("generation", &T::generation, "Grows with every change on disk."),
      json::field("skills", &T::skills, ""), json::field("prompts", &T::prompts, ""),
      json::field("skipped", &T::skipped, "Documents that are not served; see directory::doctor."),
      json::field("watching", &T::watching, "False: every call looks at the disk by itself."),
      json::field("fallback", &T::fallback, "Why not everything is watched."));
}
auto describe(json::Type<HealthOutput>) {
  using T = HealthOutput;
  return json::object<T>(
      "DirectoryHealthOutput", "How the directory is.",
      json::field("status", &T::status, "`ok` when it can answer."),
      json::field("version", &T::version, "Of iii-directory."),
      json::field("mode", &T::mode, "`serve`: with its own engine; `worker`: on another."),
      json::field("uptime_ms", &T::uptime_ms, "Since the process started."),
      json::field("content", &T::content, "What it serves."));
}

ContentHealth health_of(content::Content& content) {
  const content::GenerationPtr now = content.fresh();
  const content::ContentStatus status = content.status();
  ContentHealth out{.generation = now->number,
                    .skills = now->skills.size(),
                    .prompts = now->prompts.size(),
                    .skipped = now->accounting.skipped,
                    .watching = status.watching,
                    .fallback = {}};
  if (!status.fallback_reason.empty()) out.fallback = status.fallback_reason;
  return out;
}

}  // namespace

void add_health(sdk::Worker& worker, content::Content& content, HealthFacts facts) {
  const auto health = [&content, facts = std::move(facts)](const HealthInput&) {
    const auto up = std::chrono::steady_clock::now() - facts.started;
    return HealthOutput{
        .status = "ok",
        .version = facts.version,
        .mode = facts.mode,
        .uptime_ms = std::chrono::duration_cast<std::chrono::milliseconds>(up).count(),
        .content = health_of(content)};
  };
  static_cast<void>(worker.function(
      "directory::health", "Tells whether the directory is well, and its version.", health));
}

}  // namespace iii::directory
