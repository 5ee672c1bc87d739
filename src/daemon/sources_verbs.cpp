#include "daemon/sources_verbs.h"

#include <csignal>
#include <map>
#include <memory>
#include <optional>

#include "base/counted.h"
#include "cli/args.h"
#include "cli/ask.h"
#include "cli/next_step.h"
#include "cli/output.h"
#include "cli/progress_line.h"
#include "daemon/configuration.h"
#include "functions/download.h"
#include "functions/lock.h"
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
constexpr cli::Option kForce{"force", "", "Overwrite files that were edited here."};
constexpr cli::Option kYes{"yes", "", "Install without asking when there are findings.", 'y'};
constexpr cli::Option kAcceptRisks{
    "accept-risks", "",
    "Install in spite of findings, and record them in directory.lock as accepted."};
constexpr cli::Option kHelp{"help", "", "This text.", 'h'};

const cli::Command& install_command() {
  static const cli::Command command{
      .usage =
          "iii-directory install WORKER[@VERSION] [--tag TAG] [options]\n"
          "       iii-directory install --repo URL --skill NAME [--ref REF] [options]\n"
          "       iii-directory install [--frozen] [options]",
      .summary =
          "Fetches skills and prompts into the skills folder and records them in directory.lock.\n"
          "Without a source: brings back exactly what directory.lock says, or fails.",
      .options = {{"tag", "TAG", "Release channel of a worker (latest)."},
                  {"repo", "URL", "Git repository: https://, ssh:// or git@."},
                  {"skill", "NAME", "Folder to take from the repository."},
                  {"ref", "REF", "Branch, tag or commit."},
                  {"frozen", "", "Take nothing but what directory.lock says."},
                  kForce,
                  kYes,
                  kAcceptRisks,
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

const cli::Command& update_command() {
  static const cli::Command command{
      .usage = "iii-directory update [NAMESPACE] [options]",
      .summary =
          "Downloads again what was asked for before. Exact versions stay unless they are named.",
      .options = {kForce, kYes, kJson, kConfig, kSkills, kHelp},
      .positionals = true};
  return command;
}

using cli::complain;

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
  Session session{.args = std::move(*args),
                  .downloads = std::make_unique<sources::Downloads>(
                      downloads_options(reading->config, reading->home)),
                  .name = std::nullopt};
  if (!session.args.positionals().empty()) session.name = session.args.positionals().front();
  return session;
}

void print_report(const sources::InstallReport& report) {
  cli::print("{} {}: {}, {} and {} written; {} unchanged\n", report.name_space, report.resolved,
             counted(report.skills_written.size(), "skill"),
             counted(report.prompts_written.size(), "prompt"),
             counted(report.assets_written.size(), "other file"), report.unchanged.size());
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

void tell_risks(const std::vector<sources::FileRisk>& risks) {
  cli::note("{} to look at before trusting these files:\n", counted(risks.size(), "finding"));
  for (const sources::FileRisk& risk : risks) {
    cli::note("  {}: {}{}{}\n", sources::where(risk), risk.risk.message,
              risk.risk.excerpt.empty() ? "" : ": ", risk.risk.excerpt);
  }
}

// Shows what was found before anything is written, and asks where somebody can answer.
std::function<bool(const std::vector<sources::FileRisk>&)> confirm_risks(const Session& session,
                                                                         cli::ProgressLine& line) {
  const bool sure = session.args.has("yes") || session.args.has("accept-risks") || !cli::can_ask();
  return [sure, &line](const std::vector<sources::FileRisk>& risks) {
    line.clear();
    tell_risks(risks);
    return sure || cli::ask("Install nevertheless?");
  };
}

// Several namespaces, each with its own end.
int print_outcomes(Session& session, Result<std::vector<NamespaceResult>> outcomes) {
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
      print_report(*outcome.report);
    } else {
      cli::note("{}: {}\n", outcome.name_space, cli::as_commands(outcome.error->message));
    }
  }
  return ok ? 0 : 1;
}

Result<sources::Source> asked_source(const Session& session) {
  sources::SourceFields fields;
  fields.repo = session.args.value("repo");
  fields.skill = session.args.value("skill");
  fields.ref = session.args.value("ref");
  fields.tag = session.args.value("tag");
  if (session.name) {
    const size_t at = session.name->find('@');
    fields.worker = session.name->substr(0, at);
    if (at != std::string::npos) fields.version = session.name->substr(at + 1);
  }
  return sources::classify(fields);
}

int install_source(Session& session) {
  const Result<sources::Source> source = asked_source(session);
  if (!source) return complain(source.error());
  sources::InstallOptions options;
  options.force = session.args.has("force");
  options.accept_risks = session.args.has("accept-risks");
  cli::ProgressLine line;
  sources::Job job = session.downloads->job(
      [&line, name = sources::namespace_of(*source)](const sources::Progress& progress) {
        line.show(name, progress.step, progress.done, progress.total);
      });
  job.confirm = confirm_risks(session, line);
  const auto report = session.downloads->download(*source, options, job);
  line.clear();
  if (!report) return complain(report.error());
  if (session.args.has("json")) {
    cli::print_text(json::encode(directory::output_of(*source, *report)) + "\n");
  } else {
    print_report(*report);
  }
  return 0;
}

}  // namespace

int run_install(std::span<const std::string> words) {
  int exit_code = 0;
  std::optional<Session> session = begin(install_command(), words, exit_code);
  if (!session) return exit_code;
  const bool has_source = session->name || session->args.has("repo") ||
                          session->args.has("skill") || session->args.has("ref") ||
                          session->args.has("tag");
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
  return install_source(*session);
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
    const std::string note = row.error                   ? cli::as_commands(row.error->message)
                             : row.pinned                ? "pinned"
                             : row.latest == row.current ? "up to date"
                             : row.latest.empty()        ? "unknown upstream"
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
  sources::Job job = session->downloads->job([&line](const sources::Progress& progress) {
    line.show("update", progress.step, progress.done, progress.total);
  });
  job.confirm = confirm_risks(*session, line);
  auto outcomes = session->downloads->update(session->name, session->args.has("force"), job);
  line.clear();
  return print_outcomes(*session, std::move(outcomes));
}

}  // namespace iii::daemon
