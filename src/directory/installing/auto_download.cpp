#include "directory/installing/auto_download.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "bus/sdk/worker.h"
#include "directory/installing/downloader.h"
#include "directory/library/nearby.h"
#include "directory/table/descriptions.h"
#include "directory/table/function_table.h"
#include "foundation/base/log.h"
#include "foundation/json/value.h"

namespace iii::directory {

namespace {

constexpr std::string_view kHandler = "directory::__on_worker_added";
constexpr std::string_view kBinding = R"({"operations":["add","update"],"stages":["done"]})";
constexpr std::string_view kEngine = "iii";
constexpr unsigned kBindAttempts = 5;
constexpr std::chrono::seconds kBindPause{2};
constexpr size_t kMaxRemembered = 10'000;  // workers, of either kind

std::string key_of(const WantedWorker& wanted) { return wanted.name + "@" + wanted.version; }

// Whether the lock already has this worker as it is wanted, or has it by a person's choice.
bool is_settled(const sources::LockedNamespace& locked, const std::string& version) {
  if (!locked.automatic) return true;
  if (version.empty() || locked.resolved == version) return true;
  const auto* registry = std::get_if<sources::RegistrySource>(&locked.source);
  return registry != nullptr && registry->version == version;
}

bool is_not_found(const Error& error) { return error.message.starts_with("D310"); }
// The registry has another version than the one that is installed.
bool is_other_version(const Error& error) {
  return is_not_found(error) || error.message.starts_with("D314");
}
// The next attempt would end the same. Everything else passes, however long it lasts.
bool is_final(const Error& error) {
  return is_other_version(error) || error.message.starts_with("D311") ||
         error.message.starts_with("D312") || error.message.starts_with("D335") ||
         error.message.starts_with("D336");
}

std::chrono::milliseconds pause_after(const AutoDownloadOptions& options, unsigned attempts) {
  constexpr unsigned kMaxDoublings = 20;
  return std::min(options.pause * (int64_t{1} << std::min(attempts, kMaxDoublings)),
                  std::max(options.pause, options.max_pause));
}

}  // namespace

std::vector<WantedWorker> wanted_workers(const json::Value& worker_list) {
  std::vector<WantedWorker> out;
  const json::Value* rows = worker_list.find("workers");
  if (rows == nullptr || rows->as_array() == nullptr) return out;
  for (const json::Value& row : *rows->as_array()) {
    std::string name = json::string_at(row, "name");
    if (!name.empty()) out.push_back({std::move(name), json::string_at(row, "version")});
  }
  return out;
}

std::vector<WantedWorker> missing_workers(const std::vector<WantedWorker>& wanted,
                                          const sources::Downloads& downloads,
                                          const std::filesystem::path& local_folder) {
  const Result<sources::LockPtr> lock = downloads.lock();
  if (!lock) {
    log_warn("auto-download: {}", lock.error().message);
    return {};
  }
  std::vector<WantedWorker> out;
  for (const WantedWorker& worker : wanted) {
    if (!sources::check_worker_name(worker.name)) continue;
    std::error_code ignored;
    if (std::filesystem::is_directory(local_folder / worker.name, ignored)) continue;
    const sources::LockedNamespace* locked = (*lock)->find(worker.name);
    if (locked == nullptr) {
      if (!downloads.has(sources::marker_of(worker.name))) out.push_back(worker);
    } else if (!downloads.has(worker.name)) {
      // Deleted; comes back as it was asked for.
      WantedWorker again = worker;
      if (!locked->automatic) again.as_before = locked->source;
      out.push_back(std::move(again));
    } else if (!is_settled(*locked, worker.version)) {
      out.push_back(worker);
    }
  }
  return out;
}

AutoDownload::AutoDownload(sdk::Worker& worker, FunctionTable& table, Downloader& downloader,
                           AutoDownloadOptions options)
    : worker_(worker),
      downloader_(downloader),
      options_(std::move(options)),
      timers_(options_.timers != nullptr ? *options_.timers : worker.core().loop),
      event_(worker, "engine::on-workers-changed", std::string(kHandler)) {
  table.add<json::Raw, json::Raw>(
      {.id = std::string(kHandler),
       .title = "Worker added",
       .description = about::kOnWorkerAdded,
       .hints = {.idempotent = true, .network = true, .internal = true},
       .listed = true,
       .max_input_bytes = kAnyInputBytes,
       .published = true},
      [this](json::Raw payload) { return on_event(std::move(payload)); });
  bind(1);
  worker_.on_ready([this] { worker_.spawn(reconcile()); });
}

AutoDownload::~AutoDownload() {
  for (const auto& [name, item] : known_) timers_.cancel(item->pause);
}

void AutoDownload::bind(unsigned attempt) {
  const auto rejected = [this, attempt](const sdk::RemoteError& error) {
    if (attempt >= kBindAttempts) {
      if (event_.is_observed()) return;
      log_warn("auto-download: `worker` events are not available ({}); only the start counts",
               error.code);
      return;
    }
    worker_.core().loop.after(kBindPause * attempt, [this, attempt] { bind(attempt + 1); });
  };
  static_cast<void>(worker_.bind(sdk::TriggerSpec{.trigger_type = "worker",
                                                  .function_id = std::string(kHandler),
                                                  .config = std::string(kBinding),
                                                  .metadata = {},
                                                  .name_space = {},
                                                  .trigger_namespace = {},
                                                  .on_rejected = rejected}));
}

task::Task<json::Raw> AutoDownload::on_event(json::Raw payload) {
  const json::Raw ok{R"({"ok":true})"};
  const auto event = json::parse(payload.text);
  WantedWorker wanted;
  if (event && event->find("worker") == nullptr) {
    worker_.spawn(reconcile());
    co_return ok;
  }
  if (event) wanted = {json::string_at(*event, "worker"), json::string_at(*event, "version")};
  if (wanted.name.empty() || !sources::check_worker_name(wanted.name)) co_return ok;
  const auto known = known_.find(wanted.name);
  if (known != known_.end()) {
    // Where a download is under way, the reconciliation below sees to whatever is still missing.
    const ItemPtr item = known->second;
    if (item->pause != 0) {
      retry_now(*item, std::move(wanted));
      queue_.push_back(item);
      pump();
      const Latch done = item->done;
      co_await done;
    }
  } else {
    without_documents_.erase(key_of(wanted));
    auto look = [downloads = downloader_.downloads(), name = wanted.name] {
      return std::pair(downloads->lock(), downloads->has(name));
    };
    const auto [lock, has_folder] = co_await downloader_.network().run(std::move(look));
    const sources::LockedNamespace* locked = lock ? (*lock)->find(wanted.name) : nullptr;
    if (locked != nullptr && locked->pinned() && has_folder) {
      log_info("auto-download: {} is pinned in directory.lock and stays as it is", wanted.name);
      co_return ok;
    }
    if (!known_.contains(wanted.name) && known_.size() < kMaxRemembered) {
      if (locked != nullptr && !locked->automatic) wanted.as_before = locked->source;
      const ItemPtr item = enqueue(std::move(wanted));
      const Latch done = item->done;
      co_await done;
    }
  }
  worker_.spawn(reconcile());
  co_return ok;
}

task::Task<void> AutoDownload::reconcile() {
  reconcile_again_ = true;
  if (std::exchange(reconciling_, true)) co_return;
  while (std::exchange(reconcile_again_, false)) {
    // The engine's own documents are in nobody's list.
    std::vector<WantedWorker> engine{{std::string(kEngine), ""}};
    co_await fetch_missing(std::move(engine));
    std::vector<WantedWorker> wanted = co_await ask_for_workers();
    std::erase_if(wanted, [](const WantedWorker& worker) { return worker.name == kEngine; });
    co_await fetch_missing(std::move(wanted));
  }
  reconciling_ = false;
}

task::Task<std::vector<WantedWorker>> AutoDownload::ask_for_workers() {
  for (unsigned attempt = 1; attempt <= options_.list_attempts; ++attempt) {
    const sdk::Reply<json::Value> list = sdk::decode_reply<json::Value>(
        co_await ask_nearby(worker_, "worker::list", json::Raw{"{}"}, options_.list_timeout));
    const std::optional<std::vector<std::string>> containers =
        co_await compose_containers(worker_, options_.list_timeout);
    if (list || containers) {
      std::vector<WantedWorker> wanted;
      if (list) wanted = wanted_workers(*list);
      // Compose does not tell versions.
      for (const std::string& name : containers.value_or(std::vector<std::string>())) {
        const bool listed = std::ranges::find(wanted, name, &WantedWorker::name) != wanted.end();
        if (!listed) wanted.push_back({name, ""});
      }
      co_return wanted;
    }
    if (attempt == options_.list_attempts) break;
    co_await worker_.sleep(options_.list_pause * attempt);
  }
  log_info(
      "auto-download: neither worker::list nor compose::status is available; only `iii` is kept at "
      "hand");
  co_return std::vector<WantedWorker>{};
}

task::Task<void> AutoDownload::fetch_missing(std::vector<WantedWorker> wanted) {
  auto look = [downloads = downloader_.downloads(), wanted = std::move(wanted),
               local = options_.local_folder] {
    return missing_workers(wanted, *downloads, local);
  };
  const std::vector<WantedWorker> missing = co_await downloader_.network().run(std::move(look));
  std::vector<ItemPtr> items;
  for (const WantedWorker& worker : missing) {
    if (const auto known = known_.find(worker.name); known != known_.end()) {
      // The next attempt is for the version that is installed now.
      if (known->second->pause != 0) known->second->worker = worker;
    } else if (!without_documents_.contains(key_of(worker)) && known_.size() < kMaxRemembered) {
      items.push_back(enqueue(worker));
    }
  }
  for (const ItemPtr& item : items) {
    const Latch done = item->done;
    co_await done;
  }
}

AutoDownload::ItemPtr AutoDownload::enqueue(WantedWorker wanted) {
  auto item = std::make_shared<Item>();
  item->worker = std::move(wanted);
  known_[item->worker.name] = item;
  queue_.push_back(item);
  pump();
  return item;
}

void AutoDownload::retry_now(Item& item, WantedWorker wanted) {
  timers_.cancel(std::exchange(item.pause, 0));
  wanted.as_before = std::move(item.worker.as_before);
  item.worker = std::move(wanted);
  item.attempts = 0;
  item.done = Latch();
}

void AutoDownload::retry_later(const ItemPtr& item) {
  const auto pause = pause_after(options_, item->attempts++);
  log_info("auto-download: {}: retrying in {} s", item->worker.name,
           std::chrono::duration_cast<std::chrono::seconds>(pause).count());
  item->pause = timers_.after(pause, [this, item] {
    item->pause = 0;
    queue_.push_back(item);
    pump();
  });
}

void AutoDownload::pump() {
  while (running_ < options_.jobs && !queue_.empty()) {
    ItemPtr next = std::move(queue_.front());
    queue_.pop_front();
    ++running_;
    worker_.spawn(run(std::move(next)));
  }
}

task::Task<void> AutoDownload::run(ItemPtr item) {
  const Result<sources::InstallReport> report = co_await fetch(*item);
  --running_;
  const std::string name = item->worker.name;
  if (!report && !is_final(report.error())) {
    retry_later(item);
  } else {
    if (!report && without_documents_.size() < kMaxRemembered) {
      without_documents_.insert(key_of(item->worker));
    }
    known_.erase(name);
    log_info("auto-download: {}: {}; {} done, {} to go", name,
             report ? "up to date" : "nothing to download", ++finished_, known_.size());
  }
  // Whoever waits does so for the first attempt only.
  item->done.open();
  pump();
}

task::Task<Result<sources::InstallReport>> AutoDownload::fetch(const Item& item) {
  // A copy: the item may be given another version meanwhile.
  const WantedWorker worker = item.worker;
  const sources::Request how{.automatic = !worker.as_before};
  const bool exact = !worker.version.empty();
  sources::RegistrySource source{.worker = worker.name, .version = {}, .tag = {}};
  (exact ? source.version : source.tag) = exact ? worker.version : "latest";
  Result<sources::InstallReport> report =
      co_await downloader_.install(Context{}, worker.as_before.value_or(source), how);
  if (!report && is_other_version(report.error()) && exact && !worker.as_before) {
    // DW14: better the documents of another version than none.
    source.version.reset();
    source.tag = "latest";
    report = co_await downloader_.install(Context{}, source, how);
  }
  co_return report;
}

}  // namespace iii::directory
