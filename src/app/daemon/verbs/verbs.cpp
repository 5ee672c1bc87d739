#include "app/daemon/verbs/verbs.h"

#include <algorithm>
#include <array>
#include <utility>

#include "faces/cli/trigger.h"

namespace iii::daemon {

namespace {

constexpr auto kRunners = std::to_array<std::pair<std::string_view, RunVerb>>({
    {"serve", run_serve},
    {"mcp", run_mcp},
    {"list", run_list},
    {"show", run_show},
    {"why", run_why},
    {"index", run_index},
    {"search", run_search},
    {"prompts", run_prompts},
    {"prompt", run_prompt},
    {"registry", run_registry},
    {"watch", run_watch},
    {"doctor", run_doctor},
    {"add", run_add},
    {"remove", run_remove},
    {"update", run_update},
    {"outdated", run_outdated},
    {"verify", run_verify},
    {"restore", run_restore},
    {"diff", run_diff},
    {"new", run_new},
    {"trigger", cli::run_trigger},
    {"workers", run_workers},
    {"functions", run_functions},
    {"triggers", run_triggers},
    {"backup", run_backup},
    {"config", run_config},
    {"completion", run_completion},
    {"version", run_version},
    {"help", run_help},
    {"__complete", run_complete},
});

}  // namespace

RunVerb runner_of(std::string_view name) {
  const auto* found = std::ranges::find(kRunners, name, &decltype(kRunners)::value_type::first);
  return found == kRunners.end() ? nullptr : found->second;
}

}  // namespace iii::daemon
