// What runs behind each verb of cli/verbs.h. Each gives the exit code of the process.
#pragma once

#include <string>
#include <string_view>

#include "faces/cli/args.h"

namespace iii::daemon {

using RunVerb = int (*)(const cli::Args& args);
// Null: there is no such verb. `name` is that of the table, not an alias.
RunVerb runner_of(std::string_view name);

int run_serve(const cli::Args& args);
int run_worker(const cli::Args& args);
int run_mcp(const cli::Args& args);

int run_list(const cli::Args& args);
int run_show(const cli::Args& args);
int run_why(const cli::Args& args);
int run_index(const cli::Args& args);
int run_search(const cli::Args& args);
int run_prompts(const cli::Args& args);
int run_prompt(const cli::Args& args);
int run_registry(const cli::Args& args);
int run_watch(const cli::Args& args);
int run_doctor(const cli::Args& args);

int run_workers(const cli::Args& args);
int run_functions(const cli::Args& args);
int run_triggers(const cli::Args& args);

int run_add(const cli::Args& args);
int run_remove(const cli::Args& args);
int run_update(const cli::Args& args);
int run_outdated(const cli::Args& args);
int run_verify(const cli::Args& args);
int run_restore(const cli::Args& args);
int run_diff(const cli::Args& args);
int run_new(const cli::Args& args);

// A copy of what is stored.
int run_backup(const cli::Args& args);

int run_config(const cli::Args& args);
// The keys of the file, for the help of `config`.
std::string config_keys_text();
int run_completion(const cli::Args& args);
int run_version(const cli::Args& args);
int run_help(const cli::Args& args);
int run_complete(const cli::Args& args);

}  // namespace iii::daemon
