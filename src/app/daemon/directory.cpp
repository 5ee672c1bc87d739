#include "app/daemon/directory.h"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include "app/daemon/config_keys.h"
#include "app/daemon/hidden.h"
#include "app/daemon/local_console.h"
#include "app/daemon/log_level.h"
#include "app/daemon/version.h"
#include "directory/discovery/engine_info.h"
#include "directory/discovery/registry.h"
#include "directory/discovery/search_functions.h"
#include "directory/installing/download.h"
#include "directory/installing/jobs.h"
#include "directory/installing/lock.h"
#include "directory/installing/repo_skills.h"
#include "directory/reading/browse.h"
#include "directory/reading/doctor.h"
#include "directory/reading/explain.h"
#include "directory/reading/fixes.h"
#include "directory/reading/inspect.h"
#include "directory/reading/prompts.h"
#include "directory/reading/search_function.h"
#include "directory/reading/skills.h"
#include "directory/table/state_events.h"
#include "faces/mcp/prompts.h"
#include "faces/mcp/skill_findings.h"
#include "foundation/base/counted.h"
#include "foundation/base/log.h"
#include "foundation/base/saturate.h"

namespace iii::daemon {

namespace {

// The gate of the skills folder, as the library wants it.
class FolderGate final : public directory::Gate {
 public:
  explicit FolderGate(const std::filesystem::path& folder) : gate_(folder) {}
  bool enter() override { return gate_.enter(); }
  bool leave() override { return gate_.leave(); }

