#include "daemon/sources_verbs.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "base/counted.h"
#include "base/text.h"
#include "cli/args.h"
#include "cli/next_step.h"
#include "cli/output.h"
#include "cli/progress_line.h"
#include "daemon/configuration.h"
#include "functions/download.h"
#include "functions/lock.h"
#include "functions/repo_skills.h"
#include "json/describe.h"
#include "sources/downloads.h"

namespace iii::daemon {

namespace {

using sources::FileState;
using sources::NamespaceResult;

constexpr cli::Option kConfig{"config", "FILE",
                              "Configuration file of the directory (./config.yaml)."};
constexpr cli::Option kSkills{"skills", "DIR", "Use this folder instead of `skills_folder`."};
constexpr cli::Option kJson{"json", "", "Print the result as JSON."};
constexpr cli::Option kForce{
    "force", "", "Overwrite files that were edited here, and what another source installed."};
constexpr cli::Option kHelp{"help", "", "This text.", 'h'};

const cli::Command& install_command() {
  static const cli::Command command{
      .usage =
          "iii-directory install SOURCE [--skill NAME | --path PATH | --all | --list] [options]\n"
          "       iii-directory install WORKER[@VERSION] [--tag TAG] [options]\n"
          "       iii-directory install [--frozen] [options]",
      .summary =
          "Fetches skills and prompts into the skills folder and records them in directory.lock.\n"
          "SOURCE is a git repository: owner/repo, owner/repo@skill, owner/repo/path, each with\n"
          "#ref; https://HOST/owner/repo/tree/REF/path; any https, ssh or git@ address; or a "
          "local\n"
          "folder (./x, /x). Skills are found in any folder that has a SKILL.md.\n"
          "WORKER is a worker of the registry.\n"
          "Without a source: brings back exactly what directory.lock says, or fails.\n"
          "`add` is the same verb.",
      .options = {{"tag", "TAG", "Release channel of a worker (latest)."},
                  {"repo", "URL", "Git repository, instead of SOURCE."},
                  {"skill", "NAME", "Skill to take: a folder's name, or `name` in a SKILL.md."},
                  {"path", "PATH", "Folder to take, as --list shows it."},
                  {"as", "NAME", "Namespace to write to, instead of the skill's name."},
                  {"list", "", "Only show the skills of the repository."},
                  {"all", "", "Take every skill, each into its own namespace."},
                  {"ref", "REF", "Branch, tag or commit."},
                  {"frozen", "", "Take nothing but what directory.lock says."},
                  kForce,
                  kJson,
                  kConfig,
                  kSkills,
                  kHelp},
      .positionals = true};
  return command;
}

const cli::Command& verify_command() {
  static const cli::Command command{.usage = "iii-directory verify [NAMESPACE] [options]",
                                    .summary = "Compares downloaded files with directory.lock.",
                                    .options = {kJson, kConfig, kSkills, kHelp},
                                    .positionals = true};
  return command;
}

const cli::Command& outdated_command() {
  static const cli::Command command{
      .usage = "iii-directory outdated [NAMESPACE] [options]",
      .summary = "Tells which downloads have something newer upstream.",
      .options = {kJson, kConfig, kSkills, kHelp},
      .positionals = true};
  return command;
}

const cli::Command& diff_command() {
  static const cli::Command command{
      .usage = "iii-directory diff NAMESPACE [options]",
      .summary =
          "Shows what `update` would change: `-` lines are here, `+` lines are in the source.",
      .options =
          {{"file", "PATH", "Only this file of the namespace."}, kJson, kConfig, kSkills, kHelp},
      .positionals = true};
  return command;
}

const cli::Command& update_command() {
  static const cli::Command command{
      .usage = "iii-directory update [NAMESPACE] [options]",
      .summary =
          "Downloads again what was asked for before. Exact versions stay unless they are named.",
      .options = {kForce, kJson, kConfig, kSkills, kHelp},
      .positionals = true};
  return command;
}

using cli::complain;

constexpr std::array<std::string_view, 8> kSourceOptions = {"repo", "skill", "path", "as",
                                                            "ref",  "tag",   "list", "all"};

// What every verb begins with: words, help, configuration, and the sources themselves.
struct Session {
  cli::Args args;
  std::unique_ptr<sources::Downloads> downloads;
  std::optional<std::string> name;  // first positional
};

// Nothing when the exit code is already known.
std::optional<Session> begin(const cli::Command& command, std::span<const std::string> words,
                             int& exit_code) {
  Result<cli::Args> args = cli::parse_args(command, words);
  if (!args) {
    exit_code = complain(args.error());
    return std::nullopt;
  }
  if (args->has("help")) {
    cli::print_text(cli::help_text(command));
    exit_code = 0;
    return std::nullopt;
  }
  if (args->positionals().size() > 1) {
    exit_code = complain({"usage", "one name at a time, please"});
    return std::nullopt;
  }
  const Result<ConfigReading> reading = configuration_of(*args);
  if (!reading) {
    exit_code = complain(reading.error());
    return std::nullopt;
  }
  sources::DownloadsOptions options = downloads_options(reading->config, reading->home);
  options.local_folders = true;  // who runs this may read what it reads
  Session session{.args = std::move(*args),
                  .downloads = std::make_unique<sources::Downloads>(std::move(options)),
                  .name = std::nullopt};
  if (!session.args.positionals().empty()) session.name = session.args.positionals().front();
  return session;
}

// `files`: also what came and what changed, one line each.
void print_report(const sources::InstallReport& report, bool files = false) {
  cli::print("{} {}: {}, {} and {} written; {} unchanged\n", report.name_space, report.resolved,
             counted(report.skills_written.size(), "skill"),
             counted(report.prompts_written.size(), "prompt"),
             counted(report.assets_written.size(), "other file"), report.unchanged.size());
  if (files) {
    for (const std::string& path : report.added) cli::print("  added   {}\n", path);
    for (const std::string& path : report.changed) cli::print("  changed {}\n", path);
  }
  if (!report.executable.empty()) {
    cli::print("  executable: {}\n", join(report.executable, ", "));
  }
  if (!report.executable_dropped.empty()) {
    cli::print("  not executable here (keep_executable_bits is off): {}\n",
               join(report.executable_dropped, ", "));
  }
  for (const std::string& path : report.pruned) {
    cli::print("  removed {} (dropped upstream)\n", path);
  }
  for (const std::string& path : report.conflicts) {
    cli::print("  kept    {} (edited here, or not downloaded before; --force overwrites)\n", path);
  }
  for (const std::string& path : report.overwritten) {
    cli::print("  replaced {} (edited here, or not downloaded before)\n", path);
  }
  for (const sources::SkippedFile& file : report.skipped) {
    cli::print("  skipped {}: {}\n", file.path, file.reason);
  }
}

// Several namespaces, each with its own end.
int print_outcomes(Session& session, Result<std::vector<NamespaceResult>> outcomes,
                   bool files = false) {
  if (!outcomes) return complain(outcomes.error());
  bool ok = true;
  for (const NamespaceResult& outcome : *outcomes) ok = ok && outcome.report;
  if (session.args.has("json")) {
    std::map<std::string, sources::Source> asked;
    if (const auto lock = session.downloads->lock()) {
      for (const auto& [name, locked] : lock->namespaces) asked.emplace(name, locked.source);
    }
    cli::print_text(directory::outcomes_json(asked, std::move(*outcomes)) + "\n");
    return ok ? 0 : 1;
  }
  if (outcomes->empty()) cli::print_text("directory.lock is empty: there is nothing to do\n");
  for (const NamespaceResult& outcome : *outcomes) {
    if (outcome.report) {
      print_report(*outcome.report, files);
    } else {
      cli::note("{}: {}\n", outcome.name_space, cli::as_commands(outcome.error->message));
    }
  }
  return ok ? 0 : 1;
}

// The words of the command line as fields. `SOURCE` is told from `WORKER` by its slash.
Result<sources::SourceFields> asked_fields(const Session& session) {
  sources::SourceFields fields;
  fields.repo = session.args.value("repo");
  fields.skill = session.args.value("skill");
  fields.path = session.args.value("path");
  fields.as = session.args.value("as");
  fields.ref = session.args.value("ref");
  fields.tag = session.args.value("tag");
  if (!session.name) return fields;
  const std::string& word = *session.name;
  const bool repo = sources::is_local_word(word) || word.find('/') != std::string::npos ||
                    word.starts_with("git@");
  if (repo && fields.repo) {
    return fail("usage", "the repository is given twice: as `" + word + "` and with --repo");
  }
  if (repo) {
    fields.repo = word;
  } else {
    const size_t at = word.find('@');
    fields.worker = word.substr(0, at);
    if (at != std::string::npos) fields.version = word.substr(at + 1);
  }
  return fields;
}

// A local folder is named by its whole path from here on.
void make_local(sources::SourceFields& fields) {
  if (!fields.repo || !sources::is_local_word(*fields.repo)) return;
  std::string path = *fields.repo;
  if (path.starts_with("file://")) path.erase(0, 7);
  if (path.starts_with("~/")) path = home_folder() + path.substr(1);
  fields.repo = "file://" + std::filesystem::absolute(path).lexically_normal().string();
  while (fields.repo->ends_with('/')) fields.repo->pop_back();
  fields.local = true;
}

int print_listing(const Session& session, const sources::RepoListing& listing) {
  if (session.args.has("json")) {
    cli::print_text(directory::repo_skills_json(listing) + "\n");
    return 0;
  }
  for (const sources::ListedSkill& skill : listing.skills) {
    cli::print("{}{}\n", skill.path, skill.name.empty() ? "" : "  (" + skill.name + ")");
    if (!skill.description.empty()) cli::print("    {}\n", skill.description);
  }
  cli::print("{}\n", counted(listing.skills.size(), "skill"));
  return 0;
}

// Without a name it is clear what is meant only where there is one skill.
Result<void> choose_only(sources::SourceFields& fields, const sources::RepoListing& listing) {
  std::vector<const sources::ListedSkill*> skills;
  for (const sources::ListedSkill& skill : listing.skills) {
    if (!skill.name_space.empty()) skills.push_back(&skill);
  }
  if (skills.size() == 1) {
    fields.path = skills.front()->path;
    if (*fields.path == "." && !fields.skill) fields.skill = skills.front()->name_space;
    return {};
  }
  if (skills.empty()) {
    return fail(
        "D310",
        "D310 not_found: the repository has no SKILL.md. Next: check the address and --ref");
  }
  constexpr size_t kShown = 10;
  std::vector<std::string> paths;
  for (const sources::ListedSkill* skill : skills) {
    if (paths.size() < kShown) paths.push_back(skill->path);
  }
  return fail("D310", "D310 ambiguous: the repository has " + std::to_string(skills.size()) +
                          " skills: " + join(paths, ", ") + (skills.size() > kShown ? ", …" : "") +
                          ". Next: name one with --skill or --path, or take --all; --list shows "
                          "what each is for");
}

class InstallVerb {
 public:
  explicit InstallVerb(Session& session) : session_(session) {}

