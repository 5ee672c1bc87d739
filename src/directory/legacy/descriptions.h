// What agents read about the functions of earlier versions; see functions/descriptions.h.
#pragma once

#include <string>
#include <string_view>

namespace iii::directory::about {

// ---- skills 0.1.5

inline constexpr const char* kSkillsRegister =
    "Registers a markdown skill of a worker. It is listed as a resource and read at iii://{id}, "
    "and stays until it is unregistered, also when the worker leaves. Registering an id again "
    "replaces it. Fires skills::on-change.";
inline constexpr const char* kSkillsUnregister =
    "Removes a registered skill by its id. `removed` is false when there was none. Files are not "
    "touched. Fires skills::on-change when something was removed.";
inline constexpr const char* kPromptsRegister =
    "Registers a slash-command prompt and the function that renders it. Clients see it in their "
    "list of prompts; when one is used (MCP prompts/get), the function is called with the "
    "arguments. Registering a name again replaces it. Fires prompts::on-change.";
inline constexpr const char* kPromptsUnregister =
    "Removes a registered prompt by its name. `removed` is false when there was none. Files are "
    "not touched. Fires prompts::on-change when something was removed.";
inline constexpr const char* kResourcesList =
    "Internal, for MCP bridges: the answer to MCP resources/list: the index page iii://skills, "
    "then one iii://{id} per skill, registered or file.";
inline constexpr const char* kResourcesRead =
    "Internal, for MCP bridges: the answer to MCP resources/read: resolves an iii:// address and "
    "returns its contents. A miss is the error `D110 not_found` with the closest ids.";
inline constexpr const char* kResourcesTemplates =
    "Internal, for MCP bridges: the answer to MCP resources/templates/list: the forms that iii:// "
    "addresses have.";
inline constexpr const char* kMcpPromptsList =
    "Internal, for MCP bridges: the answer to MCP prompts/list: every prompt with its description "
    "and all its arguments.";
inline constexpr const char* kMcpPromptsGet =
    "Internal, for MCP bridges: the answer to MCP prompts/get: calls the function of a registered "
    "prompt with the arguments and turns what it returns into messages. The prompt of a file is "
    "one message of the user. Required arguments that are missing are named in `_meta`. A miss is "
    "the error `D210 not_found`.";

// ---- shared names

inline constexpr const char* kLegacySkillsList =
    "Lists skills without their bodies (id, length in bytes, when registered or modified): files "
    "of skills_folder and what workers registered. directory::skills::list has titles, filters "
    "and pages.";
inline constexpr const char* kLegacyPromptsList =
    "Lists prompts: files of skills_folder (name, description, modified_at) and what workers "
    "registered (with function_id, number of arguments, registered_at). directory::prompts::list "
    "has pages.";
inline constexpr const char* kLegacySkillsOnChange =
    "Fires when a skill was registered or unregistered, and after every download that wrote at "
    "least one skill file. Edits of files fire directory::skills::on-change only.";
inline constexpr const char* kLegacyPromptsOnChange =
    "Fires when a prompt was registered or unregistered, and after every download that wrote at "
    "least one prompt file. Edits of files fire directory::prompts::on-change only.";

// ---- iii-directory 0.4.1 and 0.5.1

inline constexpr const char* kFetch =
    "Reads one or several iii:// addresses and returns their contents as one text. Use it for "
    "iii:// links in the instructions of a skill; read several in one call with `uris`. "
    "iii://skills is the list of all skills, iii://{id} a skill, iii://fn/{a}/{b} what the "
    "function `a::b` returns. The first address that fails fails the call; a skill that does not "
    "exist is the error `D110 not_found`.";
inline constexpr const char* kDownload041 =
    "Downloads skills and prompts into skills_folder. Pass {repo, skill} for one skill folder of a "
    "git repository such as GitHub (a shallow fetch), or {worker} with `version` or `tag` for a "
    "worker of the registry. Files of the namespace are replaced file by file; files edited here "
    "are kept and named in `conflicts`, unless `force` is true.";
inline constexpr const char* kPromptsGet041 =
    "Reads one prompt file by its name: the markdown body as it is, with name, description and "
    "modified_at. There is no envelope, and placeholders are not filled in. A miss is the error "
    "`D210 not_found` with the closest names; call prompts::list next.";
inline constexpr const char* kRegistryList041 =
    "Searches the workers of the public registry by the free text `search`, which is required. "
    "Rows have the fields of directory::worker-list that the registry knows. Answers are cached "
    "for `registry_cache_ttl_ms` (60 s by default). To browse without a search call "
    "directory::registry::workers::list.";
inline constexpr const char* kRegistryInfo041 =
    "Shows what the registry has about one worker: its row as in registry::worker-list and "
    "directory::worker-info, the readme, the API reference (functions and triggers with schemas), "
    "and the paths of its skills and names of its prompts. Pass `version` or `tag`; tag `latest` "
    "when both are absent. Answers are cached for `registry_cache_ttl_ms`. An unknown worker is "
    "the error `D310 not_found`.";

// The families of lists and details have other ids in each version: one stands for `{}`.
inline std::string with_id(std::string_view text, std::string_view id) {
  const size_t at = text.find("{}");
  return std::string(text.substr(0, at)) + std::string(id) + std::string(text.substr(at + 2));
}
inline constexpr std::string_view kFunctionsListFamily =
    "Lists every function that is registered with the engine. Filters, all of which must "
    "match: `search` (free text), `prefix` (of the id), `worker`. For schemas and bindings of "
    "one call {}.";
inline constexpr std::string_view kTypesListFamily =
    "Lists every trigger type that is registered with the engine. Filters, all of which must "
    "match: `search`, `prefix`, `worker`. For the bindings of functions to types call {}.";
inline constexpr std::string_view kTriggersListFamily =
    "Lists registered triggers: each binds a function to a trigger type. Filters, all of "
    "which must match: `trigger_type`, `function_id`, `worker`, `search` (free text). For the "
    "whole config of one call {}.";
inline constexpr std::string_view kWorkersListFamily =
    "Lists every worker that is connected to the engine now. Filters, all of which must "
    "match: `search` (part of the name), `runtime`, `status`. Shared fields are those of {}.";
inline constexpr std::string_view kFunctionInfoFamily =
    "Shows one function: schemas, the worker that owns it, the registered triggers that call "
    "it, and the how-to skill about it, if skills_folder has one. A miss is the error `D340 "
    "not_found` with the closest id; call {} next.";
inline constexpr std::string_view kTypeInfoFamily =
    "Shows one trigger type: schema of its config, schema of what it delivers, the worker "
    "that owns it, and how many bindings there are now. A miss is the error `D340 not_found`; "
    "call {} next.";
inline constexpr std::string_view kTriggerInfoFamily =
    "Shows one registered trigger with its config, and in full its trigger type and the "
    "function that it calls. A miss is the error `D340 not_found`; call {} next.";
inline constexpr std::string_view kWorkerInfoFamily =
    "Shows one connected worker, and the functions, trigger types and registered triggers it "
    "owns. `worker` has the fields of {}, so that one parser reads both.";

}  // namespace iii::directory::about
