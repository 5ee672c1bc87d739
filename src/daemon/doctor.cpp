#include "daemon/doctor.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "base/log.h"
#include "cli/args.h"
#include "daemon/config.h"
#include "daemon/directory.h"
#include "functions/doctor.h"

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
  if (!args) {
    std::fprintf(stderr, "Error: %s\n", args.error().message.c_str());
    return 2;
  }
  if (args->has("help")) {
    std::printf("%s", cli::help_text(doctor_command()).c_str());
    return 0;
  }
  DirectoryConfig config = read_configuration(args->value("config"), {});
  if (const auto skills = args->value("skills")) config.skills_folder = *skills;
  const char* home = std::getenv("HOME");
  const auto content =
      content::Content::open(content_options(config, home != nullptr ? home : "", std::nullopt));
  if (args->has("fix")) {
    const directory::FixOutcome outcome = directory::apply_ready_fixes(*content);
    std::fprintf(stderr, "mended %zu file(s)\n", outcome.fixed_files);
    for (const std::string& failure : outcome.failures) {
      std::fprintf(stderr, "not mended: %s\n", failure.c_str());
    }
  }
  const directory::DoctorReport report = directory::examine(*content->fresh(), SIZE_MAX);
  const std::string text =
      args->has("json") ? directory::report_json(report) + "\n" : directory::report_text(report);
  std::printf("%s", text.c_str());
  return has_error(report) ? 1 : 0;
}

}  // namespace iii::daemon