  int run() {
    Result<sources::SourceFields> fields = asked_fields(session_);
    if (!fields) return complain(fields.error());
    fields_ = std::move(*fields);
    make_local(fields_);
    const bool many = session_.args.has("list") || session_.args.has("all");
    if (many && (fields_.skill || fields_.as)) {
      return complain({"usage", "--list and --all go with neither --skill nor --as"});
    }
    if (many && !fields_.repo) return complain({"usage", "--list and --all need a repository"});
    if (many) return several();
    if (fields_.repo && !fields_.skill && !fields_.path) {
      const sources::RepoAddress address = sources::parse_repo(*fields_.repo);
      if (!address.skill && !address.path) {
        auto listing = list();
        if (!listing) return complain(listing.error());
        if (auto only = choose_only(fields_, *listing); !only) return complain(only.error());
      }
    }
    return one();
  }

 private:
  sources::InstallOptions options() const {
    sources::InstallOptions options;
    options.force = session_.args.has("force");
    return options;
  }
  sources::Job job(std::string name) {
    return session_.downloads->job(
        [this, name = std::move(name)](const sources::Progress& progress) {
          line_.show(name, progress.step, progress.done, progress.total);
        });
  }
  Result<sources::RepoSource> repository() const {
    auto source = sources::classify_repository(*fields_.repo, fields_.ref, fields_.local);
    if (source && fields_.path) source->path = fields_.path;
    return source;
  }

