// Verbs that change the skills folder.
#include "faces/cli/verbs.h"

namespace iii::cli::table {

namespace {

constexpr Option kForce{
    "force", "", "Overwrite files that were edited here, and what another source installed."};
constexpr Option kForceAsking{"force", "",
                              "Replace files that were edited here; a terminal is asked first."};
constexpr Option kYes{"yes", "", "Do not ask.", 'y'};
constexpr Option kAcceptRisks{
    "accept-risks", "",
    "Install in spite of findings, and record them in directory.lock as accepted."};

std::vector<Option> writes(std::vector<Option> own) {
  for (const Option& each : {kJson, kColor, kUrl, kToken, kConfig, kSkills, kHelp}) {
    own.push_back(each);
  }
  return own;
}

Verb add() {
  return {
      .name = "add",
      .group = Group::kWrite,
      .summary = "Install skills and prompts of a repository, a folder or a worker.",
      .usage = {"add SOURCE [--skill NAME | --path PATH | --all | --list] [options]",
                "add WORKER[@VERSION] [--tag TAG] [options]", "add --frozen [options]"},
      .description =
          "They are written to the skills folder and recorded in directory.lock, completely or not "
          "at all.\n"
          "SOURCE is a git repository: owner/repo, owner/repo@skill, owner/repo/path, each with "
          "#ref; https://HOST/owner/repo/tree/REF/path; any https, ssh or git@ address; or a local "
          "folder (./x, /x). Skills are found in any folder that has a SKILL.md. Where there are "
          "several, a terminal is asked which.\n"
          "WORKER is a worker of the registry.\n"
          "Without a source: brings back exactly what directory.lock says, or fails.\n"
          "A running server writes them to its own folder, and reads private repositories with the "
          "credentials that its configuration names. Without one, with --skills or --config, and "
          "from a "
          "local folder, this process does, on a terminal with your own git credentials.",
      .options =
          writes({{"tag", "TAG", "Release channel of a worker (latest)."},
                  {"repo", "URL", "Git repository, instead of SOURCE."},
                  {"skill", "NAME", "Skill to take: a folder's name, or `name` in a SKILL.md."},
                  {"path", "PATH", "Folder to take, as --list shows it."},
                  {"as", "NAME", "Namespace to write to, instead of the skill's name."},
                  {"list", "", "Only show the skills of the repository."},
                  {"all", "", "Take every skill, each into its own namespace."},
                  {"ref", "REF", "Branch, tag or commit."},
                  {"frozen", "", "Take nothing but what directory.lock says."},
                  kForce,
                  kYes,
                  kAcceptRisks}),
      .most_words = 1,
      .words = Words::kFolders,
      .examples = {{"add anthropics/skills", "choose from a repository"},
                   {"add anthropics/skills@mcp-builder", "one of them"},
                   {"add resend", "the documents of a worker"}},
      .aliases = {"install"},
      .functions = {"directory::skills::download", "directory::repo::skills",
                    "directory::repo::download"},
      .json = true};
}

}  // namespace

std::vector<Verb> writing() {
  return {
      add(),
      {.name = "remove",
       .group = Group::kWrite,
       .summary = "Remove what was installed.",
       .usage = {"remove NAMESPACE... [options]"},
       .description = "The files that were installed go, and the entry in directory.lock. Files "
                      "that you edited "
                      "or added stay, unless --force is given.",
       .options = writes({{"force", "", "Also files that were edited or added here."}, kYes}),
       .least_words = 1,
       .most_words = kAnyNumber,
       .words = Words::kNamespaces,
       .examples = {{"remove mcp-builder", "asks first"}, {"remove resend -y", "does not ask"}},
       .functions = {"directory::skills::remove"},
       .json = true},
      {.name = "update",
       .group = Group::kWrite,
       .summary = "Install again what was asked for before, where there is something newer.",
       .usage = {"update [NAMESPACE] [options]"},
       .description = "Exact versions stay unless they are named. A folder that you deleted is not "
                      "brought back, "
                      "unless it is named.",
       .options = writes({kForceAsking, kYes}),
       .most_words = 1,
       .words = Words::kNamespaces,
       .examples = {{"update", "everything"}, {"update mcp-builder", "one"}},
       .functions = {"directory::lock::update"},
       .json = true},
      {.name = "outdated",
       .group = Group::kWrite,
       .summary = "Tell which installations have something newer upstream.",
       .usage = {"outdated [NAMESPACE] [options]"},
       .description = "Exits with 1 when there is something newer.",
       .options = writes({}),
       .most_words = 1,
       .words = Words::kNamespaces,
       .examples = {{"outdated", "everything"},
                    {"outdated mcp-builder --json", "one, for a program"}},
       .functions = {"directory::lock::outdated"},
       .json = true},
      {.name = "verify",
       .group = Group::kWrite,
       .summary = "Compare installed files with directory.lock.",
       .usage = {"verify [NAMESPACE] [options]"},
       .description = "Exits with 1 when a file is edited or missing.",
       .options = writes({}),
       .most_words = 1,
       .words = Words::kNamespaces,
       .examples = {{"verify", "everything"}, {"verify mcp-builder", "one"}},
       .functions = {"directory::lock::verify"},
       .json = true},
      {.name = "restore",
       .group = Group::kWrite,
       .summary = "Bring back exactly what directory.lock says.",
       .usage = {"restore [NAMESPACE] [options]"},
       .description = "Files are fetched again where they are missing. The same as `add --frozen`.",
       .options = writes({kForceAsking, kYes}),
       .most_words = 1,
       .words = Words::kNamespaces,
       .examples = {{"restore", "after a checkout"},
                    {"restore mcp-builder", "one that was deleted"}},
       .functions = {"directory::lock::restore"},
       .json = true},
      {.name = "diff",
       .group = Group::kWrite,
       .summary =
           "Show what `update` would change: `-` lines are here, `+` lines are in the source.",
       .usage = {"diff NAMESPACE [options]"},
       .options = writes({{"file", "PATH", "Only this file of the namespace."}}),
       .least_words = 1,
       .most_words = 1,
       .words = Words::kNamespaces,
       .examples = {{"diff mcp-builder", "before an update"},
                    {"diff mcp-builder --json", "the same for a program"}},
       .functions = {"directory::lock::diff"},
       .json = true},
      {.name = "new",
       .group = Group::kWrite,
       .summary = "Write a new skill or prompt from a template.",
       .usage = {"new skill NAME [options]", "new prompt NAME [options]"},
       .description =
           "NAME is the folder of the skill below the skills folder, such as `database`, or "
           "`database/explain` for a prompt of that folder. Nothing is overwritten.",
       .options = {{"title", "TEXT", "Title; the name, when it is not given."},
                   {"description", "TEXT", "When to use it."},
                   {"local", "", "Write to the folder of this project (./.iii/skills)."},
                   kJson,
                   kColor,
                   kConfig,
                   kSkills,
                   kHelp},
       .least_words = 2,
       .most_words = 2,
       .words = Words::kChoices,
       .choices = "skill prompt",
       .examples = {{"new skill database", "~/.iii/skills/database/SKILL.md"},
                    {"new prompt database/explain --local",
                     "./.iii/skills/database/prompts/explain.md"}},
       .json = true}};
}

}  // namespace iii::cli::table
