// `doctor`: what directory::doctor of a server, or of this process, says about the folders.
#include "app/daemon/verbs/rows.h"
#include "app/daemon/verbs/verbs.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/daemon/configuration.h"
#include "app/daemon/directory.h"
#include "app/daemon/folders.h"
#include "app/daemon/hidden.h"
#include "app/daemon/verbs/caller.h"
#include "directory/reading/doctor.h"
#include "faces/cli/args.h"
#include "faces/cli/output.h"
#include "foundation/base/counted.h"
#include "foundation/base/log.h"

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
bool print_folders(const std::vector<Folder>& folders, bool for_people) {
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
void note_filter(const directory::View& files) {
  // Our own page is always shown.
  const auto installed = std::make_shared<directory::NameSet>(directory::NameSet{"iii-directory"});
  const directory::View filtered(files.shared_snapshot(), installed,
                                 directory::View::Show::kFilesOnly);
  const directory::Counts counts = filtered.total();
  if (counts.hidden == 0) return;
  cli::note(
      "Note: as a worker on another engine the directory hides {} while these workers are not "
      "installed: {}. `filter_unregistered: false` shows all; `serve` does so by default.\n",
      counted(counts.hidden, "skill"), some_of(hidden_workers(filtered)));
}

// Which server it is and what it serves.
Result<void> print_server(Caller& server, uint64_t hidden) {
  const Result<json::Value> health = server.ask("directory::health");
  if (!health) return std::unexpected(health.error());
  const json::Value* content = health->find("content");
  const json::Value none;
  const json::Value& counts = content == nullptr ? none : *content;
  cli::print(
      "{} (version {}, {}): {}, {}{}\n", server.where(), text_at(*health, "version"),
      text_at(*health, "status"),
      counted(static_cast<uint64_t>(number_at(counts, "skills")), "skill"),
      counted(static_cast<uint64_t>(number_at(counts, "prompts")), "prompt"),
      hidden == 0 ? "" : "; " + counted(hidden, "more skill") + " hidden by `filter_unregistered`");
  return {};
}

// The folders of a server, as it writes them, by label.
std::vector<Folder> folders_in(const directory::DoctorReport& report) {
  std::vector<Folder> out;
  for (const directory::DoctorRoot& root : report.roots) {
    if (!root.on_disk) continue;
    Folder& folder = out.emplace_back();
    folder.label = root.root;
    folder.path = root.folder;
    folder.problem = root.problem.value_or("");
    if (!folder.problem.empty()) folder.state = FolderState::kUnusable;
    folder.counts = {.skills = root.skills, .prompts = root.prompts};
  }
  return out;
}

Result<void> fix(Caller& caller, const cli::Args& args) {
  const auto code = query_of(args).code;
  const Result<json::Value> done =
      caller.ask("directory::doctor::apply",
                 code ? json::Object{{"code", *code}} : json::Object{{"all", true}});
  if (!done) return std::unexpected(done.error());
  cli::note("{} fixed\n", counted(static_cast<uint64_t>(number_at(*done, "files")), "file"));
  for (const json::Value& file : rows_at(*done, "refused")) {
    cli::note("not fixed: {}: {}\n", text_at(file, "path"), text_at(file, "reason"));
  }
  return {};
}

json::Object input_of(const cli::Args& args, bool risks) {
  const directory::DoctorQuery query = query_of(args);
  json::Object out{{"risks", risks}, {"limit", static_cast<int64_t>(directory::kMaxFindings)}};
  if (query.code) out.emplace("code", *query.code);
  if (query.severity) out.emplace("severity", *query.severity);
  if (query.prefix) out.emplace("prefix", *query.prefix);
  return out;
}

// Repairs when that is asked for, asks, and shows the answer. The report; nothing: the exit code is
// 1, and the reason was told.
std::optional<directory::DoctorReport> examine(Caller& caller, const cli::Args& args, bool risks,
                                               const std::vector<Folder>& local) {
  if (caller.is_server()) caller.set_about("doctor");
  const auto refuse = [](const Error& error) {
    cli::complain(error);
    return std::nullopt;
  };
  if (args.has("fix")) {
    if (const auto fixed = fix(caller, args); !fixed) return refuse(fixed.error());
  }
  const auto answer = caller.call("directory::doctor", json::to_text(input_of(args, risks)));
  if (!answer) return refuse(answer.error());
  auto report = json::decode<directory::DoctorReport>(*answer);
  if (!report) return refuse(report.error());
  if (args.has("json")) {
    cli::print_json(*answer);
  } else {
    const std::vector<Folder> folders = caller.is_server() ? folders_in(*report) : local;
    show(*report, folders, args.has("all") || args.has("code") || args.has("severity"));
  }
  return std::move(*report);
}

int examine_server(Caller& server, const cli::Args& args) {
  const auto report = examine(server, args, true, {});
  if (!report) return 1;
  const int code = directory::has_errors(*report) ? 1 : 0;
  if (args.has("json")) return code;
  for (const Folder& folder : folders_in(*report)) cli::print("{}\n", folder_line(folder));
  const Result<void> printed = print_server(server, report->hidden);
  return printed ? code : cli::complain(printed.error());
}

// The configured folders, or the one that is named.
int examine_folders(const cli::Args& args) {
  Result<ConfigReading> reading = configuration_of(args);
  if (!reading) return cli::complain(reading.error());
  DirectoryConfig& config = reading->config;
  const bool one_folder = !args.positionals().empty();
  if (one_folder) {
    config.skills_folder = std::filesystem::absolute(args.positionals().front());
    config.local_skills_folder.clear();
    config.extra_skills_folders.clear();
    if (!std::filesystem::is_directory(config.skills_folder)) {
      return cli::complain({"usage", args.positionals().front() + " is not a folder."});
    }
  }
  set_log_level(LogLevel::kOff);  // what is wrong with a folder is said below
  const std::unique_ptr<Caller> caller = local_caller(*reading, Use::kRead);
  set_log_level(LogLevel::kWarn);
  const bool risks = config.scan != sources::ScanAction::kOff;
  const auto report = examine(*caller, args, risks, folders_of(config, reading->home));
  if (!report) return 1;
  const directory::View files = caller->directory()->files();
  const std::vector<Folder> folders = folders_of(config, reading->home, files);
  const bool wrong = print_folders(folders, !args.has("json"));
  if (!one_folder && config.filter_unregistered) note_filter(files);
  return directory::has_errors(*report) || wrong || !reading->errors.empty() ? 1 : 0;
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
  if (args.positionals().empty()) {
    const auto server = server_of(args, Use::kInstall);
    if (!server) return cli::complain(server.error());
    if (*server != nullptr) return examine_server(**server, args);
  }
  return examine_folders(args);
}

}  // namespace iii::daemon