  Result<sources::RepoListing> list() {
    const auto source = repository();
    if (!source) return std::unexpected(source.error());
    auto listing = session_.downloads->list(*source, job(source->skill));
    line_.clear();
    return listing;
  }

  int several() {
    if (session_.args.has("list")) {
      const auto listing = list();
      return listing ? print_listing(session_, *listing) : complain(listing.error());
    }
    const auto source = repository();
    if (!source) return complain(source.error());
    auto outcomes = session_.downloads->download_all(*source, options(), job(source->skill));
    line_.clear();
    return print_outcomes(session_, std::move(outcomes));
  }

  int one() {
    const Result<sources::Source> source = sources::classify(fields_);
    if (!source) return complain(source.error());
    const auto report =
        session_.downloads->download(*source, options(), job(sources::namespace_of(*source)));
    line_.clear();
    if (!report) return complain(report.error());
    if (session_.args.has("json")) {
      cli::print_text(json::encode(directory::output_of(*source, *report)) + "\n");
    } else {
      print_report(*report);
    }
    return 0;
  }

  Session& session_;
  sources::SourceFields fields_;
  cli::ProgressLine line_;
};

}  // namespace

int run_install(std::span<const std::string> words) {
  int exit_code = 0;
  std::optional<Session> session = begin(install_command(), words, exit_code);
  if (!session) return exit_code;
  const bool has_source = session->name || std::ranges::any_of(kSourceOptions, [&](auto option) {
                            return session->args.has(option);
                          });
  if (!has_source) {
    if (!session->downloads->has_lock_file()) {
      return complain({"D310",
                       "D310 not_found: there is no directory.lock in the skills folder, so there "
                       "is nothing to install from. Next: name a source, for example "
                       "`iii-directory install WORKER`."});
    }
    return print_outcomes(*session,
                          session->downloads->restore(std::nullopt, session->args.has("force"),
                                                      session->downloads->job()));
  }
  if (session->args.has("frozen")) {
    return complain({"usage", "--frozen takes everything from directory.lock; name no source"});
  }
  return InstallVerb(*session).run();
}

int run_verify(std::span<const std::string> words) {
  int exit_code = 0;
  std::optional<Session> session = begin(verify_command(), words, exit_code);
  if (!session) return exit_code;
  const auto verified = session->downloads->verify(session->name);
  if (!verified) return complain(verified.error());
  bool ok = true;
  for (const sources::VerifiedNamespace& one : *verified) {
    for (const sources::VerifiedFile& file : one.files) {
      ok = ok && (file.state == FileState::kIntact || file.state == FileState::kExtra);
    }
  }
  if (session->args.has("json")) {
    cli::print_text(directory::verify_json(*verified) + "\n");
    return ok ? 0 : 1;
  }
  for (const sources::VerifiedNamespace& one : *verified) {
    size_t intact = 0;
    for (const sources::VerifiedFile& file : one.files) intact += file.state == FileState::kIntact;
    cli::print("{} {}: {} intact\n", one.name_space, one.locked.resolved, intact);
    for (const sources::VerifiedFile& file : one.files) {
      if (file.state == FileState::kIntact) continue;
      const std::string_view state = file.state == FileState::kEdited    ? "edited"
                                     : file.state == FileState::kMissing ? "missing"
                                     : file.state == FileState::kMode    ? "mode"
                                                                         : "extra";
      cli::print("  {:7} {}\n", state, file.path);
    }
  }
  if (verified->empty()) cli::print_text("directory.lock is empty\n");
  return ok ? 0 : 1;
}

int run_outdated(std::span<const std::string> words) {
  int exit_code = 0;
  std::optional<Session> session = begin(outdated_command(), words, exit_code);
  if (!session) return exit_code;
  const auto rows = session->downloads->outdated(session->name, session->downloads->job());
  if (!rows) return complain(rows.error());
  bool differs = false;
  for (const sources::OutdatedRow& row : *rows) differs = differs || row.outdated || row.error;
  if (session->args.has("json")) {
    cli::print_text(directory::outdated_json(*rows) + "\n");
    return differs ? 1 : 0;
  }
  for (const sources::OutdatedRow& row : *rows) {
    const std::string note = row.error       ? cli::as_commands(row.error->message)
                             : row.pinned    ? "pinned"
                             : !row.outdated ? "up to date"
                             : !row.kept.empty() && row.latest == row.current ? "up to date"
                             : is_local(row.source)                           ? "changed"
                             : row.latest.empty()                             ? "unknown upstream"
                                                                              : "-> " + row.latest;
    cli::print("{} {} {}{}\n", row.name_space, row.current, note,
               row.kept.empty() ? "" : ", except files that were kept:");
    for (const std::string& path : row.kept) {
      cli::print("  kept    {} (edited here, older than {}; update --force replaces it)\n", path,
                 row.current);
    }
  }
  return differs ? 1 : 0;
}

int run_update(std::span<const std::string> words) {
  int exit_code = 0;
  std::optional<Session> session = begin(update_command(), words, exit_code);
  if (!session) return exit_code;
  cli::ProgressLine line;
  auto outcomes = session->downloads->update(
      session->name, session->args.has("force"),
      session->downloads->job([&line](const sources::Progress& progress) {
        line.show("update", progress.step, progress.done, progress.total);
      }));
  line.clear();
  return print_outcomes(*session, std::move(outcomes), true);
}

int run_diff(std::span<const std::string> words) {
  int exit_code = 0;
  std::optional<Session> session = begin(diff_command(), words, exit_code);
  if (!session) return exit_code;
  if (!session->name) return complain({"usage", "name the namespace to compare"});
  auto diff = session->downloads->diff(*session->name, session->args.value("file"),
                                       session->downloads->job());
  if (!diff) return complain(diff.error());
  const bool differs = !diff->files.empty();
  if (session->args.has("json")) {
    cli::print_text(directory::diff_json(std::move(*diff)) + "\n");
    return differs ? 1 : 0;
  }
  for (const sources::FileDiff& file : diff->files) {
    const bool added = file.kind == sources::FileDiff::Kind::kAdded;
    const bool removed = file.kind == sources::FileDiff::Kind::kRemoved;
    cli::print("--- {}\n+++ {}\n", added ? "/dev/null" : "here/" + file.path,
               removed ? "/dev/null" : "source/" + file.path);
    if (!file.note.empty()) cli::print("({})\n", file.note);
    cli::print_text(file.text);
  }
  if (!differs) cli::print("{}: no differences\n", diff->name_space);
  return differs ? 1 : 0;
}

}  // namespace iii::daemon
