#include "directory/installing/downloader.h"

#include <algorithm>
#include <exception>
#include <map>
#include <utility>

#include "foundation/base/counted.h"
#include "foundation/base/log.h"
#include "foundation/base/utf8.h"

namespace iii::directory {

namespace {

using sources::InstallReport;
using sources::NamespaceResult;

constexpr std::chrono::milliseconds kListTimeout{5'000};
// Between two looks whether a caller is still connected.
constexpr std::chrono::milliseconds kFollowPause{1'000};

// The kinds of source of the namespaces that a job may write.
using Kinds = std::map<std::string, std::string, std::less<>>;

// Findings that a caller wants to know before anything is written.
using Findings = std::vector<sources::FileRisk>;

Error unconfirmed(const Findings& findings) {
  constexpr size_t kNamed = 50;
  std::string named;
  for (size_t i = 0; i < std::min(findings.size(), kNamed); ++i) {
    const sources::FileRisk& risk = findings[i];
    named += "  " + sources::where(risk) + ": " + printable(risk.message) +
             (risk.excerpt.empty() ? "" : ": " + printable(risk.excerpt)) + "\n";
  }
  if (findings.size() > kNamed) {
    named += "  and " + std::to_string(findings.size() - kNamed) + " more\n";
  }
  return {"D338", "D338 risks_unconfirmed: " + counted(findings.size(), "finding") +
                      " to look at before trusting these files:\n" + named +
                      "Nothing was written. Next: read these files, then call again without "
                      "`stop_at_risks`."};
}

// A job whose changes are told as a download from the swap on. With `findings` it writes nothing
// when there are any.
sources::Job job_of(const sources::Downloads& downloads, Library& library, Kinds kinds,
                    DownloadWatch& watch, Findings* findings) {
  sources::Job job = downloads.job();
  if (findings != nullptr) {
    job.confirm = [findings](const Findings& found) {
      findings->insert(findings->end(), found.begin(), found.end());
      return false;
    };
  }
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

void log_outcome(const NamespaceResult& outcome) {
  const std::string& name = outcome.name_space;
  if (!outcome.report) {
    log_warn("download of {}: {}", name, outcome.error ? outcome.error->message : "not done");
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
  pool_.stop();
  local_.stop();
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

Downloader::Follower Downloader::follow(Context& context) {
  // Who can cancel by other means does; the engine and this process itself do not disconnect.
  if (context.caller.empty() || context.cancelled.stop_possible()) return nullptr;
  auto stop = std::make_shared<std::stop_source>();
  context.cancelled = stop->get_token();
  followers_.spawn(stop_when_gone(context.caller, stop));
  return stop;
}

task::Task<void> Downloader::stop_when_gone(std::string caller,
                                            std::weak_ptr<std::stop_source> stop) {
  if (!(co_await is_listed(caller)).value_or(false)) co_return;
  while (true) {
    co_await worker_.sleep(kFollowPause);
    if (stop.expired()) co_return;
    if ((co_await is_listed(caller)).value_or(true)) continue;
    const Follower running = stop.lock();
    if (running == nullptr) co_return;
    log_info("a download is cancelled: the worker that asked for it has disconnected");
    running->request_stop();
    co_return;
  }
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

task::Task<Downloader::Outcomes> Downloader::write(Context context, std::string about, Asked asked,
                                                   bool newest, bool stop_at_risks, Batch work) {
  const Follower follower = follow(context);
  const auto watch = this->watch(context, about);
  const Result<DownloadQueue::Ticket> place = co_await admit(context);
  if (!place) co_return std::unexpected(on_the_bus(place.error()));
  watch->begin();
  Kinds kinds;
  for (const auto& [name, source] : asked) {
    kinds.emplace(name, sources::kind_of(source));
    changes_.begin(name, sources::kind_of(source));
  }
  auto bound = [downloads = downloads_, library = &library_, kinds, watch, stop_at_risks,
                work = std::move(work)]() -> Outcomes {
    Findings findings;
    const auto run = [&] {
      return work(*downloads,
                  job_of(*downloads, *library, kinds, *watch, stop_at_risks ? &findings : nullptr));
    };
    auto outcomes = guarded<std::vector<NamespaceResult>>(run);
    if (!findings.empty()) return std::unexpected(unconfirmed(findings));
    return outcomes;
  };
  Outcomes outcomes = co_await pool_.run(std::move(bound));
  if (outcomes && !watch->was_cancelled()) watch->announce();
  if (!outcomes) {
    ++failed_;
    log_warn("download of {}: {}", about, outcomes.error().message);
  }
  std::vector<DownloadEnd> ends;
  for (const auto& [name, source] : asked) ends.push_back({.name_space = name});
  if (outcomes) {
    for (const NamespaceResult& each : *outcomes) {
      ++(each.error ? failed_ : done_);
      log_outcome(each);
      const auto end = std::ranges::find(ends, each.name_space, &DownloadEnd::name_space);
      if (!each.report || end == ends.end()) continue;
      end->skills_changed = each.report->skills_changed;
      end->prompts_changed = each.report->prompts_changed;
      if (newest) {
        latest_.note_installed(each.name_space, asked.at(each.name_space),
                               each.report->resolved.value_or(""));
      }
    }
  }
  co_await changes_.end(std::move(ends));
  if (watch->was_cancelled()) co_return std::unexpected(download_cancelled(about));
  if (!outcomes) co_return std::unexpected(on_the_bus(std::move(outcomes.error())));
  library_.installed().forget();
  co_return outcomes;
}

task::Task<Result<InstallReport>> Downloader::install(Context context, sources::Source source,
                                                      sources::InstallOptions options,
                                                      bool stop_at_risks) {
  const std::string name = sources::namespace_of(source);
  Batch work = [source, options](auto& downloads, const auto& job) {
    return downloads.download_several({source}, options, job);
  };
  Outcomes outcomes =
      co_await write(std::move(context), name, {{name, source}}, true, stop_at_risks, work);
  if (!outcomes) co_return std::unexpected(std::move(outcomes.error()));
  NamespaceResult& only = outcomes->front();
  if (only.error) co_return std::unexpected(on_the_bus(std::move(*only.error)));
  co_return std::move(*only.report);
}

task::Task<Downloader::Outcomes> Downloader::install_several(Context context, std::string about,
                                                             std::vector<sources::Source> sources,
                                                             sources::InstallOptions options,
                                                             bool stop_at_risks) {
  Asked asked;
  for (const sources::Source& source : sources) {
    asked.emplace(sources::namespace_of(source), source);
  }
  Batch work = [sources = std::move(sources), options](auto& downloads, const auto& job) {
    return downloads.download_several(sources, options, job);
  };
  return write(std::move(context), std::move(about), std::move(asked), true, stop_at_risks,
               std::move(work));
}

task::Task<Downloader::Outcomes> Downloader::again(Context context, Again what,
                                                   std::shared_ptr<const sources::Lock> lock,
                                                   std::optional<std::string> name_space,
                                                   bool force, bool stop_at_risks) {
  Asked asked;
  for (const auto& [name, locked] : lock->namespaces) {
    if (name_space.value_or(name) == name) asked.emplace(name, locked.source);
  }
  const bool update = what == Again::kUpdate;
  std::string about = name_space.value_or("skills_folder");
  Batch work = [name_space = std::move(name_space), force, update](auto& downloads,
                                                                   const auto& job) {
    return update ? downloads.update(name_space, force, job)
                  : downloads.restore(name_space, force, job);
  };
  return write(std::move(context), std::move(about), std::move(asked), update, stop_at_risks,
               std::move(work));
}

task::Task<Result<sources::RemoveReport>> Downloader::remove(Context context,
                                                             std::string name_space, bool force,
                                                             bool plan) {
  auto work = [downloads = downloads_, stop = context.cancelled, name_space, force, plan] {
    const auto take_away = [&] {
      sources::Job job = downloads->job();
      job.stop = stop;
      return downloads->remove(name_space, {.force = force, .dry_run = plan}, job);
    };
    return guarded<sources::RemoveReport>(take_away);
  };
  Result<sources::RemoveReport> report = co_await local_.run(std::move(work));
  if (!report && context.cancelled.stop_requested()) {
    co_return std::unexpected(download_cancelled(name_space));
  }
  if (!report) co_return std::unexpected(on_the_bus(std::move(report.error())));
  if (plan) co_return report;
  log_info("removal of {}: {} removed, {} kept", name_space,
           counted(report->removed.size(), "file"), report->kept.size());
  co_await library_.catch_up_after_swap();
  library_.installed().forget();
  latest_.forget(name_space);
  co_return report;
}

template <typename T, typename F>
task::Task<Result<T>> Downloader::look(Context context, std::string about, F work) {
  const Follower follower = follow(context);
  const auto watch = this->watch(context, about);
  const Result<DownloadQueue::Ticket> place = co_await admit(context);
  if (!place) co_return std::unexpected(on_the_bus(place.error()));
  auto bound = [downloads = downloads_, watch, work = std::move(work)] {
    return guarded<T>([&] { return work(*downloads, watch->attach(downloads->job())); });
  };
  Result<T> result = co_await pool_.run(std::move(bound));
  if (!result && watch->was_cancelled()) co_return std::unexpected(download_cancelled(about));
  if (!result) co_return std::unexpected(on_the_bus(std::move(result.error())));
  co_return result;
}

task::Task<Result<std::vector<sources::OutdatedRow>>> Downloader::outdated(
    Context context, std::optional<std::string> name_space) {
  std::string about = name_space.value_or("skills_folder");
  auto ask = [name_space = std::move(name_space)](auto& downloads, const auto& job) {
    return downloads.outdated(name_space, job);
  };
  auto rows = co_await look<std::vector<sources::OutdatedRow>>(std::move(context), std::move(about),
                                                               std::move(ask));
  if (rows) latest_.note(*rows);
  co_return rows;
}

task::Task<Result<sources::NamespaceDiff>> Downloader::diff(Context context, std::string name_space,
                                                            std::optional<std::string> path) {
  std::string about = name_space;
  return look<sources::NamespaceDiff>(
      std::move(context), std::move(about),
      [name_space = std::move(name_space), path = std::move(path)](
          auto& downloads, const auto& job) { return downloads.diff(name_space, path, job); });
}

task::Task<Result<sources::RepoListing>> Downloader::list(Context context,
                                                          sources::RepoSource source) {
  std::string about(sources::repository_name(source.repo));
  return look<sources::RepoListing>(std::move(context), std::move(about),
                                    [source = std::move(source)](auto& downloads, const auto& job) {
                                      return downloads.list(source, job);
                                    });
}

Error on_the_bus(Error error) {
  if (error.code == "cancelled") return error;
  return {"invocation_failed", std::move(error.message)};
}

}  // namespace iii::directory
