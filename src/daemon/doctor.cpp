#include "daemon/doctor.h"

#include <cstdint>
#include <memory>

#include "base/counted.h"
#include "cli/args.h"
#include "cli/output.h"
#include "daemon/configuration.h"
#include "daemon/folders.h"
#include "daemon/hidden.h"
#include "functions/doctor.h"
#include "functions/lock.h"
#include "functions/risks.h"

namespace iii::daemon {

namespace {

const cli::Command& doctor_command() {
  static const cli::Command command{
      .usage = "iii-directory doctor [--fix] [--json] [options]",
      .summary =
          "Accounts for every file under the skill folders: what is served, what is not, and why.",
      .options = {
          {"fix", "", "Apply the patches that are safe; the rest of each file stays as it is."},
          {"json", "", "Print the report as JSON."},
          {"config", "FILE", "Configuration file of the directory (./config.yaml)."},
          {"skills", "DIR", "Look at this folder instead of `skills_folder`."},
          {"help", "", "This text.", 'h'}}};
  return command;
}

bool has_error(const directory::DoctorReport& report) {
  for (const directory::DoctorFinding& finding : report.findings) {
    if (finding.severity == "error") return true;
  }
  return false;
}

// True when a folder that is configured cannot be read. Sound folders are named for people only.
bool tell_folders(const ConfigReading& reading, const content::Generation& generation,
                  bool for_people) {
  bool wrong = false;
  for (const Folder& folder : folders_of(reading.config, reading.home, generation)) {
    if (is_wrong(folder)) {
      cli::note("Error: the {}. Next: create it, or name another folder.\n", folder_line(folder));
      wrong = true;
    } else if (for_people) {
      cli::print("{}\n", folder_line(folder));
    }
  }
  return wrong;
}

// Without a bus nobody knows which workers are installed, so this says what depends on them.
void tell_filter(const ConfigReading& reading, const content::GenerationPtr& generation) {
  if (!reading.config.filter_unregistered) return;
  // Our own page is always shown.
  const auto installed = std::make_shared<directory::NameSet>(directory::NameSet{"iii-directory"});
  const Hidden hidden = hidden_from(directory::View(generation, installed));
  if (hidden.skills == 0) return;
  cli::note(
      "Note: as a worker on another engine the directory hides {} while these workers are not "
      "installed: {}. `filter_unregistered: false` shows all; `serve` does so by default.\n",
      counted(hidden.skills, "skill"), some_of(hidden.workers));
}

}  // namespace

int run_doctor(std::span<const std::string> words) {
  const Result<cli::Args> args = cli::parse_args(doctor_command(), words);
  if (!args) return cli::complain(args.error());
  if (args->has("help")) {
    cli::print_text(cli::help_text(doctor_command()));
    return 0;
  }
  const Result<ConfigReading> reading = configuration_of(*args);
  if (!reading) return cli::complain(reading.error());
  const auto content =
      content::Content::open(content_options(reading->config, reading->home, std::nullopt));
  sources::Downloads downloads(downloads_options(reading->config, reading->home));
  if (args->has("fix")) {
    directory::FixOutcome outcome = directory::apply_ready_fixes(*content);
    if (const auto noted = downloads.record_fixes(outcome.in_skills_folder); !noted) {
      outcome.failures.push_back("directory.lock: " + noted.error().message);
    }
    cli::note("{} fixed\n", counted(outcome.fixed_files, "file"));
    for (const std::string& failure : outcome.failures) {
      cli::note("not fixed: {}\n", failure);
    }
  }
  const content::GenerationPtr generation = content->fresh();
  directory::DoctorReport report = directory::examine(*generation, SIZE_MAX);
  directory::add_findings(report, directory::lock_findings(downloads));
  if (reading->config.scan != sources::ScanAction::kOff) {
    directory::add_findings(report,
                            directory::scan_documents(*content, *generation,
                                                      downloads.lock().value_or(sources::Lock{})));
  }
  if (args->has("json")) {
    cli::print_text(directory::report_json(report) + "\n");
  } else {
    cli::print_text(directory::report_text(report));
  }
  const bool wrong = tell_folders(*reading, *generation, !args->has("json"));
  tell_filter(*reading, generation);
  return has_error(report) || wrong || !reading->errors.empty() ? 1 : 0;
}

}  // namespace iii::daemon
