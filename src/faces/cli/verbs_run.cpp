// Verbs that start something, and those about the program itself.
#include "faces/cli/verbs.h"

namespace iii::cli {

const Verb& worker_verb() {
  static const Verb verb{
      .name = "",
      .summary =
          "The directory of skills and prompts as a worker of an engine that is already running.",
      .usage = {"[options]", "VERB [arguments] [options]"},
      .description =
          "It connects, and waits until the engine is there. `iii-directory serve` starts an "
          "engine as well; `iii-directory help` lists all verbs.",
      .options = {{"url", "URL", "Engine to connect to (III_URL, else ws://127.0.0.1:49134)."},
                  {"namespace", "NS", "Namespace to register in (III_NAMESPACE, else `default`)."},
                  table::kConfig,
                  table::kToken,
                  table::kLogLevel,
                  table::kLogFormat,
                  {"manifest", "", "Print what this worker is, as JSON."},
                  {"version", "", "Print the version.", 'V'},
                  table::kHelp}};
  return verb;
}

namespace table {

namespace {

Verb serve() {
  return {
      .name = "serve",
      .group = Group::kRun,
      .summary = "Start the server: an engine with durable state, and the directory on it.",
      .usage = {"serve [options]"},
      .description =
          "Prints `ready ws=ws://HOST:PORT http=http://HOST:PORT` on stdout when it can be used. "
          "Logs go to stderr. SIGHUP reads the configuration again; SIGINT and SIGTERM end it.",
      .options = {{"host", "HOST", "Address to listen on (127.0.0.1). Others need a token."},
                  {"port", "N", "Port of the bus (49134); 0 lets the system choose."},
                  {"http-port", "N",
                   "Port for HTTP (3111, or none if that is in use); 0 lets the system choose."},
                  {"data", "DIR", "Folder of durable data (~/.iii/directory)."},
                  {"config", "FILE",
                   "Configuration file (./iii-directory.yaml, else ./config.yaml); `iii-directory "
                   "config --help` lists its keys."},
                  {"skills", "DIR",
                   "Folder of skills to serve; overrides `skills_folder` of the file."},
                  {"extra-skills", "DIR",
                   "Another folder to serve, read-only, of lower precedence; may be repeated."},
                  {"auto-download", "",
                   "Download the documents of workers that connect; their names are sent to the "
                   "registry."},
                  {"token", "TOKEN",
                   "Require this bearer token (III_TOKEN), of 16 characters or more, on every path "
                   "except /healthz* and the static page of the console."},
                  {"allow-origin", "ORIGIN",
                   "Allow web pages of this origin to connect; may be repeated."},
                  {"expand-env", "NAME[,NAME]",
                   "Environment variables that ${NAME} in configuration values may read; NAME* "
                   "allows all that start so. May be repeated; none by default."},
                  {"no-console", "", "Do not serve the console (/console of HTTP)."},
                  {"engine-only", "", "Start the engine without the directory worker."},
                  {"no-worker-manager", "",
                   "Leave worker::list and the `worker` trigger type to a worker."},
                  {"no-state", "", "Leave state::* and the `state` trigger type to a worker."},
                  {"local-dispatch", "",
                   "Let workers of SDKs since 0.25 run calls of their own functions themselves."},
                  {"limit", "NAME=N",
                   "Change a limit; may be repeated. See docs/configuration.md."},
                  kLogLevel,
                  kLogFormat,
                  kHelp},
      .examples = {{"serve", "skills of ~/.iii/skills and ./.iii/skills, on this machine only"},
                   {"serve --skills ./skills --port 0", "another folder, any free port"},
                   {"serve --host 0.0.0.0 --token SECRET", "for other machines, with a token"}}};
}

Verb mcp() {
  return {
      .name = "mcp",
      .group = Group::kRun,
      .summary = "Serve one MCP client on stdin and stdout; no server is needed.",
      .usage = {"mcp [options]", "mcp --print-config HARNESS [options]"},
      .description =
          "The folders of skills are read in this process. docs/connect.md shows how to connect "
          "harnesses.",
      .options =
          {{"url", "URL", "Also offer the functions of this engine, as soon as it can be reached."},
           {"token", "TOKEN", "Bearer token of the engine (III_TOKEN)."},
           {"config", "FILE",
            "Configuration file (./iii-directory.yaml, else ./config.yaml); `iii-directory "
            "config --help` lists its keys."},
           {"skills", "DIR", "Folder of skills to serve; overrides `skills_folder` of the file."},
           {"extra-skills", "DIR",
            "Another folder of skills, read-only, of lower precedence; may be repeated."},
           {"tools", "MODE",
            "minimal (find, read, call), directory (the directory's functions instead) or all "
            "(both, and those of the engine); overrides `mcp_tools`."},
           {"print-config", "HARNESS",
            "Print the configuration that connects a harness, with the other options, and end: "
            "claude-code, claude-desktop, cursor, vscode, codex, gemini, zed, windsurf, generic.",
            0, "claude-code claude-desktop cursor vscode codex gemini zed windsurf generic"},
           {"log-level", "LEVEL", "debug, info, warn, error or off (warn). Logs go to stderr.", 0,
            kLogLevel.choices},
           kHelp},
      .examples = {{"mcp --print-config claude-code", "the line that connects Claude Code"},
                   {"mcp --skills ./skills", "another folder"}}};
}

}  // namespace

std::vector<Verb> running() { return {serve(), mcp()}; }

std::vector<Verb> setup() {
  return {
      {.name = "config",
       .group = Group::kSetup,
       .summary = "Show, change or check the configuration.",
       .usage = {"config [options]", "config get KEY", "config set KEY VALUE", "config path",
                 "config check"},
       .description =
           "Without an argument: every key with its value and where the value comes from. "
           "`set` writes the file that is in use, and keeps its comments; ./iii-directory.yaml "
           "where there is none, or only a config.yaml that has none of these keys. `check` and "
           "the list exit with 1 when a value is not valid.",
       .options = {kJson,
                   {"markdown", "",
                    "Print a description of all keys, as in docs/configuration.md."},
                   kConfig,
                   kSkills,
                   kHelp},
       .most_words = 3,
       .words = Words::kChoices,
       .choices = "get set path check",
       .after_choice = Words::kKeys,
       .examples = {{"config", "all keys"},
                    {"config set skills_folder ./skills", "serve another folder"},
                    {"config check", "is the file valid?"}},
       .json = true},
      {.name = "backup",
       .group = Group::kSetup,
       .summary = "Copy what the engine has stored, while it runs or not.",
       .usage = {"backup FOLDER [options]"},
       .description =
           "FOLDER gets `state.db` (everything of state::* and configuration::*) and, where there "
           "is one, `directory.lock`, from which `restore` installs the skills again. A running "
           "server makes the copy while calls go on; its data folder has to be on this machine. "
           "Nothing is overwritten. To restore: `serve --data FOLDER`.",
       .options = {{"data", "DIR", "Data folder of the server (~/.iii/directory)."},
                   kUrl,
                   kToken,
                   kJson,
                   kHelp},
       .least_words = 1,
       .most_words = 1,
       .words = Words::kFolders,
       .examples = {{"backup /var/backups/iii-2026-11-17", "a copy with the date in its name"},
                    {"backup ./copy --data /var/lib/iii-directory/data",
                     "of a data folder that is not the default"}},
       .functions = {"directory::backup"},
       .json = true},
      {.name = "completion",
       .group = Group::kSetup,
       .summary = "Print the completion script of a shell.",
       .usage = {"completion bash|zsh|fish"},
       .options = {kHelp},
       .least_words = 1,
       .most_words = 1,
       .words = Words::kChoices,
       .choices = "bash zsh fish",
       .examples = {{"completion bash > ~/.local/share/bash-completion/completions/iii-directory",
                     "for bash"},
                    {"completion fish > ~/.config/fish/completions/iii-directory.fish",
                     "for fish"}}},
      {.name = "version",
       .group = Group::kSetup,
       .summary = "Print the version, the commit that was built, and that of a running server.",
       .usage = {"version [options]"},
       .options = {kUrl, kToken, kJson, kHelp},
       .examples = {{"version", "for a bug report"}, {"version --json", "for a program"}},
       .functions = {"directory::health"},
       .json = true},
      {.name = "help",
       .group = Group::kSetup,
       .summary = "List the verbs, or explain one.",
       .usage = {"help [VERB]"},
       .options = {{"write", "DIR", "Write man pages, completion scripts and JSON schemas there."},
                   kHelp},
       .most_words = 1,
       .words = Words::kVerbs,
       .examples = {{"help", "all verbs"}, {"help add", "one verb"}}},
      {.name = "__complete",
       .group = Group::kSetup,
       .summary = "Words for completion scripts.",
       .usage = {"__complete KIND [PREFIX]"},
       .options = {},
       .least_words = 1,
       .most_words = 2,
       .hidden = true}};
}

}  // namespace table

}  // namespace iii::cli
