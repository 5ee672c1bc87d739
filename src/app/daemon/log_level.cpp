#include "app/daemon/log_level.h"

#include <array>
#include <optional>
#include <utility>

#include "directory/table/function_table.h"
#include "foundation/json/describe.h"

namespace iii::daemon {

namespace {

constexpr const char* kAboutLogLevel =
    "What this process logs: without `level` it tells the present level, with `level` it changes "
    "it "
    "at once. The change lasts until the next one or the end of the process; to keep it, set the "
    "key `log_level` of the configuration. `debug` adds connections, refused calls, registrations "
    "and refreshes of the index. For operators.";

constexpr std::array kLevels{std::pair{LogLevel::kDebug, "debug"},
                             std::pair{LogLevel::kInfo, "info"}, std::pair{LogLevel::kWarn, "warn"},
                             std::pair{LogLevel::kError, "error"}};

struct LogLevelInput {
  std::optional<std::string> level;
};
struct LogLevelOutput {
  std::string level;
  std::optional<std::string> before;
};

auto describe(json::Type<LogLevelInput>) {
  using T = LogLevelInput;
  return json::object<T>("DirectoryLogLevelInput", "",
                         json::field("level", &T::level,
                                     "`debug`, `info`, `warn`, `error` or `off`. Absent: the level "
                                     "stays as it is."));
}
auto describe(json::Type<LogLevelOutput>) {
  using T = LogLevelOutput;
  return json::object<T>(
      "DirectoryLogLevelOutput", "",
      json::field("level", &T::level, "What is logged now: this level and those above it."),
      json::field("before", &T::before, "What it was before, when it was set."));
}

Result<LogLevelOutput> log_level(const LogLevelInput& in) {
  const std::string before(log_level_now());
  if (!in.level) return LogLevelOutput{.level = before, .before = {}};
  const auto level = parse_log_level(*in.level);
  if (!level) {
    return fail("invalid_level",
                "there is no such level. Next: pass debug, info, warn, error or off.");
  }
  set_log_level(*level);
  log_at(LogLevel::kInfo, "log level {} (was {})", *in.level, before);
  return LogLevelOutput{.level = *in.level, .before = before};
}

}  // namespace

std::string_view log_level_now() {
  for (const auto& [level, word] : kLevels) {
    if (log_enabled(level)) return word;
  }
  return "off";
}

void add_log_level(directory::FunctionTable& table) {
  table.add<LogLevelInput, LogLevelOutput>({.id = "directory::log-level",
                                            .title = "Log level",
                                            .description = kAboutLogLevel,
                                            .hints = {.idempotent = true, .operators_only = true}},
                                           log_level);
}

}  // namespace iii::daemon
