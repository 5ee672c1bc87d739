// What directory::search_functions takes and gives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "directory/reading/skill_row.h"
#include "foundation/json/describe.h"

namespace iii::directory {

struct SearchFunctionsInput {
  std::vector<std::string> capabilities;
};
struct FoundFunctionRow {
  std::string function_id;
  std::optional<std::string> name_space;
  std::string description;
  uint64_t rank = 0;
  uint64_t capability = 0;
  double score = 0;
};
struct FoundWorker {
  std::string name_space;
  std::vector<FoundFunctionRow> functions;
};
struct InstallableFunction {
  std::string function_id;
  std::string description;
};
struct InstallCall {
  std::string function;
  json::Value payload;
};
struct InstallableWorker {
  std::string name;
  std::string version;
  std::string description;
  std::vector<InstallableFunction> functions;
  InstallCall install;
};
struct FoundTrigger {
  std::string id;
  std::string trigger_type;
  std::string function_id;
  std::string config;
};
struct UnmatchedCapability {
  std::string capability;
  std::vector<std::string> nearest;
};
struct SearchFunctionsOutput {
  std::string guidance;
  std::vector<FoundWorker> workers;
  std::vector<InstallableWorker> installable;
  std::vector<SuggestedSkill> skills;
  std::vector<FoundTrigger> triggers;
  std::vector<UnmatchedCapability> unmatched;
  std::optional<std::vector<std::string>> nearest;
  std::string registry;
  std::string search_mode;
  double latency_ms = 0;
};

inline auto describe(json::Type<SearchFunctionsInput>) {
  using T = SearchFunctionsInput;
  return json::object<T>(
      "SearchFunctionsRequest", "",
      json::field("capabilities", &T::capabilities,
                  "What is needed from outside, one short English phrase each (`send an email`), 1 "
                  "to 64, usually 1 to 6; each is searched for by itself. Leave out what a model "
                  "does itself (summaries, plans). An exact function id finds that function. "
                  "Required.")
          .length(json::kAnyLength));  // D130
}
inline auto describe(json::Type<FoundFunctionRow>) {
  using T = FoundFunctionRow;
  return json::object<T>(
      "FunctionCandidate", "",
      json::field("function_id", &T::function_id,
                  "Id of the function; its schemas are in engine::functions::info."),
      json::field("namespace", &T::name_space,
                  "Namespace to call it in, and to give to engine::functions::info; absent: "
                  "`default`."),
      json::field("description", &T::description, "First sentence of its description."),
      json::field("rank", &T::rank, "Place in the whole answer, 1 for the best."),
      json::field("capability", &T::capability, "Which capability it was found for, from 0."),
      json::field("score", &T::score, "How well it fits, 0 to 1; for comparing rows."));
}
inline auto describe(json::Type<FoundWorker>) {
  using T = FoundWorker;
  return json::object<T>(
      "SearchWorker", "",
      json::field("namespace", &T::name_space, "First part of the ids of its functions."),
      json::field("functions", &T::functions, "Its functions that fit, best first."));
}
inline auto describe(json::Type<InstallableFunction>) {
  using T = InstallableFunction;
  return json::object<T>(
      "InstallableFunction", "",
      json::field("function_id", &T::function_id,
                  "Id that it will have. It cannot be called before the worker is installed."),
      json::field("description", &T::description, "First sentence of its description."));
}
inline auto describe(json::Type<InstallCall>) {
  using T = InstallCall;
  return json::object<T>("InstallCall", "The call that installs the worker.",
                         json::field("function", &T::function, "Function to call."),
                         json::field("payload", &T::payload, "What to pass to it."));
}
inline auto describe(json::Type<InstallableWorker>) {
  using T = InstallableWorker;
  return json::object<T>(
      "InstallableWorker", "", json::field("name", &T::name, "Name of the worker in the registry."),
      json::field("version", &T::version, "Latest published version; empty if not known."),
      json::field("description", &T::description, "What the worker does."),
      json::field("functions", &T::functions, "Its functions that fit."),
      json::field("install", &T::install, "The call that installs it. Ask the user first."));
}
inline auto describe(json::Type<FoundTrigger>) {
  using T = FoundTrigger;
  return json::object<T>(
      "FoundTrigger", "", json::field("id", &T::id, "Id of the binding."),
      json::field("trigger_type", &T::trigger_type, "Id of the trigger type it is bound to."),
      json::field("function_id", &T::function_id, "Function that it calls."),
      json::field("config", &T::config, "Its configuration as compact JSON, cut when long."));
}
inline auto describe(json::Type<UnmatchedCapability>) {
  using T = UnmatchedCapability;
  return json::object<T>(
      "UnmatchedCapability", "",
      json::field("capability", &T::capability, "The capability as it was given."),
      json::field("nearest", &T::nearest,
                  "Functions that come closest. They probably do not do it: read their description "
                  "first."));
}
inline auto describe(json::Type<SearchFunctionsOutput>) {
  using T = SearchFunctionsOutput;
  return json::object<T>(
      "SearchFunctionsResponse", "",
      json::field("guidance", &T::guidance, "What to do with this answer."),
      json::field("workers", &T::workers,
                  "Functions that can be called now, grouped by worker; the group with the best "
                  "function first. `rank` orders them across groups."),
      json::field("installable", &T::installable,
                  "Workers of the registry that are not installed and fit a capability that "
                  "nothing installed does."),
      json::field("skills", &T::skills, "Skills about these capabilities, best first."),
      json::field("triggers", &T::triggers, "Bindings that already call one of these functions."),
      json::field("unmatched", &T::unmatched, "Capabilities that no function here fits."),
      json::field("nearest", &T::nearest, "Only when nothing fits at all: ids that come closest."),
      json::field("registry", &T::registry,
                  "`not_needed`: every capability is matched; `asked`; `unreachable`: what could "
                  "be installed is not known; `off`: `registry_search` is false."),
      json::field("search_mode", &T::search_mode,
                  "How rows were ranked: `hybrid`, by words and by meaning."),
      json::field("latency_ms", &T::latency_ms, "Time that the search took, in milliseconds."));
}

}  // namespace iii::directory
