#include "functions/downloader.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/log.h"

namespace iii::directory {

namespace {

using sources::InstallReport;
using sources::NamespaceResult;

// A place in the queue may already be held while the engine is asked, so nobody waits for long.
constexpr std::chrono::milliseconds kListTimeout{1'000};

// Steps of one download as log lines; not every block of bytes.
std::function<void(const sources::Progress&)> log_steps(std::string name) {
  return [name = std::move(name), last = std::string()](const sources::Progress& progress) mutable {
    if (progress.step == last) return;
    last = progress.step;
    log_info("{}: {}", name, progress.step);
  };
}

// A job whose changes are told as a download from the swap on.
sources::Job job_of(const sources::Downloads& downloads, Library& library, std::string name,
                    std::string_view source) {
  sources::Job job = downloads.job(log_steps(name));
  job.before_swap = [&marks = library.download_marks(), name = std::move(name),
                     source = std::string(source)](const std::vector<std::string>& paths) {
    marks.announce(name, source, paths);
  };
  return job;
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

// A place in the queue. Who had to wait, was connected then and is not any more does not get one.
sdk::Task<Result<DownloadQueue::Ticket>> Downloader::admit(std::string caller) {
  Result<DownloadQueue::Ticket> ticket = queue_.enter(caller);
  if (!ticket || ticket->has_place()) co_return ticket;
  const bool was_listed = co_await is_listed(caller);
  const Latch turn = ticket->turn();
  co_await turn;
  if (was_listed && !co_await is_listed(caller)) {
    log_info("a download is dropped: the worker that asked for it has disconnected");
    co_return fail("D334",
                   "D334 too_many_downloads: the caller has disconnected. Next: call again.");
  }
  co_return ticket;
}

sdk::Task<Result<InstallReport>> Downloader::install(std::string caller, sources::Source source,
                                                     sources::InstallOptions options) {
  const Result<DownloadQueue::Ticket> place = co_await admit(std::move(caller));
  if (!place) co_return std::unexpected(on_the_bus(place.error()));
  const std::string name = sources::namespace_of(source);
  changes_.begin(name, sources::kind_of(source));
  auto work = [downloads = downloads_, library = &library_, source, options, name] {
    const auto download = [&] {
      return downloads->download(source, options,
                                 job_of(*downloads, *library, name, sources::kind_of(source)));
    };
    return guarded<InstallReport>(download);
  };
  Result<InstallReport> report = co_await pool_.run(std::move(work));
  co_await changes_.end(name, report && report->skills_changed, report && report->prompts_changed);
  if (!report) {
    log_warn("{}: {}", name, report.error().message);
    co_return std::unexpected(on_the_bus(std::move(report.error())));
  }
  library_.installed().forget();
  log_info("{}: {} skills, {} prompts written, {} unchanged, {} pruned, {} kept as edited", name,
           report->skills_written.size(), report->prompts_written.size(), report->unchanged.size(),
           report->pruned.size(), report->conflicts.size());
  co_return report;
}

sdk::Task<Result<NamespaceResult>> Downloader::again(std::string caller, Again what,
                                                     std::string name_space,
                                                     std::string_view source_kind, bool force) {
  const Result<DownloadQueue::Ticket> place = co_await admit(std::move(caller));
  if (!place) co_return std::unexpected(on_the_bus(place.error()));
  changes_.begin(name_space, source_kind);
  auto work = [downloads = downloads_, library = &library_, what, name_space, force,
               kind = std::string(source_kind)] {
    const auto repeat = [&]() -> Result<NamespaceResult> {
      const sources::Job job = job_of(*downloads, *library, name_space, kind);
      auto outcomes = what == Again::kUpdate ? downloads->update(name_space, force, job)
                                             : downloads->restore(name_space, force, job);
      if (!outcomes) return std::unexpected(std::move(outcomes.error()));
      return std::move(outcomes->front());
    };
    return guarded<NamespaceResult>(repeat);
  };
  Result<NamespaceResult> outcome = co_await pool_.run(std::move(work));
  const bool done = outcome && outcome->report;
  co_await changes_.end(name_space, done && outcome->report->skills_changed,
                        done && outcome->report->prompts_changed);
  if (!outcome) co_return std::unexpected(on_the_bus(std::move(outcome.error())));
  library_.installed().forget();
  co_return outcome;
}

template <typename T, typename F>
sdk::Task<Result<T>> Downloader::look(std::string caller, F work) {
  const Result<DownloadQueue::Ticket> place = co_await admit(std::move(caller));
  if (!place) co_return std::unexpected(on_the_bus(place.error()));
  auto bound = [downloads = downloads_, work = std::move(work)] {
    const auto run = [&] { return work(*downloads, downloads->job()); };
    return guarded<T>(run);
  };
  Result<T> result = co_await pool_.run(std::move(bound));
  if (!result) co_return std::unexpected(on_the_bus(std::move(result.error())));
  co_return result;
}

sdk::Task<Result<std::vector<sources::OutdatedRow>>> Downloader::outdated(
    std::string caller, std::optional<std::string> name_space) {
  return look<std::vector<sources::OutdatedRow>>(
      std::move(caller), [name_space = std::move(name_space)](auto& downloads, const auto& job) {
        return downloads.outdated(name_space, job);
      });
}

sdk::Task<Result<sources::NamespaceDiff>> Downloader::diff(std::string caller,
                                                           std::string name_space,
                                                           std::optional<std::string> path) {
  return look<sources::NamespaceDiff>(
      std::move(caller),
      [name_space = std::move(name_space), path = std::move(path)](
          auto& downloads, const auto& job) { return downloads.diff(name_space, path, job); });
}

sdk::Task<Result<sources::RepoListing>> Downloader::list(std::string caller,
                                                         sources::RepoSource source) {
  return look<sources::RepoListing>(std::move(caller),
                                    [source = std::move(source)](auto& downloads, const auto& job) {
                                      return downloads.list(source, job);
                                    });
}

Error on_the_bus(Error error) { return {"invocation_failed", std::move(error.message)}; }

}  // namespace iii::directory
