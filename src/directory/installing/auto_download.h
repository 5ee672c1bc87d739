// Keeps the documents of installed workers at hand: `iii` first, then what `worker::list` names,
// then whatever `worker` events tell. An engine without triggers tells only that a worker has
// connected; then `worker::list` is asked again.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "directory/library/latch.h"
#include "directory/sources/downloads.h"
#include "directory/sources/installer.h"
#include "directory/sources/source.h"
#include "directory/table/engine_event.h"
#include "foundation/base/result.h"
#include "foundation/base/timers.h"
#include "foundation/json/value.h"
#include "foundation/task/task.h"

namespace iii::sdk {
class Worker;
}

namespace iii::directory {

class Downloader;
class FunctionTable;

struct AutoDownloadOptions {
  std::filesystem::path local_folder;  // a namespace that has a folder here is left alone
  size_t jobs = 2;                     // downloads at a time
  // What fails for now is tried again without end, each time after twice the pause.
  std::chrono::milliseconds pause{5'000};
  std::chrono::milliseconds max_pause{600'000};
  unsigned list_attempts = 6;  // of worker::list at start
  std::chrono::milliseconds list_pause{2'000};
  std::chrono::milliseconds list_timeout{10'000};
  Timers* timers = nullptr;  // for tests; null: the loop's
};

// A row of `worker::list`, or an event.
struct WantedWorker {
  std::string name;
  std::string version;  // empty: whatever is the latest
  // What a person asked for before, to be asked again; nothing: the registry's documents.
  std::optional<sources::Source> as_before = {};
};
// Rows without a name are left out; a version that is not text counts as none.
std::vector<WantedWorker> wanted_workers(const json::Value& worker_list);

// What to fetch, given what is there (directory-write §6, DW13, DW14). Looks at the disk.
std::vector<WantedWorker> missing_workers(const std::vector<WantedWorker>& wanted,
                                          const sources::Downloads& downloads,
                                          const std::filesystem::path& local_folder);

// On the loop thread; lives as long as its worker.
class AutoDownload {
 public:
  // What the engine calls goes into `table`.
  AutoDownload(sdk::Worker& worker, FunctionTable& table, Downloader& downloader,
               AutoDownloadOptions options);
  ~AutoDownload();
  AutoDownload(const AutoDownload&) = delete;
  AutoDownload& operator=(const AutoDownload&) = delete;

 private:
  struct Item {
    WantedWorker worker;
    unsigned attempts = 0;
    TimerId pause = 0;  // running: the next attempt comes when it ends
    Latch done;         // of the attempt under way or to come
  };
  using ItemPtr = std::shared_ptr<Item>;

  task::Task<json::Raw> on_event(json::Raw payload);
  task::Task<void> reconcile();
  task::Task<std::vector<WantedWorker>> ask_for_workers();
  task::Task<void> fetch_missing(std::vector<WantedWorker> wanted);
  ItemPtr enqueue(WantedWorker wanted);
  // Ends the pause before the next attempt.
  void retry_now(Item& item, WantedWorker wanted);
  void retry_later(const ItemPtr& item);
  void pump();
  task::Task<void> run(ItemPtr item);
  task::Task<Result<sources::InstallReport>> fetch(const Item& item);
  void bind(unsigned attempt);

  sdk::Worker& worker_;
  Downloader& downloader_;
  const AutoDownloadOptions options_;
  Timers& timers_;
  std::deque<ItemPtr> queue_;
  std::map<std::string, ItemPtr> known_;     // waiting, pausing or at work, by name
  std::set<std::string> without_documents_;  // `name@version` that the registry does not have
  size_t running_ = 0;
  size_t finished_ = 0;
  bool reconciling_ = false;
  bool reconcile_again_ = false;
  EngineEvent event_;
};

}  // namespace iii::directory
