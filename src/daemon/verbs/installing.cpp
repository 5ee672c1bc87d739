#include "daemon/verbs/session.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>

#include "base/counted.h"
#include "base/text.h"
#include "cli/ask.h"
#include "cli/interrupt.h"
#include "cli/next_step.h"
#include "cli/output.h"
#include "daemon/configuration.h"
#include "daemon/verbs/written.h"
#include "functions/lock.h"
#include "json/describe.h"
#include "sources/git_ssh.h"
#include "sources/process.h"

namespace iii::daemon {

namespace {

std::atomic<bool> stop = false;

// What git's configuration of this user or of this machine has; empty: nothing. Not that of the
// folder where this runs: a repository could name a program there.
std::string git_settings(const char* scope, const char* pattern) {
  sources::Command command;
  command.argv = {"git", "config", scope, "--get-regexp", pattern};
  for (const char* name : {"HOME", "PATH", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL"}) {
    const char* value = std::getenv(name);
    if (value != nullptr) command.environment.push_back(std::string(name) + "=" + value);
  }
  sources::Job job;
  job.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  const sources::Ran ran = sources::run(command, job);
  return ran.ok() ? std::string(trim(ran.output)) : "";
}

// Asks git itself, with the configuration of the person at the terminal, so that helpers for one
// server only (`credential.https://example.com.helper`) are found, too. It answers or fails; it
// never asks a person. Empty: no helper is configured.
std::string own_credential_helper() {
  constexpr const char* kHelpers = R"(^credential\.(.*\.)?helper$)";
  if (git_settings("--global", kHelpers).empty() && git_settings("--system", kHelpers).empty()) {
    return "";
  }
  std::string command = "env";
  // The settings of the git that asks must not reach the one that is asked.
  for (const char* name : {"GIT_DIR", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM",
                           "GIT_CONFIG_GLOBAL", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"}) {
    command += std::string(" -u ") + name;
  }
  for (const char* name : {"XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL"}) {
    const char* value = std::getenv(name);
    if (value != nullptr) command += " " + std::string(name) + "=" + sources::shell_quoted(value);
  }
  return "!f() { " + command + " git -C / -c core.askPass= credential fill; }; f";
}

void tell_risks(const std::vector<sources::FileRisk>& risks) {
  cli::note("{} to look at before trusting these files:\n", counted(risks.size(), "finding"));
  for (const sources::FileRisk& risk : risks) {
    cli::note("  {}: {}{}{}\n", sources::where(risk), risk.risk.message,
              risk.risk.excerpt.empty() ? "" : ": ", risk.risk.excerpt);
  }
}

}  // namespace

Session::Session(const cli::Args& args, sources::DownloadsOptions options)
    : args_(args), downloads_(std::make_unique<sources::Downloads>(std::move(options))) {}

Result<std::unique_ptr<Session>> Session::begin(const cli::Args& args) {
  const Result<ConfigReading> reading = configuration_of(args);
  if (!reading) return std::unexpected(reading.error());
  sources::DownloadsOptions options = downloads_options(reading->config, reading->home);
  options.local_folders = true;  // who runs this may read what it reads
  // Who types the command may use what git would use for them; a script says so in the file.
  if (options.git.credential_helper.empty() && cli::can_ask()) {
    options.git.credential_helper = own_credential_helper();
  }
  cli::catch_interrupts(stop);
  return std::unique_ptr<Session>(new Session(args, std::move(options)));
}

std::optional<std::string> Session::name() const {
  if (args_.positionals().empty()) return std::nullopt;
  return args_.positionals().front();
}

sources::Job Session::job(const std::string& name) {
  sources::Job job = downloads_->job([this, name](const sources::Progress& progress) {
    line_.show(name, progress.step, progress.done, progress.total);
  });
  // The signal handler can reach this one only.
  job.cancelled = std::shared_ptr<std::atomic<bool>>(&stop, [](std::atomic<bool>*) {});
  // Shows what was found before anything is written, and asks where somebody can answer.
  const bool sure = args_.has("yes") || args_.has("accept-risks") || !cli::can_ask();
  job.confirm = [this, sure](const std::vector<sources::FileRisk>& risks) {
    line_.clear();
    tell_risks(risks);
    return sure || cli::ask("Install nevertheless?");
  };
  return job;
}

int Session::complain(const Error& error) {
  line_.clear();
  if (!cli::was_interrupted()) return cli::complain(error);
  cli::note("Interrupted. Nothing of what was under way was installed.\n");
  return cli::kInterrupted;
}

void Session::print_files(const sources::InstallReport& report, bool files) const {
  // A local folder has no version.
  cli::print("{}{}{}: {}, {} and {} written; {} unchanged\n", report.name_space,
             report.resolved.empty() ? "" : " ", report.resolved,
             counted(report.skills_written.size(), "skill"),
             counted(report.prompts_written.size(), "prompt"),
             counted(report.assets_written.size(), "other file"), report.unchanged.size());
  const bool wrote = !(report.skills_written.empty() && report.prompts_written.empty() &&
                       report.assets_written.empty());
  if (wrote) {
    cli::print("  in      {}\n",
               (downloads_->options().skills_folder / report.name_space).string());
  }
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

int Session::print_report(const sources::Source& source, const sources::InstallReport& report) {
  line_.clear();
  if (args_.has("json")) {
    cli::print_json(json::encode(directory::output_of(source, report)));
  } else {
    print_files(report, false);
    if (!report.skills_written.empty()) {
      say_written(args_, downloads_->options().skills_folder, {report.name_space});
    }
  }
  return 0;
}

int Session::print_outcomes(Result<std::vector<sources::NamespaceResult>> outcomes, bool files) {
  line_.clear();
  if (!outcomes) return complain(outcomes.error());
  std::vector<std::string> written;
  for (const sources::NamespaceResult& each : *outcomes) {
    if (each.report && !each.report->skills_written.empty()) written.push_back(each.name_space);
  }
  const bool ok =
      std::ranges::all_of(*outcomes, [](const auto& each) { return each.report.has_value(); });
  if (args_.has("json")) {
    std::map<std::string, sources::Source, std::less<>> asked;
    if (const auto lock = downloads_->lock()) {
      for (const auto& [name, locked] : lock->namespaces) asked.emplace(name, locked.source);
    }
    cli::print_json(directory::outcomes_json(asked, std::move(*outcomes)));
  } else {
    if (outcomes->empty()) cli::print_text("directory.lock is empty: there is nothing to do\n");
    for (const sources::NamespaceResult& outcome : *outcomes) {
      if (outcome.report) {
        print_files(*outcome.report, files);
      } else {
        cli::note("{}: {}\n", outcome.name_space, cli::as_commands(outcome.error->message));
      }
    }
  }
  if (cli::was_interrupted()) return cli::kInterrupted;
  if (!written.empty()) say_written(args_, downloads_->options().skills_folder, written);
  return ok ? 0 : 1;
}

}  // namespace iii::daemon
