// What agents read about each function and trigger type before they call it. Every fact that the
// published worker documented is here, and no more words than
// needed: callers pay for them.
#pragma once

namespace iii::directory::about {

inline constexpr const char* kSkillsList =
    "Lists skills, one row per skill: id, title, type, function_id, description, bytes, "
    "modified_at. Pass a row's `id` to directory::skills::get. The row of a worker's overview has "
    "the bare worker name as its id (`iii-sandbox`). `id` is the address of a document; "
    "`function_id` (`sandbox::create`) is the function to call: pass that one to agent_trigger. "
    "Filters, all of which must match: `search` (part of id, title or description, ignoring "
    "case), `prefix` (start of the id; `iii-sandbox/` selects that worker's overview and its other "
    "skills), `type` (exact), `kind` (`skill`, `reference`, `readme`). `include_description: "
    "false` makes rows short. Without `limit` all "
    "rows are returned; with it, pass `next_cursor` back as `cursor` until it is absent. No match "
    "is an empty list. Only installed workers' skills are shown, unless the operator turned that "
    "filter off. For one overview per worker call directory::skills::index.";

inline constexpr const char* kSkillsBrowse =
    "Shows every document as a row, also what is not served and why, with counts for filters: made "
    "for people and pages that look around. `q` (words in any order), `state`, `root`, `type` and "
    "`namespace` choose rows; `offset` and `limit` (64, at most 256) choose a page; `locate` asks "
    "where an id is. `facets` say how many rows each value would give. A row that is not served "
    "has `code` and `reason`; directory::skills::explain says more about it. All of an answer is "
    "from one `generation`. To find what an agent may read call directory::skills::search or "
    "directory::skills::list instead.";

inline constexpr const char* kSkillsInspect =
    "Shows everything about one document, served or not: its row as in directory::skills::browse, "
    "the text, the same text as a tree of nodes, the file as it is with its digest, which folder "
    "serves it and which is hidden, what directory.lock says, findings, the functions it names, "
    "and "
    "risks. To read a skill call directory::skills::get, which answers far less.";

inline constexpr const char* kSkillsExplain =
    "Says whether a document is served, and why not: a `verdict` (`served`, `missing`, `filtered`, "
    "`shadowed` or `absent`), the reason, and what to do next. `id` is an id, the name of a "
    "prompt, "
    "or the path of a file. For something that is not there `near` has the closest ids.";

inline constexpr const char* kSkillsGet =
    "Reads one skill: the markdown body, with id, title, type, function_id, description and "
    "modified_at. A "
    "worker's overview is addressed by the bare worker name (`iii-sandbox`), as "
    "directory::skills::list and directory::skills::index show it. `iii-sandbox/index`, "
    "`iii-sandbox/SKILL.md`, a trailing `.md`, an `iii://` prefix and other letter case mean the "
    "same. If no id matches, the name is searched for in worker names, ignoring case (`sandbox` "
    "finds `iii-sandbox`), and the body then starts with a note that says what is shown. "
    "`from` resolves a link as the document that has it means it. For a SKILL.md `files` names its "
    "scripts, references and assets: read them with "
    "directory::skills::file. A body that is too large comes in parts (`next_offset`). With `ids` "
    "the answer is {skills:[...]} in that order, "
    "each entry a skill or {id, error}. A miss is the error `D110 not_found` with the closest ids "
    "(`Did you mean:`) and the function to call next (`Next:`). An id that contains `::` is a "
    "function id and is refused (D112): call that function instead.";

inline constexpr const char* kSkillsFile =
    "Reads one file of a skill: a script, a reference or an asset from the folder of its SKILL.md. "
    "`files` of directory::skills::get names them. Text comes as it is (`encoding: utf-8`), other "
    "bytes in base64. A file larger than `limit` comes in parts: pass `next_offset` back as "
    "`offset` "
    "until it is absent. Nothing outside the folder of the skill can be read. A file that does not "
    "exist is the error `D114 not_found` with the closest paths. For the skill itself call "
    "directory::skills::get.";

inline constexpr const char* kSkillsIndex =
    "Renders one markdown page with a short section per installed worker: `## <title>` of the "
    "worker's overview (`<ns>/index`, whether or not it declares `type: index`), its first "
    "paragraph, and the directory::skills::get call that reads all of it. Token-light; start here, "
    "or put it into a system prompt. When the page gets long, descriptions are omitted and the "
    "last line says so. With `task` or `budget_tokens` the page has one line per skill instead: "
    "the "
    "best subset for the task that costs no more tokens than allowed. For one row per skill call "
    "directory::skills::list.";

inline constexpr const char* kSkillsSearch =
    "Finds the skills that fit a task, best first. `query` (required) says what is to be done, in "
    "a few words; synonyms, inflected words and typing errors are understood. Rows have id, title, "
    "description, score, `why` (which words were found where) and a snippet of the text. When "
    "nothing fits, `skills` is empty, `nearest` may name what comes closest, and `next` says what "
    "to do. `prefix`, `type` and `kind` narrow the search; `limit` is 10 unless given; "
    "`budget_tokens` limits what the answer costs. An edit on disk is found at once. Pass a row's "
    "`id` to directory::skills::get. For functions call directory::search_functions; for rows that "
    "contain an exact text call directory::skills::list with `search`.";

inline constexpr const char* kSearchFunctions =
    "Finds functions for what a task needs. `capabilities` (required) is a list of short English "
    "phrases, one for each thing that is needed from outside (`send an email`), all in one call. "
    "Returns candidates that can be called now, grouped by worker, each with `rank`; workers of "
    "the registry that could be installed for what nothing here does; skills about the task; "
    "bindings that already call one of the functions. Only ids and first sentences: read the "
    "schemas of those you choose with one call of engine::functions::info {function_ids}. "
    "Capabilities that nothing fits are in `unmatched`, with the nearest ids: do not guess "
    "function ids. For instructions instead of functions call directory::skills::search.";

inline constexpr const char* kOnFunctionsChange =
    "Internal: called by the engine when functions have come or gone; the list of functions that "
    "are searched is asked for again.";

inline constexpr const char* kPromptsList =
    "Lists prompts (name, description, modified_at): command templates that a person runs. They "
    "are markdown files in `prompts` folders of skills_folder, and prompts that workers "
    "registered. Read one with directory::prompts::get. Without `limit` all rows are returned; "
    "with it, pass `next_cursor` back as `cursor` until it is absent. `details: true` adds where a "
    "prompt comes from and its arguments. A file without name or description that cannot be listed "
    "is reported by directory::doctor.";

inline constexpr const char* kPromptsGet =
    "Reads one prompt by its name: the markdown body as it is in the file, with name, description "
    "and modified_at. There is no envelope, and placeholders are not filled in. A miss is the "
    "error `D210 not_found` with the closest names; call directory::prompts::list next.";

inline constexpr const char* kDownload =
    "Downloads skills and prompts into skills_folder, from one of two sources. Pass {repo, skill} "
    "with an optional `branch` (default `main`) for one skill folder of a git repository such as "
    "GitHub (other layouts: `path`, or any folder or `name` of a SKILL.md), or {worker} with an "
    "optional `version` or `tag` (default tag `latest`) for a worker "
    "of the registry: exactly one of both. Prefer directory::skills::download_from_registry or "
    "directory::skills::download_from_repo, whose inputs cannot be mixed up. Files of the "
    "namespace are replaced file by file; files edited here are kept and named in `conflicts`, "
    "unless `force` is true. Events of the on-change types have been sent when the answer "
    "arrives.";

inline constexpr const char* kDownloadFromRegistry =
    "Downloads the skills and prompts of one registry worker into skills_folder. `worker` is "
    "required; pass `version` (exact semver) or `tag`, not both; without either, tag `latest`. "
    "Files of the worker's namespace are replaced file by file; files edited here are kept and "
    "named in `conflicts`, unless `force` is true. An unknown worker or version is the error `D310 "
    "not_found`, which names the function to call next. For a git repository call "
    "directory::skills::download_from_repo.";

inline constexpr const char* kDownloadFromRepo =
    "Downloads one skill folder of a git repository such as GitHub into skills_folder. `repo` (the "
    "address: https, ssh or git@ only, checked) and `skill` (the folder under `skills/` in the "
    "repository, which also names the namespace it is written to; else any folder of that name "
    "with "
    "a SKILL.md, a path, or the `name` in a SKILL.md) are required; `branch` is `main` when "
    "absent. "
    "To see what a repository has call directory::repo::skills. Files edited here are kept and "
    "named "
    "in `conflicts`, unless `force` is true. A namespace that another source filled is refused "
    "(D335): choose another with `as`, or replace it with `force`. For a published worker call "
    "directory::skills::download_from_registry.";

inline constexpr const char* kRemove =
    "Removes what was downloaded into one namespace: the files that directory.lock names and that "
    "are as they were downloaded, folders that are empty then, and the entry in directory.lock, "
    "all "
    "or nothing. Files that were edited or added here stay and are named in `kept`, unless `force` "
    "is true. `namespace` is required; one that directory.lock does not have is the error `D310 "
    "not_found`. To see "
    "what is installed call directory::lock::list.";

inline constexpr const char* kRepoSkills =
    "Lists the skills of a git repository without downloading them: one row per SKILL.md, in "
    "whatever folder, with path, name, description. `repo` is required. Pass a row's `path` with "
    "the same `repo` to directory::skills::download, or several to directory::repo::download. A "
    "repository or branch that does not exist is the error `D310 not_found`.";
inline constexpr const char* kRepoDownload =
    "Downloads several skills of a git repository, each into its own namespace, with one fetch: "
    "those whose `path` is in `skills`, else all. `repo` is required. directory::repo::skills "
    "lists "
    "them first. Files edited here are kept and named in `conflicts`, unless `force` is true. One "
    "row per namespace; one that fails does not stop the others. A `path` that the repository does "
    "not have is the error `D310 not_found`, and nothing is downloaded.";

inline constexpr const char* kJobs =
    "Lists the downloads, updates and looks at sources that are waiting or running now: what each "
    "is "
    "about, its step and how far that is. Takes no input. An empty list means that none is. "
    "Returns "
    "no results: each caller gets its own. What is installed is in directory::lock::list.";

inline constexpr const char* kRegistryList =
    "Lists the workers that the public registry publishes, installed or not. `search` is matched "
    "fuzzily by the registry; without it rows are ordered by `total_downloads`, largest first. "
    "Pages have a size that the registry chooses: pass `pagination.next_cursor` back as `cursor` "
    "for the next one. `name`, `description` and `version` mean the same as in "
    "engine::workers::list. Answers are cached for `registry_cache_ttl_ms` (60 s by default); "
    "while the registry does not answer, older ones are returned with `stale`. For one worker call "
    "directory::registry::workers::info.";

inline constexpr const char* kRegistryInfo =
    "Shows what the registry has about one worker, installed or not: the row of "
    "directory::registry::workers::list (the fields of engine::workers::list, and type, config, "
    "supported_targets, total_downloads, dependencies, image), the readme, the API reference "
    "(functions and triggers with their schemas), and the paths of its skills and names of its "
    "prompts. Pass `version` or `tag`; tag `latest` when both are absent. Answers are cached for "
    "`registry_cache_ttl_ms`. An unknown worker is the error `D310 not_found`. To install its "
    "skills call directory::skills::download_from_registry.";

inline constexpr const char* kFunctionInfo =
    "Shows one function of the engine: description, request and response schema, metadata, the "
    "worker that owns it, and the registered triggers that call it. Forwards to "
    "engine::functions::info, for callers that can only reach `directory::`. A miss is the error "
    "`D340 not_found` with the closest id; call engine::functions::list next.";

inline constexpr const char* kLockVerify =
    "Compares downloaded files with directory.lock, which records what was downloaded and a hash "
    "of every file. Reads the disk only. For each namespace: which files are edited, missing or "
    "extra. To bring files back call directory::lock::restore.";
inline constexpr const char* kLockList =
    "Lists what was downloaded: one row per namespace of directory.lock with its source, the "
    "installed and the newest known version, and whether its files are as they were downloaded. "
    "Asks no source unless `check` is true. For the differences to the newest version call "
    "directory::lock::diff; to change something call directory::lock::update, "
    "directory::lock::restore or directory::skills::remove.";
inline constexpr const char* kLockOutdated =
    "Tells for which downloaded namespaces the registry or repository has something newer. Changes "
    "nothing; call directory::lock::update to download it.";
inline constexpr const char* kLockDiff =
    "Shows what directory::lock::update would change in one namespace: for each file that differs "
    "from what the source has now, whether it is added, changed or removed, and the unified "
    "difference of texts. `namespace` is required. Large differences are cut, with a note. Changes "
    "nothing.";
inline constexpr const char* kLockUpdate =
    "Downloads again what was asked for before, in its newest form. Without `namespace`, all that "
    "are not pinned to an exact version or commit. Files edited here are kept and named in "
    "`conflicts`, unless `force` is true. One namespace that fails does not stop the others.";
inline constexpr const char* kLockRestore =
    "Brings downloaded files back to exactly the version or commit that directory.lock records. "
    "Files edited here are kept and named in `conflicts`, unless `force` is true. Without a "
    "directory.lock the error is `D310 not_found`.";

inline constexpr const char* kDoctor =
    "Reports what the skills folders contain and what is wrong with it: how many files are served "
    "as skills and prompts, and a finding for every document that is not served or was read "
    "leniently, with place, reason and, where a repair is safe, a patch. `summary` counts all "
    "findings by kind; `findings` is one page of them, narrowed by `code`, `severity` (`error`: "
    "not "
    "served) and `prefix`; `roots` counts the files of each folder. Skills that skills/list of MCP "
    "leaves out have a finding `mcp_left_out` with the reason. Changes nothing. Call it when a "
    "document that exists on disk is missing from the lists.";

inline constexpr const char* kDoctorApply =
    "Applies patches that directory::doctor found, file by file. Pass `fixes` (root, path, digest "
    "and key of findings that directory::doctor with `details: true` showed), `code` for every "
    "patch of one kind, or `all: true`. A file that is no longer the one its patch was made for is "
    "left alone and named in `refused`. A patch changes only the syntax of frontmatter and never "
    "loses text. When the answer arrives, lists and documents show the result.";

inline constexpr const char* kHealth =
    "Tells whether the directory can answer, its version, how long it has run, and how many "
    "documents it serves. For problems with single files call directory::doctor.";

inline constexpr const char* kChanges =
    "Lists which skills and prompts were added, changed or removed after a generation, oldest "
    "first. For subscribers of the on-change types that were away, and for callers that poll. Pass "
    "the `generation` and `epoch` of the last answer as `since` and `epoch`; while `more` is true, "
    "call again. When `truncated` is true changes are missing: read the lists again. `newest: "
    "true` "
    "gives the last ones instead of the first when there are too many.";

inline constexpr const char* kOnConfigChange =
    "Internal: called by the engine when the configuration entry of this worker has changed; reads "
    "the entry again.";
inline constexpr const char* kOnWorkerAdded =
    "Internal: called by the engine when a worker is added or updated; downloads its skills when "
    "automatic downloads are on.";

inline constexpr const char* kSkillsOnChange =
    "Fires after a download that wrote, changed or removed at least one skill file, after edits of "
    "skill files on disk, and when a worker registers or unregisters a skill. Needs no config. "
    "Delivery is best effort, at most once: a subscriber that was away calls directory::changes.";
inline constexpr const char* kPromptsOnChange =
    "Fires after a download that wrote, changed or removed at least one prompt file, after edits "
    "of "
    "prompt files on disk, and when a worker registers or unregisters a prompt. Needs no config. "
    "Delivery is best effort, at most once: a subscriber that was away calls directory::changes.";
inline constexpr const char* kOnChanged =
    "Source of change events for observers, on engines that offer them: observe this function to "
    "be "
    "called after every change of skills or prompts. The event is that of "
    "directory::skills::on-change with `kind` (`skill` or `prompt`) in front; select with filters "
    "such as {\"input.kind\": {\"$eq\": \"skill\"}}. Only the directory itself can call it.";

}  // namespace iii::directory::about
