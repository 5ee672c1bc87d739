#include "directory/installing/downloader.h"

#include <algorithm>
#include <exception>
#include <map>
#include <utility>

#include "foundation/base/counted.h"
#include "foundation/base/log.h"

namespace iii::directory {

namespace {

using sources::InstallReport;
using sources::NamespaceResult;
using Targets = sources::Downloads::Targets;

constexpr std::chrono::milliseconds kListTimeout{5'000};

// A job whose changes are announced as a download from the swap on.
sources::Job job_of(const sources::Downloads& downloads, Library& library, const Targets& targets,
                    DownloadWatch& watch) {
  sources::Job job = downloads.job();
  job.before_swap = [&marks = library.download_marks(),
                     targets](const std::vector<std::string>& paths) {
    std::map<std::string_view, std::vector<std::string>> by_namespace;
    for (const std::string& path : paths) {
      by_namespace[std::string_view(path).substr(0, path.find('/'))].push_back(path);
    }
    for (const auto& [name, own] : by_namespace) {
      const auto target = targets.find(name);
      if (target == targets.end()) continue;
      marks.announce(target->first, std::string(sources::kind_of(target->second)), own);
    }
  };
  return watch.attach(std::move(job));
}

void log_outcome(const NamespaceResult& outcome) {
  const std::string& name = outcome.name_space;
  if (!outcome.report) {
    log_warn("download of {}: {}", name, outcome.error.value_or("not done"));
    return;
  }
  const InstallReport& report = *outcome.report;
  log_info("download of {}: {}, {} written, {} unchanged, {} pruned, {} kept as edited", name,
           counted(report.skills_written.size(), "skill"),
           counted(report.prompts_written.size(), "prompt"), report.unchanged.size(),
           report.pruned.size(), report.conflicts.size());
  // Nobody reads the answer of an automatic download.
  if (!report.risks.empty()) {
    log_warn("download of {}: {} about its files, first: {}. Next: read them; see docs/risks.md",
             name, counted(report.risks.size(), "finding"), sources::where(report.risks.front()));
  }
}

// An exception of a library must not leave a download without its end.
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
  network_.stop();
}

void Downloader::use(std::shared_ptr<sources::Downloads> downloads) {
  std::erase_if(earlier_, [](const auto& weak) { return weak.expired(); });
  earlier_.push_back(std::exchange(downloads_, std::move(downloads)));
}

std::shared_ptr<DownloadWatch> Downloader::watch(const Context& context, std::string name) {
  std::erase_if(watches_, [](const auto& weak) { return weak.expired(); });
  auto watch = std::make_shared<DownloadWatch>(context, std::move(name));
  watches_.push_back(watch);
  return watch;
}

std::vector<std::shared_ptr<const DownloadWatch>> Downloader::jobs() const {
  std::vector<std::shared_ptr<const DownloadWatch>> out;
  for (const auto& weak : watches_) {
    if (auto watch = weak.lock()) out.push_back(std::move(watch));
  }
  return out;
}

task::Task<std::optional<bool>> Downloader::is_listed(std::string caller) {
  const sdk::CallOptions options{.timeout = kListTimeout};
  const json::Value nothing = json::Object{};
  const sdk::Reply<json::Value> list =
      co_await worker_.trigger<json::Value>("engine::workers::list", nothing, options);
  const json::Value* rows = list ? list->find("workers") : nullptr;
  if (rows == nullptr || rows->as_array() == nullptr) co_return std::nullopt;
  co_return std::ranges::any_of(*rows->as_array(), [&caller](const json::Value& row) {
    const json::Value* id = row.find("id");
    return id != nullptr && id->as_string() != nullptr && *id->as_string() == caller;
  });
}

// A place in the queue. Who had to wait, was connected then and is not any more does not get one;
// nor does who cancels meanwhile.
task::Task<Result<DownloadQueue::Ticket>> Downloader::admit(const Context& context) {
  const std::string caller = context.caller;
  const std::stop_token cancelled = context.cancelled;
  Result<DownloadQueue::Ticket> ticket = queue_.enter(caller);
  if (!ticket || ticket->has_place()) co_return ticket;
  const bool was_listed = (co_await is_listed(caller)).value_or(false);
  const Latch turn = ticket->turn();
  const std::stop_callback wake(cancelled, [&loop = worker_.core().loop, turn] {
    loop.post([waiting = Latch(turn)]() mutable { waiting.open(); });
  });
  co_await turn;
  if (cancelled.stop_requested()) co_return std::unexpected(download_cancelled("skills_folder"));
  if (was_listed && !(co_await is_listed(caller)).value_or(true)) {
    log_info("a download is dropped: the worker that asked for it has disconnected");
    co_return fail("D334",
                   "D334 too_many_downloads: the caller has disconnected. Next: call again.");
  }
  co_return ticket;
}

template <typename T, typename F>
task::Task<Result<T>> Downloader::in_place(Context context, std::string about, F work) {
  const auto watch = this->watch(context, about);
  const Result<DownloadQueue::Ticket> place = co_await admit(context);
  if (!place) co_return std::unexpected(on_the_bus(place.error()));
  Result<T> result = co_await work(*watch);
  if (watch->was_cancelled()) co_return std::unexpected(download_cancelled(about));
  if (!result) co_return std::unexpected(on_the_bus(std::move(result.error())));
  co_return result;
}

template <typename T, typename F>
task::Task<Result<T>> Downloader::ask(Context context, std::string about, F work) {
  auto bound = [this, work = std::move(work)](DownloadWatch& watch) -> task::Task<Result<T>> {
    auto blocking = [downloads = downloads_, job = watch.attach(downloads_->job()), work] {
      return guarded<T>([&] { return work(*downloads, job); });
    };
    co_return co_await network_.run(std::move(blocking));
  };
  return in_place<T>(std::move(context), std::move(about), std::move(bound));
}

task::Task<Downloader::Outcomes> Downloader::write(const sources::Request& request,
                                                   DownloadWatch& watch) {
  using Results = std::vector<NamespaceResult>;
  watch.begin();
  const auto downloads = downloads_;
  auto find_targets = [downloads, request] {
    return guarded<Targets>([&] { return downloads->targets(request); });
  };
  const Result<Targets> targets = co_await network_.run(std::move(find_targets));
  if (!targets) co_return std::unexpected(targets.error());
  if (!request.dry_run) {
    for (const auto& [name, source] : *targets) changes_.begin(name, sources::kind_of(source));
  }
  auto blocking = [downloads, request, job = job_of(*downloads, library_, *targets, watch)] {
    return guarded<Results>([&] { return downloads->run(request, job); });
  };
  Outcomes outcomes = co_await network_.run(std::move(blocking));
  if (request.dry_run) co_return outcomes;
  if (outcomes && !watch.was_cancelled()) watch.announce();
  co_await publish(request, *targets, outcomes);
  co_return outcomes;
}

task::Task<void> Downloader::publish(const sources::Request& request, const Targets& targets,
                                     const Outcomes& outcomes) {
  std::vector<DownloadEnd> ends;
  for (const auto& [name, source] : targets) ends.push_back({.name_space = name});
  for (const NamespaceResult& each : outcomes.value_or(std::vector<NamespaceResult>())) {
    ++(each.ok ? done_ : failed_);
    log_outcome(each);
    const auto end = std::ranges::find(ends, each.name_space, &DownloadEnd::name_space);
    if (!each.report || end == ends.end()) continue;
    end->skills_changed = each.report->skills_changed;
    end->prompts_changed = each.report->prompts_changed;
    if (request.action != sources::Request::Action::kRestore) {
      latest_.note_installed(each.name_space, targets.at(each.name_space),
                             each.report->resolved.value_or(""));
    }
  }
  co_await changes_.end(std::move(ends));
  library_.installed().forget();
}

task::Task<Downloader::Outcomes> Downloader::run(Context context, std::string about,
                                                 sources::Request request) {
  auto work = [this, about,
               request = std::move(request)](DownloadWatch& watch) -> task::Task<Outcomes> {
    Outcomes outcomes = co_await write(request, watch);
    if (!outcomes) {
      ++failed_;
      log_warn("download of {}: {}", about, outcomes.error().message);
    }
    co_return outcomes;
  };
  return in_place<std::vector<NamespaceResult>>(std::move(context), std::move(about),
                                                std::move(work));
}

task::Task<Result<InstallReport>> Downloader::install(Context context, sources::Source source,
                                                      sources::Request how) {
  std::string about = sources::namespace_of(source);
  how.sources.push_back(std::move(source));
  Outcomes outcomes = co_await run(std::move(context), std::move(about), std::move(how));
  if (!outcomes) co_return std::unexpected(std::move(outcomes.error()));
  NamespaceResult& only = outcomes->front();
  if (only.error) co_return std::unexpected(on_the_bus({"", std::move(*only.error)}));
  co_return std::move(*only.report);
}

task::Task<Result<sources::RemoveReport>> Downloader::remove(Context context,
                                                             std::string name_space,
                                                             sources::InstallOptions options) {
  auto blocking = [downloads = downloads_, stop = context.cancelled, name_space, options] {
    sources::Job job = downloads->job();
    job.stop = stop;
    return guarded<sources::RemoveReport>(
        [&] { return downloads->remove(name_space, options, job); });
  };
  Result<sources::RemoveReport> report = co_await network_.run(std::move(blocking));
  if (!report && context.cancelled.stop_requested()) {
    co_return std::unexpected(download_cancelled(name_space));
  }
  if (!report) co_return std::unexpected(on_the_bus(std::move(report.error())));
  if (options.dry_run) co_return report;
  log_info("removal of {}: {} removed, {} kept", name_space,
           counted(report->removed.size(), "file"), report->kept.size());
  co_await library_.catch_up_after_swap();
  library_.installed().forget();
  latest_.forget(name_space);
  co_return report;
}

task::Task<Result<std::vector<sources::OutdatedRow>>> Downloader::outdated(
    Context context, std::optional<std::string> name_space) {
  using Question = sources::Downloads::Question;
  using Rows = std::vector<sources::OutdatedRow>;
  std::string about = name_space.value_or("skills_folder");
  auto work = [this, name_space =
                         std::move(name_space)](DownloadWatch& watch) -> task::Task<Result<Rows>> {
    const auto downloads = downloads_;
    const sources::Job job = watch.attach(downloads->job());
    auto find = [downloads, name_space] {
      return guarded<std::vector<Question>>([&] { return downloads->questions(name_space); });
    };
    auto questions = co_await network_.run(std::move(find));
    if (!questions) co_return std::unexpected(std::move(questions.error()));
    std::vector<task::PoolJob<Result<Question>>> asked;
    for (Question& question : *questions) {
      auto blocking = [downloads, job, rows = std::move(question)]() mutable {
        return guarded<Question>([&] {
          downloads->ask(rows, job);
          return std::move(rows);
        });
      };
      asked.push_back(network_.run(lanes_[asked.size() % lanes_.size()], std::move(blocking)));
    }
    Rows rows;
    for (const auto& each : asked) {
      Result<Question> answered = co_await each;
      if (!answered) co_return std::unexpected(std::move(answered.error()));
      std::ranges::move(*answered, std::back_inserter(rows));
    }
    std::ranges::sort(rows, {}, &sources::OutdatedRow::name_space);
    latest_.note(rows);
    co_return rows;
  };
  return in_place<Rows>(std::move(context), std::move(about), std::move(work));
}

task::Task<Result<sources::NamespaceDiff>> Downloader::diff(Context context, std::string name_space,
                                                            std::optional<std::string> path) {
  std::string about = name_space;
  return ask<sources::NamespaceDiff>(
      std::move(context), std::move(about),
      [name_space = std::move(name_space), path = std::move(path)](
          auto& downloads, const auto& job) { return downloads.diff(name_space, path, job); });
}

task::Task<Result<sources::RepoListing>> Downloader::list(Context context,
                                                          sources::RepoSource source) {
  std::string about(sources::repository_name(source.repo));
  return ask<sources::RepoListing>(std::move(context), std::move(about),
                                   [source = std::move(source)](auto& downloads, const auto& job) {
                                     return downloads.list(source, job);
                                   });
}

Error on_the_bus(Error error) {
  if (error.code == "cancelled") return error;
  return {"invocation_failed", std::move(error.message)};
}

}  // namespace iii::directory