 private:
  sources::ReadGate gate_;
};

directory::LibraryOptions library_options(const DirectoryConfig& config) {
  directory::LibraryOptions out;
  out.installed = installed_options(config);
  if (config.legacy_skills) out.registrations = registration_options(config);
  return out;
}

std::unique_ptr<directory::Gate> gate_of(const DirectoryConfig& config, const std::string& home) {
  return std::make_unique<FolderGate>(expand_path(config.skills_folder, home));
}

// Whether two configurations show the same documents; all other keys leave them alone.
bool same_documents(const content::ContentOptions& a, const content::ContentOptions& b) {
  const auto parts = [](const content::ContentOptions& o) {
    return std::tie(o.roots, o.builtin, o.normalise_ids, o.lenient, o.title_from_name,
                    o.max_file_bytes, o.max_watches);
  };
  return parts(a) == parts(b);
}

std::shared_ptr<sources::Downloads> downloads_of(const DirectoryConfig& config,
                                                 const DirectoryPlaces& places) {
  sources::DownloadsOptions options = downloads_options(config, places.home);
  options.local_folders = places.local_sources;
  return std::make_shared<sources::Downloads>(std::move(options));
}

// How long after the start the index of skills is made when nobody has searched yet.
constexpr std::chrono::milliseconds kIndexAfter{2'000};

// Commands and stdio servers end soon: they make it when it is needed.
std::optional<std::chrono::milliseconds> index_after(std::string_view mode) {
  if (mode == "serve" || mode == "worker") return kIndexAfter;
  return std::nullopt;
}

std::vector<directory::PromptArgumentRow> prompt_arguments(std::string_view bytes) {
  std::vector<directory::PromptArgumentRow> out;
  for (mcp::TemplateArgument& each : mcp::file_arguments(bytes)) {
    directory::PromptArgumentRow argument{.name = std::move(each.name), .required = each.required};
    if (!each.description.empty()) argument.description = std::move(each.description);
    if (!each.values.empty()) argument.values = std::move(each.values);
    out.push_back(std::move(argument));
  }
  return out;
}

}  // namespace

Directory::Directory(const DirectoryConfig& config, DirectoryPlaces places, sdk::Worker& worker,
                     const std::string& mode, std::unique_ptr<content::Content> opened)
    : worker_(worker),
      engine_(worker),
      config_(config),
      places_(std::move(places)),
      library_(worker,
               {.content = opened != nullptr
                               ? std::move(opened)
                               : content::Content::open(content_options(config, places_.home)),
                .gate = gate_of(config, places_.home)},
               library_options(config)),
      guides_(library_, [this](uint16_t root) { return root_path(root); }),
      changes_(worker, library_),
      downloader_(worker, changes_, library_, downloads_of(config, places_),
                  saturated_size(config.max_downloads)),
      catalog_(worker, engine_, table_, library_.answer_threads()),
      skill_search_(worker, library_, index_after(mode)),
      skill_links_(library_, catalog_, [this] { return downloader_.downloads(); }),
      stats_{.library = library_,
             .downloads = [this] { return downloader_.counts(); },
             .changes = changes_,
             .version = kVersion,
             .mode = mode,
             .started = std::chrono::steady_clock::now(),
             .mcp = places_.mcp,
             .bus = places_.bus,
             .trouble = places_.trouble,
             .folders = [this] { return vanished_folders(); },
             .skills_folder = [this] { return expand_path(config_.skills_folder, places_.home); }} {
  table_.read_large_on(library_.answer_threads());
  catalog_.follow_events(table_);
  changes_.add_to(table_);
  if (auto* feed = library_.registrations(); feed != nullptr && config.registered_documents) {
    directory::add_state_events(table_, *feed);
  }
  directory::add_status(table_, stats_);
  add_log_level(table_);
  directory::add_skill_functions(table_, library_, {}, &skill_search_, &skill_links_);
  add_browsing(mode);
  directory::add_skills_search(table_, library_, skill_search_);
  directory::add_search_functions(table_,
                                  {.worker = worker,
                                   .library = library_,
                                   .catalog = catalog_,
                                   .skills = skill_search_,
                                   .downloads = [this] { return downloader_.downloads(); },
                                   .registry_search = [this] { return config_.registry_search; }});
  directory::add_prompt_functions(table_, library_, prompt_arguments);
  directory::add_fixes(table_, library_, &downloader_);
  directory::add_download_functions(table_, downloader_);
  directory::add_lock_functions(table_, downloader_);
  directory::add_repo_functions(table_, downloader_);
  directory::add_jobs(table_, downloader_);
  directory::add_registry_functions(table_, downloader_.network(),
                                    [this] { return downloader_.downloads(); });
  directory::add_engine_info(table_, engine_, library_.answer_threads(),
                             config.legacy_directory_051 ? &guides_ : nullptr);
  const auto fetch_settings = [this] {
    return directory::FetchSettings{
        .open_fn = config_.legacy_open_fn,
        .timeout = std::chrono::milliseconds(config_.download_timeout_ms)};
  };
  legacy_.emplace(directory::LegacyHost{.worker = worker,
                                        .table = table_,
                                        .engine = engine_,
                                        .library = library_,
                                        .changes = changes_,
                                        .downloader = downloader_,
                                        .guides = guides_,
                                        .fetch_settings = fetch_settings},
                  directory::LegacyVersions{.skills_015 = config.legacy_skills,
                                            .directory_041 = config.legacy_directory_041,
                                            .directory_051 = config.legacy_directory_051});
  if (config.auto_download) {
    auto_download_.emplace(worker, table_, downloader_,
                           auto_download_options(config, places_.home));
  }
  note_folders(places_.folders_are_shown ? LogLevel::kDebug : LogLevel::kInfo);
}

// What shows the whole state of the folders, also what is not served.
void Directory::add_browsing(const std::string& mode) {
  const auto places = [this](const content::Generation& generation) {
    return root_places(generation);
  };
  directory::add_browse(table_, library_, &skill_search_);
  directory::add_explain(table_, library_);
  std::chrono::milliseconds scan_time = directory::kRiskScanTime;
  if (mode == kCommandLine) scan_time = std::chrono::minutes(10);
  directory::add_doctor(table_, {.library = library_,
                                 .places = places,
                                 .installed = &downloader_,
                                 .links = &skill_links_,
                                 .more = mcp::doctor_findings(),
                                 .scan_time = scan_time});
  directory::add_inspect(
      table_, {.library = library_,
               .places = places,
               .installed = &downloader_,
               .links = &skill_links_,
               .last_change = [this](std::string_view id) { return changes_.last_change_of(id); }});
}

void Directory::serve() { directory::serve_on(worker_, table_); }

std::vector<directory::RootPlace> Directory::root_places(
    const content::Generation& generation) const {
  std::error_code ignored;
  const std::filesystem::path working = std::filesystem::current_path(ignored);
  std::vector<directory::RootPlace> out;
  const auto count = static_cast<uint16_t>(generation.roots.size());
  for (uint16_t i = 0; i < count; ++i) {
    const content::RootKind kind = generation.roots[i].kind;
    if (kind == content::RootKind::kBuiltin) {
      out.push_back({.name = "compiled in"});
    } else if (kind == content::RootKind::kRegistered) {
      out.push_back({.name = "registered by workers"});
    } else {
      const std::filesystem::path path = root_path(i);
      out.push_back({.name = shown_folder(path, working, places_.home), .path = path});
    }
  }
  return out;
}

std::filesystem::path Directory::root_path(uint16_t root) const {
  const auto roots = content_options(config_, places_.home).roots;
  return root < roots.size() ? roots[root].path : std::filesystem::path();
}

void Directory::reload(const DirectoryConfig& config) {
  if (config == config_) return;
  const auto documents_before = content_options(config_, places_.home);
  const auto sources_before = downloads_options(config_, places_.home);
  if (config.log_level != config_.log_level) {
    if (const auto level = parse_log_level(config.log_level)) set_log_level(*level);
  }
  config_ = config;
  library_.set_options(library_options(config));
  if (downloads_options(config, places_.home) != sources_before) {
    downloader_.use(downloads_of(config, places_));
  }
  if (auto documents = content_options(config, places_.home);
      !same_documents(documents, documents_before)) {
    library_.replace(std::move(documents), gate_of(config, places_.home));
    tasks_.spawn(log_new_folders());
  }
}

task::Task<void> Directory::log_new_folders() {
  co_await library_.catch_up();
  note_folders(LogLevel::kInfo);
}

void Directory::note_folders(LogLevel usual) {
  const directory::View files = this->files();
  const std::vector<Folder> folders = folders_of(config_, places_.home, files);
  log_folders(folders, files, usual);
  seen_folders_.look(folders);
}

task::Task<std::optional<std::string>> Directory::vanished_folders() {
  auto look = [config = config_, home = places_.home] { return folders_of(config, home); };
  const std::vector<Folder> folders = co_await library_.on_answer_thread(std::move(look));
  co_return seen_folders_.look(folders);
}

task::Task<void> Directory::tell_folders(FoldersKnown then) { then(co_await vanished_folders()); }

task::Task<void> Directory::count_hidden() {
  const directory::View view = co_await library_.current();
  const directory::Counts counts = view.total();
  if (counts.hidden == 0) co_return;
  const directory::NameSet workers = hidden_workers(view);
  log_info(
      "filter_unregistered hides {} of {}, of {} not installed: {}. `filter_unregistered: false` "
      "shows all",
      counts.hidden, counted(counts.documents(), "skill"),
      counted(workers.size(), "worker that is", "workers that are"), some_of(workers));
}

directory::EntryOptions entry_options(const std::string& id) {
  return {.id = id,
          .name = "iii-directory",
          .description =
              "Settings of the directory. A key that a new value leaves out keeps its "
              "value; null gives it up.",
          .schema = entry_schema()};
}

}  // namespace iii::daemon
