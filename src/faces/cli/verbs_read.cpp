// Verbs that read documents, and those that look at the bus.
#include "faces/cli/verbs.h"

namespace iii::cli::table {

namespace {

// Where answers come from.
std::vector<Option> reads(std::vector<Option> own) {
  for (const Option& each : {kJson, kColor, kUrl, kToken, kConfig, kSkills, kHelp})
    own.push_back(each);
  return own;
}
std::vector<Option> asks(std::vector<Option> own) {
  for (const Option& each : {kJson, kColor, kUrl, kToken, kHelp}) own.push_back(each);
  return own;
}

constexpr Option kRaw{"raw", "", "Print the markdown as it is; so does a pipe."};

}  // namespace

std::vector<Verb> reading() {
  return {
      {.name = "list",
       .group = Group::kRead,
       .summary = "List skills.",
       .usage = {"list [PREFIX] [options]"},
       .description =
           "PREFIX is the beginning of an id, such as `database/`. On a terminal the first 100 "
           "rows are shown; a pipe gets all, as lines with tabs.",
       .options =
           reads({{"search", "TEXT", "Only skills whose id, title or description has this text."},
                  {"kind", "KIND", "Only documents of this kind: skill, reference or readme.", 0,
                   "skill reference readme"},
                  {"type", "TYPE", "Only documents with this `type` in their frontmatter."},
                  {"user-only", "", "Also skills that their author keeps for users."},
                  {"limit", "N", "At most so many rows."},
                  {"all", "", "All rows, also on a terminal."}}),
       .most_words = 1,
       .words = Words::kSkills,
       .examples = {{"list", "what agents get"},
                    {"list database/", "the skills of one folder"},
                    {"list --json | jq -r '.skills[].id'", "all ids"}},
       .aliases = {"ls"},
       .functions = {"directory::skills::list"},
       .json = true},
      {.name = "show",
       .group = Group::kRead,
       .summary = "Show a skill.",
       .usage = {"show ID [options]"},
       .description = "ID may be written in several ways: `database/query`, `Database/SKILL.md`, "
                      "`iii://database`. On a terminal the markdown is rendered.",
       .options = reads(
           {{"raw", "",
             "Print the markdown behind the frontmatter, byte for byte; so does a pipe. "
             "`--file SKILL.md` prints the whole file."},
            {"file", "PATH", "Another file of the skill, as `--files` lists them, byte for byte."},
            {"files", "", "List the files of the skill."},
            {"risks", "", "Also say what to look at before trusting it."}}),
       .least_words = 1,
       .most_words = 1,
       .words = Words::kSkills,
       .examples = {{"show database", "the overview of a folder"},
                    {"show database --files", "which files belong to it"},
                    {"show database --raw > database.md", "the markdown"}},
       .functions = {"directory::skills::get", "directory::skills::file"},
       .json = true},
      {.name = "why",
       .group = Group::kRead,
       .summary = "Say why a skill or prompt is served or not.",
       .usage = {"why NAME [options]"},
       .description = "NAME is an id, the name of a prompt, or the path of a file below a skills "
                      "folder. The checks are shown in the order in which they are made. The exit "
                      "code is 1 when it is not served.",
       .options = reads({}),
       .least_words = 1,
       .most_words = 1,
       .words = Words::kSkills,
       .examples = {{"why database/query", "is it served, and from where"},
                    {"why web/clip.md", "what is wrong with that file"},
                    {"why pdf --json", "the same for a program"}},
       .aliases = {"explain"},
       .functions = {"directory::skills::explain"},
       .json = true},
      {.name = "index",
       .group = Group::kRead,
       .summary = "Show the index page that agents begin with.",
       .usage = {"index [PREFIX] [options]"},
       .options = reads({kRaw}),
       .most_words = 1,
       .words = Words::kSkills,
       .examples = {{"index", "all folders"}, {"index database/", "one folder"}},
       .functions = {"directory::skills::index"},
       .json = true},
      {.name = "search",
       .group = Group::kRead,
       .summary = "Search titles, descriptions and the beginning of the text of all skills.",
       .usage = {"search TEXT... [options]"},
       .options = reads({{"limit", "N", "At most so many results (20)."}}),
       .least_words = 1,
       .most_words = kAnyNumber,
       .examples = {{"search fill a pdf form", "best matches first"},
                    {"search --json deploy --limit 5", "for a program"}},
       .functions = {"directory::skills::search"},
       .json = true},
      {.name = "prompts",
       .group = Group::kRead,
       .summary = "List prompts.",
       .usage = {"prompts [options]"},
       .options = reads({}),
       .examples = {{"prompts", "names and what they are for"},
                    {"prompts --json | jq -r '.prompts[].name'", "all names"}},
       .functions = {"directory::prompts::list"},
       .json = true},
      {.name = "prompt",
       .group = Group::kRead,
       .summary = "Show a prompt, with its arguments filled in.",
       .usage = {"prompt NAME [KEY=VALUE ...] [options]"},
       .description = "`{{key}}` in the text is replaced by the value given, `$1` … `$9` by the "
                      "values in their order, `$ARGUMENTS` by that of `arguments`. `-` reads a "
                      "value from stdin: `text=-`.",
       .options = reads({kRaw}),
       .least_words = 1,
       .most_words = kAnyNumber,
       .words = Words::kPrompts,
       .examples = {{"prompt explain", "the template"},
                    {"prompt explain table=users", "filled in"}},
       .functions = {"directory::prompts::get"},
       .json = true},
      {.name = "registry",
       .group = Group::kRead,
       .summary = "Look at the public registry of workers.",
       .usage = {"registry search [TEXT] [options]", "registry info WORKER[@VERSION] [options]"},
       .options = reads({{"tag", "TAG", "Release channel (latest)."}, kRaw}),
       .least_words = 1,
       .most_words = 2,
       .words = Words::kChoices,
       .choices = "search info",
       .examples = {{"registry search mail", "workers about mail"},
                    {"registry info resend", "what one offers"}},
       .functions = {"directory::registry::workers::list", "directory::registry::workers::info"},
       .json = true},
      {.name = "watch",
       .group = Group::kRead,
       .summary = "Show changes of skills and prompts as they happen.",
       .usage = {"watch [PREFIX] [options]"},
       .description = "Until Ctrl-C. With --json one object per line.",
       .options = reads({{"count", "N", "End after so many changes."}}),
       .most_words = 1,
       .words = Words::kSkills,
       .examples = {{"watch", "every change"},
                    {"watch database/ --json", "of one folder, as JSON lines"}},
       .functions = {"directory::changes"},
       .json = true},
      {.name = "doctor",
       .group = Group::kRead,
       .summary =
           "Account for every file under the skill folders: what is served, what is not, and why.",
       .usage = {"doctor [FOLDER] [options]"},
       .description =
           "A running server examines its own folders. Without one, and with --skills or --config, "
           "this process examines those that are configured, or FOLDER. Exits with 1 when a file "
           "is "
           "not served, or a configured folder cannot be read.",
       .options =
           {{"fix", "",
             "Apply the patches that are safe, or those of --code; the rest of each file stays "
             "as it is."},
            kJson,
            {"code", "CODE", "Show the findings of this kind."},
            {"severity", "S", "Show the findings of this severity: error, warning or info."},
            {"prefix", "TEXT", "Look only at files whose path or id starts with this."},
            {"all", "", "Show all findings; without it only a few, and how many of each kind."},
            kColor,
            kUrl,
            kToken,
            kConfig,
            kSkills,
            kHelp},
       .most_words = 1,
       .words = Words::kFolders,
       .examples = {{"doctor", "the folders that are served"},
                    {"doctor ./skills --fix", "repair a folder before publishing it"},
                    {"doctor --severity error", "only what is not served"}},
       .functions = {"directory::doctor", "directory::doctor::apply"},
       .json = true}};
}

std::vector<Verb> bus() {
  return {
      {.name = "trigger",
       .group = Group::kBus,
       .summary = "Call a function on a running engine and print its result as JSON.",
       .usage = {"trigger FUNCTION_PATH [KEY=VALUE ...] [options]"},
       .description =
           "A VALUE is read as JSON, else taken as text. `trigger FUNCTION_PATH --help` shows what "
           "the function takes.",
       .options =
           {{"json", "JSON",
             "The payload; `-` reads it from stdin, `@FILE` from a file. With KEY=VALUE pairs "
             "it must be an object."},
            {"url", "URL", "The engine (III_URL, else ws://localhost:49134)."},
            {"address", "HOST", "Where the engine listens (localhost); HOST:PORT works, too."},
            {"port", "N", "Its port (49134)."},
            {"timeout-ms", "N", "How long to wait for the answer (30000)."},
            {"namespace", "NS", "Of the function.", 'n'},
            kToken,
            {"stack", "", "Print the stack trace of an error."},
            {"function-id", "ID", "Same as FUNCTION_PATH (older spelling)."},
            {"payload", "JSON", "Same as --json (older spelling)."},
            {"help", "", "This text; behind FUNCTION_PATH, what that function takes.", 'h'}},
       .most_words = kAnyNumber,
       .words = Words::kFunctions,
       .examples = {{"trigger directory::health", "the state of the server"},
                    {"trigger state::set scope=notes key=today 'value={\"text\":\"hi\"}'",
                     "JSON values"},
                    {"trigger math::add --json @input.json", "the payload from a file"}}},
      {.name = "workers",
       .group = Group::kBus,
       .summary = "List the workers that are connected to the engine.",
       .usage = {"workers [options]"},
       .options = asks({}),
       .examples = {{"workers", "who is connected here"},
                    {"workers --url ws://10.0.0.7:49134", "who is connected to another engine"}},
       .functions = {"engine::workers::list"},
       .json = true},
      {.name = "functions",
       .group = Group::kBus,
       .summary = "List functions, or show what one takes and gives.",
       .usage = {"functions [ID] [options]"},
       .description =
           "ID is a whole id, or a beginning that ends with `::`. Without a server: the functions "
           "of the directory.",
       .options = reads({{"internal", "", "Also functions that are not meant for callers."}}),
       .most_words = 1,
       .words = Words::kFunctions,
       .examples = {{"functions directory::", "those of the directory"},
                    {"functions directory::skills::get", "one, with its parameters"}},
       .functions = {"engine::functions::list", "engine::functions::info"},
       .json = true},
      {.name = "triggers",
       .group = Group::kBus,
       .summary = "List what is bound to which trigger type.",
       .usage = {"triggers [options]"},
       .options = asks({{"types", "", "List the trigger types instead of the bindings."}}),
       .examples = {{"triggers", "bindings"}, {"triggers --types", "what can be bound to"}},
       .functions = {"engine::registered-triggers::list", "engine::triggers::list"},
       .json = true}};
}

}  // namespace iii::cli::table
