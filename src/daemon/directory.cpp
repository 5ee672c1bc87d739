#include "daemon/directory.h"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include "base/counted.h"
#include "base/log.h"
#include "daemon/config_keys.h"
#include "daemon/folders.h"
#include "daemon/hidden.h"
#include "daemon/version.h"
#include "functions/doctor.h"
#include "functions/download.h"
#include "functions/engine_info.h"
#include "functions/health.h"
#include "functions/lock.h"
#include "functions/prompts.h"
#include "functions/registry.h"
#include "functions/skills.h"
#include "legacy/directory_041.h"
#include "legacy/fetch.h"
#include "legacy/introspect.h"
#include "legacy/lists.h"
#include "legacy/prompt_functions.h"
#include "legacy/registry_041.h"
#include "legacy/skill_functions.h"

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
  if (config.legacy_skills) {
    out.registrations = registered_options(config);
    if (config.registered_documents) out.registration_feed = registration_feed_options(config);
  }
  return out;
}

std::unique_ptr<directory::Gate> gate_of(const DirectoryConfig& config, const std::string& home) {
  return std::make_unique<FolderGate>(expand_path(config.skills_folder, home));
}

// Whether two configurations show the same documents; all other keys leave them alone.
bool same_documents(const content::ContentOptions& a, const content::ContentOptions& b) {
  const auto parts = [](const content::ContentOptions& o) {
    return std::tie(o.roots, o.builtin, o.normalise_ids, o.lenient, o.max_file_bytes, o.cache_file,
                    o.max_watches);
  };
  return parts(a) == parts(b);
}

std::shared_ptr<sources::Downloads> downloads_of(const DirectoryConfig& config,
                                                 const std::string& home) {
  return std::make_shared<sources::Downloads>(downloads_options(config, home));
}

}  // namespace

Directory::Directory(const DirectoryConfig& config, DirectoryPlaces places, sdk::Worker& worker,
                     const std::string& mode)
    : config_(config),
      places_(std::move(places)),
      library_(worker,
               {.content = content::Content::open(
                    content_options(config, places_.home, places_.cache_file)),
                .gate = gate_of(config, places_.home)},
               library_options(config)),
      guides_(worker, library_, [this](uint16_t root) { return root_path(root); }),
      changes_(worker, library_, {}),
      downloader_(worker, changes_, library_, downloads_of(config, places_.home),
                  config.max_downloads) {
  directory::add_health(worker, library_,
                        {.version = kVersion,
                         .mode = mode,
                         .started = std::chrono::steady_clock::now(),
                         .trouble = places_.trouble});
  directory::add_skill_functions(worker, library_, {});
  directory::add_prompt_functions(worker, library_);
  directory::add_doctor(worker, library_, &downloader_);
  directory::add_download_functions(worker, downloader_);
  directory::add_lock_functions(worker, downloader_);
  directory::add_registry_functions(worker, [this] { return downloader_.downloads(); });
  directory::add_engine_info(worker, config.legacy_directory_051 ? &guides_ : nullptr);
  if (config.legacy_skills) add_registered_content(worker);
  if (config.legacy_directory_041) add_directory_041(worker);
  if (config.legacy_directory_051) directory::add_introspection_051(worker, guides_);
  if (config.auto_download) {
    auto_download_.emplace(worker, downloader_, auto_download_options(config, places_.home));
  }
  log_folders(config_, places_.home, *library_.latest()->files);
}

// The trigger types of 0.1.5 and 0.4.1 come before the functions: who can register can be heard.
void Directory::add_on_change(sdk::Worker& worker) {
  on_change_.emplace(worker);
  on_download_ = changes_.downloads().subscribe([this](const directory::DownloadEvent& event) {
    on_change_->downloaded(event.kind, event.name_space, event.source);
  });
}

// Skills 0.1.5.
void Directory::add_registered_content(sdk::Worker& worker) {
  add_on_change(worker);
  const directory::LegacyParts parts{library_, *on_change_};
  directory::add_legacy_lists(worker, library_);
  directory::add_registered_skill_functions(worker, parts);
  directory::add_registered_prompt_functions(worker, parts);
}

void Directory::add_directory_041(sdk::Worker& worker) {
  if (!on_change_) {
    add_on_change(worker);
    directory::add_legacy_lists(worker, library_);
  }
  directory::add_download_041(worker, downloader_);
  directory::add_prompt_get_041(worker, library_);
  directory::add_fetch(worker, library_, [this] {
    return directory::FetchSettings{
        .open_fn = config_.legacy_open_fn,
        .timeout = std::chrono::milliseconds(config_.download_timeout_ms)};
  });
  directory::add_registry_041(worker, [this] { return downloader_.downloads(); });
  directory::add_introspection_041(worker, guides_);
}

std::filesystem::path Directory::root_path(uint16_t root) const {
  const auto roots = content_options(config_, places_.home, std::nullopt).roots;
  return root < roots.size() ? roots[root].path : std::filesystem::path();
}

void Directory::reload(const DirectoryConfig& config) {
  if (config == config_) return;
  const auto documents_before = content_options(config_, places_.home, places_.cache_file);
  const auto sources_before = downloads_options(config_, places_.home);
  config_ = config;
  library_.set_options(library_options(config));
  if (downloads_options(config, places_.home) != sources_before) {
    downloader_.use(downloads_of(config, places_.home));
  }
  if (auto documents = content_options(config, places_.home, places_.cache_file);
      !same_documents(documents, documents_before)) {
    library_.replace(std::move(documents), gate_of(config, places_.home));
    tasks_.spawn(log_new_folders());
  }
}

sdk::Task<void> Directory::log_new_folders() {
  co_await library_.catch_up();
  log_folders(config_, places_.home, *library_.latest()->files);
}

sdk::Task<void> Directory::count_hidden() {
  const directory::View view = co_await library_.current();
  const Hidden hidden = hidden_from(view);
  if (hidden.skills == 0) co_return;
  log_info(
      "filter_unregistered hides {} of {}, of {} not installed: {}. `filter_unregistered: false` "
      "shows all",
      hidden.skills, counted(view.generation().skills.size(), "skill"),
      counted(hidden.workers.size(), "worker that is", "workers that are"),
      some_of(hidden.workers));
}

directory::EntryOptions entry_options() {
  return {.name = "iii-directory",
          .description = "What may be changed while the directory runs; the rest is in its file.",
          .schema = entry_schema()};
}

}  // namespace iii::daemon
