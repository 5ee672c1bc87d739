// The directory on the bus: content, the installed-worker filter, and every function of ours on one
// worker.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/daemon/config.h"
#include "app/daemon/folders.h"
#include "bus/sdk/worker.h"
#include "directory/discovery/bus_skill_links.h"
#include "directory/discovery/function_catalog.h"
#include "directory/discovery/guides.h"
#include "directory/installing/auto_download.h"
#include "directory/installing/downloader.h"
#include "directory/legacy/versions.h"
#include "directory/library/library.h"
#include "directory/reading/changes.h"
#include "directory/reading/doctor.h"
#include "directory/reading/skill_search.h"
#include "directory/reading/status.h"
#include "directory/table/bus.h"
#include "directory/table/configuration_entry.h"
#include "directory/table/function_table.h"
#include "foundation/task/task_group.h"

namespace iii::daemon {

struct DirectoryPlaces {
  std::string home;
  // Downloads may come from folders of this machine, as the one who runs this process may.
  bool local_sources = false;
  // The folders are shown to a person: at the start they are no news for the log.
  bool folders_are_shown = false;
  // Why the engine in this process does not store what it is given; nothing: it does.
  std::function<std::optional<std::string>()> trouble = {};
  // What is in the same process, for directory::stats; may be empty.
  std::function<directory::McpUse()> mcp = {};
  std::function<directory::BusUse()> bus = {};
};

// On the loop thread of its worker, which outlives it.
class Directory {
 public:
  // `opened` is what Content::open() gave for content_options() of the same configuration, where
  // that was done on another thread; null: the folders are opened here, which takes time.
  // The mode of verbs without a server: nobody else waits for what they ask.
  static constexpr std::string_view kCommandLine = "command line";

  Directory(const DirectoryConfig& config, DirectoryPlaces places, sdk::Worker& worker,
            const std::string& mode, std::unique_ptr<content::Content> opened = nullptr);

  // Everything that is offered. Others may add functions until serve().
  directory::FunctionTable& functions() { return table_; }
  directory::Library& library() { return library_; }
  // The files as they were read last.
  directory::View files() const {
    return {library_.latest(), nullptr, directory::View::Show::kFilesOnly};
  }
  directory::EngineClient& engine() { return engine_; }
  const directory::Changes& changes() const { return changes_; }
  directory::SkillSearch& skill_search() { return skill_search_; }
  directory::FunctionCatalog& catalog() { return catalog_; }
  // Where a root of the library lies; empty for compiled-in documents.
  std::filesystem::path root_path(uint16_t root) const;
  std::vector<directory::RootPlace> root_places(const content::Generation& generation) const;
  const DirectoryConfig& config() const { return config_; }
  directory::DirectoryStats stats() const { return directory::stats_now(stats_); }
  // Offers the functions; before the worker starts.
  void serve();

  // Takes over what changed; nothing is lost when the new folders are empty or missing.
  void reload(const DirectoryConfig& config);
  // How many skills the installed-worker filter hides, and what would show them.
  void log_hidden() { tasks_.spawn(count_hidden()); }
  // Which configured folders have vanished since they were seen; nothing: none.
  using FoldersKnown = std::function<void(std::optional<std::string>)>;
  void check_folders(FoldersKnown then) { tasks_.spawn(tell_folders(std::move(then))); }

 private:
  void add_browsing(const std::string& mode);
  task::Task<void> log_new_folders();
  void note_folders(LogLevel usual);
  task::Task<std::optional<std::string>> vanished_folders();
  task::Task<void> tell_folders(FoldersKnown then);
  task::Task<void> count_hidden();

  sdk::Worker& worker_;
  directory::FunctionTable table_;
  directory::BusClient engine_;
  DirectoryConfig config_;
  DirectoryPlaces places_;
  directory::Library library_;
  directory::Guides guides_;
  directory::Changes changes_;
  directory::Downloader downloader_;
  directory::FunctionCatalog catalog_;
  directory::SkillSearch skill_search_;
  directory::BusSkillLinks skill_links_;
  std::optional<directory::AutoDownload> auto_download_;
  std::optional<directory::Legacy> legacy_;
  directory::StatusSources stats_;
  SeenFolders seen_folders_;
  task::TaskGroup tasks_;
};

directory::EntryOptions entry_options(const std::string& id);

}  // namespace iii::daemon
