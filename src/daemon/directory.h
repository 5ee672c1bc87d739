// The directory on the bus: content, the installed-worker filter, and every function of ours on one
// worker.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "daemon/config.h"
#include "functions/auto_download.h"
#include "functions/changes.h"
#include "functions/configuration_entry.h"
#include "functions/downloader.h"
#include "functions/guides.h"
#include "legacy/on_change.h"
#include "library/library.h"
#include "sdk/task_group.h"
#include "sdk/worker.h"

namespace iii::daemon {

struct DirectoryPlaces {
  std::string home;
  std::optional<std::filesystem::path> cache_file;  // of the parsed index
  // Why the engine in this process does not store what it is given; nothing: it does.
  std::function<std::optional<std::string>()> trouble = {};
};

// On the loop thread of its worker, which outlives it.
class Directory {
 public:
  Directory(const DirectoryConfig& config, DirectoryPlaces places, sdk::Worker& worker,
            const std::string& mode);

  // Takes over what changed; nothing is lost when the new folders are empty or missing.
  void reload(const DirectoryConfig& config);
  // How many skills the installed-worker filter hides, and what would show them.
  void log_hidden() { tasks_.spawn(count_hidden()); }

 private:
  void add_on_change(sdk::Worker& worker);
  void add_registered_content(sdk::Worker& worker);
  void add_directory_041(sdk::Worker& worker);
  std::filesystem::path root_path(uint16_t root) const;
  sdk::Task<void> log_new_folders();
  sdk::Task<void> count_hidden();

  DirectoryConfig config_;
  DirectoryPlaces places_;
  directory::Library library_;
  directory::Guides guides_;
  directory::Changes changes_;
  directory::Downloader downloader_;
  std::optional<directory::AutoDownload> auto_download_;
  std::optional<directory::OnChange> on_change_;
  directory::Hub<directory::DownloadEvent>::Subscription on_download_;
  sdk::TaskGroup tasks_;
};

directory::EntryOptions entry_options();

}  // namespace iii::daemon
