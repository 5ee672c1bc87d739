#include "daemon/doctor.h"

#include <cstdint>
#include <cstdlib>

#include "base/counted.h"
#include "cli/args.h"
#include "cli/output.h"
#include "daemon/config.h"
#include "daemon/directory.h"
#include "functions/doctor.h"
#include "functions/lock.h"

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

}  // namespace

int run_doctor(std::span<const std::string> words) {
  const Result<cli::Args> args = cli::parse_args(doctor_command(), words);
  if (!args) return cli::complain(args.error());
  if (args->has("help")) {
    cli::print_text(cli::help_text(doctor_command()));
    return 0;
  }
  DirectoryConfig config = read_configuration(args->value("config"), {});
  if (const auto skills = args->value("skills")) config.skills_folder = *skills;
  const char* home = std::getenv("HOME");
  const auto content =
      content::Content::open(content_options(config, home != nullptr ? home : "", std::nullopt));
  sources::Downloads downloads(downloads_options(config, home != nullptr ? home : ""));
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
  directory::DoctorReport report = directory::examine(*content->fresh(), SIZE_MAX);
  directory::add_findings(report, directory::lock_findings(downloads));
  const std::string text =
      args->has("json") ? directory::report_json(report) + "\n" : directory::report_text(report);
  cli::print_text(text);
  return has_error(report) ? 1 : 0;
}

}  // namespace iii::daemon
