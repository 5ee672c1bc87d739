// What directory::skills::search and directory::search_functions take and give.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "directory/reading/skill_types.h"
#include "foundation/json/describe.h"

namespace iii::directory {

// Why a row was found: one word of the query.
struct SearchReason {
  std::string word;
  std::string found;
  std::string how;
  std::vector<std::string> fields;
};
struct SearchSnippet {
  std::string text;
  std::vector<std::vector<uint64_t>> highlights;
};

struct SearchSkillsInput {
  std::string query;
  std::optional<uint64_t> limit;
  std::optional<std::string> prefix;
  std::optional<std::string> type;
  std::optional<json::Raw> kind;
  std::optional<bool> include_user_only;
  std::optional<uint64_t> budget_tokens;
};
struct FoundSkillRow {
  uint64_t rank = 0;
  std::string id;
  std::string title;
  std::string description;
  std::optional<std::string> type;
  std::optional<std::string> function_id;
  std::string kind;
  std::optional<bool> user_only;
  double score = 0;
  std::optional<std::vector<SearchReason>> why;
  std::optional<SearchSnippet> snippet;
};
struct SearchSkillsOutput {
  std::vector<FoundSkillRow> skills;
  std::optional<std::vector<std::string>> nearest;
  std::string next;
  std::optional<uint64_t> left_out;
  uint64_t searched = 0;
};

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
struct SuggestedSkill {
  std::string id;
  std::string title;
  std::string description;
  uint64_t rank = 0;
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

inline auto describe(json::Type<SearchReason>) {
  using T = SearchReason;
  return json::object<T>(
      "SearchReason", "A word of the query that the row has.",
      json::field("word", &T::word, "Word of the query."),
      json::field("found", &T::found, "What the row has, reduced to its stem."),
      json::field("how", &T::how,
                  "`same`, `synonym`, `similar` (another spelling) or `prefix` (its beginning)."),
      json::field("fields", &T::fields,
                  "Where it was found: `name`, `title`, `description`, `details` or `body`."));
}
inline auto describe(json::Type<SearchSnippet>) {
  using T = SearchSnippet;
  return json::object<T>(
      "SearchSnippet", "The part of the text that shows best why it was found.",
      json::field("text", &T::text, "One line; `…` where something was left out."),
      json::field("highlights", &T::highlights,
                  "Pairs of begin and end of the words found, in bytes of `text`."));
}
inline auto describe(json::Type<SearchSkillsInput>) {
  using T = SearchSkillsInput;
  return json::object<T>(
      "SearchSkillsInput", "",
      json::field("query", &T::query,
                  "The task in a few words, for example `review a pull request`; at most 4096 "
                  "bytes. Required.")
          .length(json::kAnyLength),  // D130
      json::field("limit", &T::limit, "Most rows to return, 1 to 100. Default 10.").null_default(),
      json::field("prefix", &T::prefix, "Text that the id must start with, exactly.")
          .null_default(),
      json::field("type", &T::type, "Frontmatter `type:` that rows must have, exactly.")
          .null_default(),
      json::field("kind", &T::kind,
                  "Only rows of this kind: `skill`, `reference` or `readme`, or a list of them. "
                  "`skill` and `reference` when absent.")
          .null_default(),
      json::field("include_user_only", &T::include_user_only, kIncludeUserOnlyHelp).null_default(),
      json::field("budget_tokens", &T::budget_tokens,
                  "Most tokens that the answer may cost, at least 100: rows are shortened, then "
                  "left out, until it fits. No limit when absent.")
          .null_default());
}
inline auto describe(json::Type<FoundSkillRow>) {
  using T = FoundSkillRow;
  return json::object<T>(
      "FoundSkill", "", json::field("rank", &T::rank, "1 for the best row."),
      json::field("id", &T::id, "Address of the document; pass it to directory::skills::get."),
      json::field("title", &T::title, kTitleHelp),
      json::field("description", &T::description,
                  "What it is for, as in directory::skills::list; empty where the budget left no "
                  "room."),
      json::field("type", &T::type, kTypeHelp).nullable(),
      json::field("function_id", &T::function_id, kFunctionIdHelp).nullable(),
      json::field("kind", &T::kind, kKindHelp),
      json::field("user_only", &T::user_only, kUserOnlyHelp),
      json::field("score", &T::score, "How well it fits, 0 to 1; for comparing rows."),
      json::field("why", &T::why,
                  "Which words of the query were found, and where. Empty when the meaning alone "
                  "fits; absent where the budget left no room."),
      json::field("snippet", &T::snippet, "Absent where the budget left no room."));
}
inline auto describe(json::Type<SearchSkillsOutput>) {
  using T = SearchSkillsOutput;
  return json::object<T>(
      "SearchSkillsOutput", "",
      json::field("skills", &T::skills, "Best first; empty when nothing fits."),
      json::field("nearest", &T::nearest,
                  "When nothing fits: ids that come closest and may be worth a look."),
      json::field("next", &T::next, "What to do next."),
      json::field("left_out", &T::left_out,
                  "How many further rows fit the query and were left out because of `limit` or "
                  "`budget_tokens`; absent when all are there."),
      json::field("searched", &T::searched, "How many different documents were searched."));
}

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
inline auto describe(json::Type<SuggestedSkill>) {
  using T = SuggestedSkill;
  return json::object<T>(
      "SuggestedSkill", "",
      json::field("id", &T::id, "Id of the skill; pass it to directory::skills::get."),
      json::field("title", &T::title, kTitleHelp),
      json::field("description", &T::description, "First sentence of its description."),
      json::field("rank", &T::rank, "1 for the best."));
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
