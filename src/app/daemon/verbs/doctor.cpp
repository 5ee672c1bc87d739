#include "app/daemon/verbs/rows.h"
#include "app/daemon/verbs/verbs.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "app/daemon/configuration.h"
#include "app/daemon/folders.h"
#include "app/daemon/hidden.h"
#include "app/daemon/verbs/caller.h"
#include "directory/content/progress.h"
#include "directory/reading/doctor.h"
#include "directory/reading/fixes.h"
#include "directory/reading/lock_findings.h"
#include "directory/reading/risks.h"
#include "faces/cli/args.h"
#include "faces/cli/output.h"
#include "faces/cli/ticker.h"
#include "faces/mcp/skill_findings.h"
#include "foundation/base/counted.h"

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

// Where a file lies, as a path that a terminal or an editor opens: relative below the working
// directory, else absolute.
directory::FindingPlace place_in(const std::vector<Folder>& folders) {
  return [&folders](const std::string& root, const std::string& path) {
    for (const Folder& folder : folders) {
      if (folder.label != root) continue;
      const std::filesystem::path whole = folder.path / path;
      std::error_code failed;
      const auto here = std::filesystem::current_path(failed);
      const auto relative = whole.lexically_relative(here);
      const bool below = !failed && !relative.empty() && !relative.string().starts_with("..");
      return below ? relative.string() : whole.string();
    }
    return root + ":" + path;
  };
}

void show(directory::DoctorReport& report, const std::vector<Folder>& folders, bool all) {
  const bool many = !all && report.findings.size() > kFewFindings;
  const size_t count = report.findings.size();
  if (many) report.findings.clear();
  cli::print_text(directory::report_text(report, place_in(folders)));
  if (many) {
    cli::note("Note: {} findings. Next: iii-directory doctor --code CODE, --severity S or --all.\n",
              count);
  }
}

