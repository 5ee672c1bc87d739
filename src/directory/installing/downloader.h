// Runs requests off the loop: a queue and threads of their own, our changes told apart from
// others', the sources replaceable.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bus/sdk/worker.h"
#include "directory/installing/download_queue.h"
#include "directory/installing/download_watch.h"
#include "directory/installing/latest_versions.h"
#include "directory/library/library.h"
#include "directory/reading/changes.h"
#include "directory/reading/installed.h"
#include "directory/sources/downloads.h"
#include "directory/table/context.h"

namespace iii::directory {

// On the loop thread.
class Downloader final : public Installed {
 public:
  // `places`: jobs at the same time.
  Downloader(sdk::Worker& worker, Changes& changes, Library& library,
             std::shared_ptr<sources::Downloads> downloads, size_t places)
      : Installed(worker.core().loop, std::move(downloads), places),
        worker_(worker),
        changes_(changes),
        library_(library),
        queue_({.places = places}) {}
  ~Downloader();
  Downloader(const Downloader&) = delete;
  Downloader& operator=(const Downloader&) = delete;

  // What runs keeps the sources it began with.
  void use(std::shared_ptr<sources::Downloads> downloads);
  DownloadCounts counts() const {
    return {
        .running = queue_.running(), .waiting = queue_.waiting(), .done = done_, .failed = failed_};
  }
  // What is waiting or running, the oldest first.
  std::vector<std::shared_ptr<const DownloadWatch>> jobs() const;

  // Each caller may have a bounded number waiting (D334). Who cancels before files are replaced
  // gets the error `cancelled`, and nothing has changed. Events have gone out when this ends.
  // `about` names the job.
  using Outcomes = Result<std::vector<sources::NamespaceResult>>;
  task::Task<Outcomes> run(Context context, std::string about, sources::Request request);
  // One source; `how` says the rest.
  task::Task<Result<sources::InstallReport>> install(Context context, sources::Source source,
                                                     sources::Request how);
  task::Task<Result<sources::RemoveReport>> remove(Context context, std::string name_space,
                                                   sources::InstallOptions options);
  task::Task<Result<std::vector<sources::OutdatedRow>>> outdated(
      Context context, std::optional<std::string> name_space);
  task::Task<Result<sources::NamespaceDiff>> diff(Context context, std::string name_space,
                                                  std::optional<std::string> path);
  task::Task<Result<sources::RepoListing>> list(Context context, sources::RepoSource source);

  // What sources said about newer versions when they were asked last.
  const LatestVersions& latest() const { return latest_; }

 private:
  std::shared_ptr<DownloadWatch> watch(const Context& context, std::string name);
  task::Task<Result<DownloadQueue::Ticket>> admit(const Context& context);
  // `work(watch)` in a place of the queue.
  template <typename T, typename F>
  task::Task<Result<T>> in_place(Context context, std::string about, F work);
  // `work(downloads, job)`, which writes nothing, on a thread of its own.
  template <typename T, typename F>
  task::Task<Result<T>> ask(Context context, std::string about, F work);
  task::Task<Outcomes> write(const sources::Request& request, DownloadWatch& watch);
  // Tells everybody what was written.
  task::Task<void> publish(const sources::Request& request,
                           const sources::Downloads::Targets& targets, const Outcomes& outcomes);

  // Whether the engine lists this worker as connected; nothing: it did not answer. Workers that did
  // not announce a process id never are.
  task::Task<std::optional<bool>> is_listed(std::string caller);

  sdk::Worker& worker_;
  Changes& changes_;
  Library& library_;
  std::vector<std::weak_ptr<sources::Downloads>> earlier_;
  std::vector<std::weak_ptr<DownloadWatch>> watches_;
  LatestVersions latest_;
  DownloadQueue queue_;
  // Sources that are asked for newer versions take turns in these.
  std::array<task::Pool::Lane, 3> lanes_;
  uint64_t done_ = 0;
  uint64_t failed_ = 0;
};

// Errors of sources as they travel on the bus: one code, the D-code in front of the text.
Error on_the_bus(Error error);

}  // namespace iii::directory
