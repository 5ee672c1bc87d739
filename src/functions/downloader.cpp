#include "functions/downloader.h"

#include <algorithm>
#include <exception>
#include <map>
#include <utility>

#include "base/counted.h"
#include "base/log.h"
#include "functions/download_watch.h"

namespace iii::directory {

namespace {

using sources::InstallReport;
using sources::NamespaceResult;

// A place in the queue may already be held while the engine is asked, so nobody waits for long.
constexpr std::chrono::milliseconds kListTimeout{1'000};

// The kinds of source of the namespaces that a job may write.
using Kinds = std::map<std::string, std::string, std::less<>>;

// A job whose changes are told as a download from the swap on.
sources::Job job_of(const sources::Downloads& downloads, Library& library, Kinds kinds,
                    DownloadWatch& watch) {
  sources::Job job = downloads.job();
  job.before_swap = [&marks = library.download_marks(),
                     kinds = std::move(kinds)](const std::vector<std::string>& paths) {
    std::map<std::string_view, std::vector<std::string>> by_namespace;
    for (const std::string& path : paths) {
      by_namespace[std::string_view(path).substr(0, path.find('/'))].push_back(path);
    }
    for (const auto& [name, own] : by_namespace) {
      const auto kind = kinds.find(name);
      if (kind != kinds.end()) marks.announce(kind->first, kind->second, own);
    }
  };
  return watch.attach(std::move(job));
}

// Nothing that goes wrong in a library of others may leave a download without its end.
template <typename T, typename F>
Result<T> guarded(F work) {
  try {
    return work();
  } catch (const std::exception& e) {
    log_warn("download: {}", e.what());
    return fail("D330", "D330 write_failed: something unexpected went wrong. Next: try again.");
  }
}

}  // namespace

Downloader::~Downloader() {
  downloads_->cancel();
  for (const auto& weak : earlier_) {
    if (const auto earlier = weak.lock()) earlier->cancel();
  }
  pool_.stop();
  local_.stop();
}

void Downloader::use(std::shared_ptr<sources::Downloads> downloads) {
  std::erase_if(earlier_, [](const auto& weak) { return weak.expired(); });
  earlier_.push_back(std::exchange(downloads_, std::move(downloads)));
}

// Whether the engine lists this worker as connected. Workers that did not announce a process id
// never are.
sdk::Task<bool> Downloader::is_listed(std::string caller) {
  if (caller.empty()) co_return false;
  const sdk::CallOptions options{.timeout = kListTimeout};
  const json::Value nothing = json::Object{};
  const sdk::Reply<json::Value> list =
      co_await worker_.trigger<json::Value>("engine::workers::list", nothing, options);
  const json::Value* rows = list ? list->find("workers") : nullptr;
  if (rows == nullptr || rows->as_array() == nullptr) co_return false;
  co_return std::ranges::any_of(*rows->as_array(), [&caller](const json::Value& row) {
    const json::Value* id = row.find("id");
    return id != nullptr && id->as_string() != nullptr && *id->as_string() == caller;
  });
}

// A place in the queue. Who had to wait, was connected then and is not any more does not get one;
// nor does who cancels meanwhile.
sdk::Task<Result<DownloadQueue::Ticket>> Downloader::admit(const Context& context) {
  const std::string caller = context.caller;
  const std::stop_token cancelled = context.cancelled;
  Result<DownloadQueue::Ticket> ticket = queue_.enter(caller);
  if (!ticket || ticket->has_place()) co_return ticket;
  const bool was_listed = co_await is_listed(caller);
  const Latch turn = ticket->turn();
  const std::stop_callback wake(cancelled, [&loop = worker_.core().loop, turn] {
    loop.post([waiting = Latch(turn)]() mutable { waiting.open(); });
  });
  co_await turn;
  if (cancelled.stop_requested()) co_return std::unexpected(download_cancelled("skills_folder"));
  if (was_listed && !co_await is_listed(caller)) {
    log_info("a download is dropped: the worker that asked for it has disconnected");
    co_return fail("D334",
                   "D334 too_many_downloads: the caller has disconnected. Next: call again.");
  }
  co_return ticket;
}

sdk::Task<Result<InstallReport>> Downloader::install(Context context, sources::Source source,
                                                     sources::InstallOptions options) {
  const Result<DownloadQueue::Ticket> place = co_await admit(context);
  if (!place) co_return std::unexpected(on_the_bus(place.error()));
  const std::string name = sources::namespace_of(source);
  const auto watch = std::make_shared<DownloadWatch>(context, name);
  watch->begin();
  changes_.begin(name, sources::kind_of(source));
  auto work = [downloads = downloads_, library = &library_, source, options, name, watch] {
    const auto download = [&] {
      const Kinds kinds{{name, std::string(sources::kind_of(source))}};
      return downloads->download(source, options, job_of(*downloads, *library, kinds, *watch));
    };
    return guarded<InstallReport>(download);
  };
  Result<InstallReport> report = co_await pool_.run(std::move(work));
  if (report) watch->announce();
  ++(report ? done_ : failed_);
  co_await changes_.end(name, report && report->skills_changed, report && report->prompts_changed);
  if (!report) {
    log_warn("{}: {}", name, report.error().message);
    if (watch->was_cancelled()) co_return std::unexpected(download_cancelled(name));
    co_return std::unexpected(on_the_bus(std::move(report.error())));
  }
  library_.installed().forget();
  latest_.note_installed(name, source, report->resolved);
  log_info("{}: {} skills, {} prompts written, {} unchanged, {} pruned, {} kept as edited", name,
           report->skills_written.size(), report->prompts_written.size(), report->unchanged.size(),
           report->pruned.size(), report->conflicts.size());
  // Nobody reads the answer of an automatic download.
  if (!report->risks.empty()) {
    log_warn("{}: {} about its files, first: {}. Next: read them; see docs/risks.md", name,
             counted(report->risks.size(), "finding"), sources::where(report->risks.front()));
  }
  co_return report;
}

sdk::Task<Result<std::vector<NamespaceResult>>> Downloader::again(
    Context context, Again what, std::shared_ptr<const sources::Lock> lock,
    std::optional<std::string> name_space, bool force) {
  const Result<DownloadQueue::Ticket> place = co_await admit(context);
  if (!place) co_return std::unexpected(on_the_bus(place.error()));
  const std::string about = name_space.value_or("skills_folder");
  const auto watch = std::make_shared<DownloadWatch>(context, about);
  watch->begin();
  Kinds kinds;
  for (const auto& [name, locked] : lock->namespaces) {
    if (name_space.value_or(name) == name) kinds.emplace(name, sources::kind_of(locked.source));
  }
  for (const auto& [name, kind] : kinds) changes_.begin(name, kind);
  auto work = [downloads = downloads_, library = &library_, what, name_space, force, kinds, watch] {
    const auto repeat = [&] {
      const sources::Job job = job_of(*downloads, *library, kinds, *watch);
      return what == Again::kUpdate ? downloads->update(name_space, force, job)
                                    : downloads->restore(name_space, force, job);
    };
    return guarded<std::vector<NamespaceResult>>(repeat);
  };
  Result<std::vector<NamespaceResult>> outcomes = co_await pool_.run(std::move(work));
  if (outcomes && !watch->was_cancelled()) watch->announce();
  std::map<std::string_view, const InstallReport*> reports;
  if (!outcomes) ++failed_;
  if (outcomes) {
    for (const NamespaceResult& each : *outcomes) {
      ++(each.error ? failed_ : done_);
      if (each.report) reports.emplace(each.name_space, &*each.report);
    }
  }
  for (const auto& [name, kind] : kinds) {
    const auto report = reports.find(name);
    const bool done = report != reports.end();
    co_await changes_.end(name, done && report->second->skills_changed,
                          done && report->second->prompts_changed);
    const auto locked = lock->namespaces.find(name);
    if (done && what == Again::kUpdate && locked != lock->namespaces.end()) {
      latest_.note_installed(name, locked->second.source, report->second->resolved);
    }
  }
  if (watch->was_cancelled()) co_return std::unexpected(download_cancelled(about));
  if (!outcomes) co_return std::unexpected(on_the_bus(std::move(outcomes.error())));
  library_.installed().forget();
  co_return outcomes;
}

sdk::Task<Result<sources::RemoveReport>> Downloader::remove(Context context, std::string name_space,
                                                            bool force) {
  auto work = [downloads = downloads_, stop = context.cancelled, name_space, force] {
    const auto take_away = [&] {
      sources::Job job = downloads->job();
      job.stop = stop;
      return sources::remove_namespace(downloads->options().skills_folder, name_space, force, job);
    };
    return guarded<sources::RemoveReport>(take_away);
  };
  Result<sources::RemoveReport> report = co_await local_.run(std::move(work));
  if (!report && context.cancelled.stop_requested()) {
    co_return std::unexpected(download_cancelled(name_space));
  }
  if (!report) co_return std::unexpected(on_the_bus(std::move(report.error())));
  log_info("{}: {} removed, {} kept", name_space, counted(report->removed.size(), "file"),
           report->kept.size());
  co_await library_.catch_up_after_swap();
  library_.installed().forget();
  latest_.forget(name_space);
  co_return report;
}

template <typename T, typename F>
sdk::Task<Result<T>> Downloader::look(Context context, F work) {
  const Result<DownloadQueue::Ticket> place = co_await admit(context);
  if (!place) co_return std::unexpected(on_the_bus(place.error()));
  auto bound = [downloads = downloads_, stop = context.cancelled, work = std::move(work)] {
    const auto run = [&] {
      sources::Job job = downloads->job();
      job.stop = stop;
      return work(*downloads, job);
    };
    return guarded<T>(run);
  };
  Result<T> result = co_await pool_.run(std::move(bound));
  if (!result) co_return std::unexpected(on_the_bus(std::move(result.error())));
  co_return result;
}

sdk::Task<Result<std::vector<sources::OutdatedRow>>> Downloader::outdated(
    Context context, std::optional<std::string> name_space) {
  auto ask = [name_space = std::move(name_space)](auto& downloads, const auto& job) {
    return downloads.outdated(name_space, job);
  };
  auto rows = co_await look<std::vector<sources::OutdatedRow>>(std::move(context), std::move(ask));
  if (rows) latest_.note(*rows);
  co_return rows;
}

sdk::Task<Result<sources::NamespaceDiff>> Downloader::diff(Context context, std::string name_space,
                                                           std::optional<std::string> path) {
  return look<sources::NamespaceDiff>(
      std::move(context),
      [name_space = std::move(name_space), path = std::move(path)](
          auto& downloads, const auto& job) { return downloads.diff(name_space, path, job); });
}

sdk::Task<Result<sources::RepoListing>> Downloader::list(Context context,
                                                         sources::RepoSource source) {
  return look<sources::RepoListing>(std::move(context),
                                    [source = std::move(source)](auto& downloads, const auto& job) {
                                      return downloads.list(source, job);
                                    });
}

Error on_the_bus(Error error) {
  if (error.code == "cancelled") return error;
  return {"invocation_failed", std::move(error.message)};
}

}  // namespace iii::directory