// True when a folder that is configured cannot be read. Sound folders are named for people only.
bool tell_folders(const std::vector<Folder>& folders, bool for_people) {
  bool wrong = false;
  for (const Folder& folder : folders) {
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

void fix(content::Content& content, sources::Downloads& downloads, const cli::Args& args) {
  const directory::FixOutcome outcome =
      directory::apply_ready_fixes(content, {.code = query_of(args).code});
  cli::note("{} fixed\n", counted(outcome.fixed_files, "file"));
  for (const directory::RefusedFix& file : outcome.refused) {
    cli::note("not fixed: {}: {}\n", file.path, file.reason);
  }
  if (const auto noted = downloads.record_fixes(outcome.in_skills_folder); !noted) {
    cli::note("not noted: directory.lock: {}\n", noted.error().message);
  }
}

// Which server it is and what it serves; of its skills the filter hides `hidden`.
Result<void> tell_server(Caller& server, uint64_t hidden) {
  const Result<json::Value> health = server.ask("directory::health");
  if (!health) return std::unexpected(health.error());
  const json::Value* content = health->find("content");
  const json::Value none;
  const json::Value& counts = content == nullptr ? none : *content;
  const auto skills = static_cast<uint64_t>(number_at(counts, "skills"));
  hidden = std::min(hidden, skills);  // the two answers are not of the same moment
  cli::print(
      "{} (version {}, {}): {}, {}{}\n", server.where(), text_at(*health, "version"),
      text_at(*health, "status"), counted(skills - hidden, "skill"),
      counted(static_cast<uint64_t>(number_at(counts, "prompts")), "prompt"),
      hidden == 0 ? "" : "; " + counted(hidden, "more skill") + " hidden by `filter_unregistered`");
  return {};
}

// The folders of a server, as its account names them, by label.
std::vector<Folder> folders_in(const json::Value& account) {
  std::vector<Folder> out;
  for (const json::Value& row : rows_at(account, "roots")) {
    const std::string path = text_at(row, "folder");
    if (path.find('/') == std::string::npos) continue;  // compiled in, or registered
    Folder& folder = out.emplace_back();
    folder.label = text_at(row, "root");
    folder.path = path;
    folder.problem = text_at(row, "problem");
    if (!folder.problem.empty()) folder.state = FolderState::kUnusable;
    folder.skills = static_cast<size_t>(number_at(row, "skills"));
    folder.prompts = static_cast<size_t>(number_at(row, "prompts"));
  }
  return out;
}

uint64_t hidden_skills_in(const json::Value& account) {
  uint64_t out = 0;
  for (const json::Value& row : rows_at(account, "roots")) {
    out += static_cast<uint64_t>(number_at(row, "hidden"));
  }
  return out;
}

Result<void> fix_on_server(Caller& server, const cli::Args& args) {
  const auto code = query_of(args).code;
  const Result<json::Value> done =
      server.ask("directory::doctor::apply",
                 code ? json::Object{{"code", *code}} : json::Object{{"all", true}});
  if (!done) return std::unexpected(done.error());
  cli::note("{} fixed\n", counted(static_cast<uint64_t>(number_at(*done, "files")), "file"));
  for (const json::Value& file : rows_at(*done, "refused")) {
    cli::note("not fixed: {}: {}\n", text_at(file, "path"), text_at(file, "reason"));
  }
  return {};
}

int examine_server(Caller& server, const cli::Args& args) {
  server.set_about("doctor");
  if (args.has("fix")) {
    if (const auto fixed = fix_on_server(server, args); !fixed) return cli::complain(fixed.error());
  }
  const directory::DoctorQuery query = query_of(args);
  json::Object input{{"risks", true}, {"limit", static_cast<int64_t>(directory::kMaxFindings)}};
  if (query.code) input.emplace("code", *query.code);
  if (query.severity) input.emplace("severity", *query.severity);
  if (query.prefix) input.emplace("prefix", *query.prefix);
  const Result<std::string> answer = server.call("directory::doctor", json::to_text(input));
  if (!answer) return cli::complain(answer.error());
  Result<directory::DoctorReport> report = directory::report_of(*answer);
  if (!report) return cli::complain(report.error());
  const int code = directory::has_errors(*report) ? 1 : 0;
  if (args.has("json")) {
    cli::print_json(*answer);
    return code;
  }
  // Servers of earlier versions have no account.
  const json::Value account = server.ask("directory::account").value_or(json::Value());
  const std::vector<Folder> folders = folders_in(account);
  show(*report, folders, args.has("all") || args.has("code") || args.has("severity"));
  for (const Folder& folder : folders) cli::print("{}\n", folder_line(folder));
  const Result<void> told = tell_server(server, hidden_skills_in(account));
  return told ? code : cli::complain(told.error());
}

// How far the doctor is; written by the thread that examines, read by the one that draws.
struct Stage {
  std::atomic<const char*> step = "reading folders";
  std::atomic<uint64_t> done = 0;
  std::atomic<uint64_t> total = 0;

  void begin(const char* what) {
    done = total = 0;
    step = what;
  }
  std::function<void(uint64_t, uint64_t)> counter() {
    return [this](uint64_t count, uint64_t of) {
      done = count;
      total = of;
    };
  }
  cli::Tick tick() const {
    const bool reading = total == 0;
    return {.step = step.load(),
            .done = reading ? content::entries_looked_at().load() : done.load(),
            .total = total.load()};
  }
};

// The configured folders, or the one that was named.
content::ContentOptions folders_to_read(const ConfigReading& reading, bool one_folder) {
  content::ContentOptions options = content_options(reading.config, reading.home);
  if (one_folder) {
    std::erase_if(options.roots,
                  [](const auto& root) { return root.kind != content::RootKind::kGlobal; });
  }
  return options;
}

// Everything that is to be said about the folders.
directory::DoctorReport report_on(const std::shared_ptr<const directory::Folders>& open,
                                  const content::GenerationPtr& generation,
                                  sources::Downloads& downloads, const cli::Args& args, bool scan,
                                  Stage& stage) {
  const directory::View view(
      std::make_shared<const directory::Snapshot>(generation, generation, nullptr, open), nullptr);
  mcp::SkillRefusals refusals;
  stage.begin("examining skills");
  std::vector<directory::DoctorFinding> more = mcp::skill_findings(view, refusals, stage.counter());
  std::ranges::move(directory::lock_findings(downloads), std::back_inserter(more));
  if (scan) {
    stage.begin("scanning");
    const auto lock = downloads.lock().value_or(std::make_shared<const sources::Lock>());
    // Nobody else waits for it.
    const directory::RiskScanLimits limits{
        .time = std::chrono::minutes(10), .bytes = 1ULL << 34U, .progress = stage.counter()};
    std::ranges::move(directory::scan_folders(*open->content, *generation, *lock, limits),
                      std::back_inserter(more));
  }
  return directory::examine(view, query_of(args), std::move(more));
}

}  // namespace

int run_doctor(const cli::Args& args) {
  if (const auto known = directory::check_severity(query_of(args).severity); !known) {
    return cli::complain({"usage", known.error().message});
  }
  if (args.has("fix") && (args.has("prefix") || args.has("severity"))) {
    // Changing more files than were named would be worse than a refusal.
    return cli::complain(
        {"usage",
         "--fix repairs all that can be repaired, or what --code selects; --prefix "
         "and --severity do not narrow it. Next: leave them out, or name a folder: "
         "iii-directory doctor FOLDER --fix."});
  }
  const bool one_folder = !args.positionals().empty();
  if (!one_folder) {
    const auto server = server_of(args, Use::kInstall);
    if (!server) return cli::complain(server.error());
    if (*server != nullptr) return examine_server(**server, args);
  }
  Result<ConfigReading> reading = configuration_of(args);
  if (!reading) return cli::complain(reading.error());
  if (one_folder) {
    reading->config.skills_folder = std::filesystem::absolute(args.positionals().front());
    if (!std::filesystem::is_directory(reading->config.skills_folder)) {
      return cli::complain({"usage", args.positionals().front() + " is not a folder."});
    }
  }
  Stage stage;
  auto ticker = std::make_unique<cli::Ticker>([&stage] { return stage.tick(); });
  const auto open = std::make_shared<const directory::Folders>(directory::Folders{
      .content = content::Content::open(folders_to_read(*reading, one_folder)), .gate = nullptr});
  sources::Downloads downloads(downloads_options(reading->config, reading->home));
  if (args.has("fix")) {
    ticker.reset();
    fix(*open->content, downloads, args);
    ticker = std::make_unique<cli::Ticker>([&stage] { return stage.tick(); });
  }
  const content::GenerationPtr generation = open->content->fresh();
  const bool scan = reading->config.scan != sources::ScanAction::kOff;
  directory::DoctorReport report = report_on(open, generation, downloads, args, scan, stage);
  ticker.reset();
  std::vector<Folder> folders = folders_of(reading->config, reading->home, *generation);
  if (one_folder)
    std::erase_if(folders, [](const Folder& folder) { return folder.label != "global"; });
  const bool failed = directory::has_errors(report);
  if (args.has("json")) {
    cli::print_json(directory::report_json(report));
  } else {
    show(report, folders, args.has("all") || args.has("code") || args.has("severity"));
  }
  const bool wrong = tell_folders(folders, !args.has("json"));
  if (!one_folder) tell_filter(*reading, generation);
  return failed || wrong || !reading->errors.empty() ? 1 : 0;
}

}  // namespace iii::daemon
