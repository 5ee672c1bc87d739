#include "daemon/verbs/verbs.h"

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
#include "functions/portable_findings.h"
#include "functions/risks.h"

namespace iii::daemon {

namespace {

// Findings that are shown without being asked for.
constexpr size_t kFewFindings = 20;

directory::DoctorQuery query_of(const cli::Args& args) {
  directory::DoctorQuery out;
  if (args.has("code")) out.code = args.value("code");
  if (args.has("severity")) out.severity = args.value("severity");
  if (args.has("prefix")) out.prefix = args.value("prefix");
  return out;
}

void show(directory::DoctorReport& report, bool all) {
  const bool many = !all && report.findings.size() > kFewFindings;
  const size_t count = report.findings.size();
  if (many) report.findings.clear();
  cli::print_text(directory::report_text(report));
  if (many) {
    cli::note("Note: {} findings. Next: iii-directory doctor --code CODE, --severity S or --all.\n",
              count);
  }
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

int run_doctor(const cli::Args& args) {
  if (const auto known = directory::check_severity(query_of(args).severity); !known) {
    return cli::complain({"usage", known.error().message});
  }
  const Result<ConfigReading> reading = configuration_of(args);
  if (!reading) return cli::complain(reading.error());
  const auto folders = std::make_shared<const directory::Folders>(directory::Folders{
      .content =
          content::Content::open(content_options(reading->config, reading->home, std::nullopt)),
      .gate = nullptr});
  content::Content* const content = folders->content.get();
  sources::Downloads downloads(downloads_options(reading->config, reading->home));
  if (args.has("fix")) {
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
  const directory::View view(
      std::make_shared<const directory::Snapshot>(generation, generation, nullptr, folders),
      nullptr);
  directory::Examination examination(view, query_of(args));
  while (examination.step()) {
  }
  directory::PortableVerdicts verdicts(directory::kMaxVerdictBytes);
  examination.add(directory::portable_findings(view, verdicts));
  examination.add(directory::lock_findings(downloads));
  if (reading->config.scan != sources::ScanAction::kOff) {
    // Nobody else waits for it.
    const directory::RiskScanLimits limits{.time = std::chrono::minutes(10), .bytes = 1ULL << 34U};
    examination.add(directory::scan_folders(*content, *generation,
                                            downloads.lock().value_or(sources::Lock{}), limits));
  }
  directory::DoctorReport report = examination.take();
  const bool failed = directory::has_errors(report);
  if (args.has("json")) {
    cli::print_text(directory::report_json(report) + "\n");
  } else {
    show(report, args.has("all") || args.has("code") || args.has("severity"));
  }
  const bool wrong = tell_folders(*reading, *generation, !args.has("json"));
  tell_filter(*reading, generation);
  return failed || wrong || !reading->errors.empty() ? 1 : 0;
}

}  // namespace iii::daemon
