// Takes downloads off the loop: a queue and a pool of their own, our changes told apart from
// others', the sources replaceable. Work on the local disk alone has threads of its own and never
// waits for a download.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
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
#include "foundation/task/task_group.h"

namespace iii::directory {

// On the loop thread.
class Downloader final : public Installed {
 public:
  Downloader(sdk::Worker& worker, Changes& changes, Library& library,
             std::shared_ptr<sources::Downloads> downloads, size_t threads)
      : Installed(worker.core().loop, std::move(downloads)),
        worker_(worker),
        changes_(changes),
        library_(library),
        queue_({.places = threads}),
        pool_(worker.core().loop, threads) {}
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
  // gets the error `cancelled`, and nothing has changed; a worker that disconnects cancels what it
  // asked for. With `stop_at_risks` findings are an error
  // (D338), and nothing is written. Events have gone out when these end.
  task::Task<Result<sources::InstallReport>> install(Context context, sources::Source source,
                                                     sources::InstallOptions options,
                                                     bool stop_at_risks = false);
  using Outcomes = Result<std::vector<sources::NamespaceResult>>;
  // Skills of one repository, each into its own namespace: one fetch and one swap.
  task::Task<Outcomes> install_several(Context context, std::string about,
                                       std::vector<sources::Source> sources,
                                       sources::InstallOptions options, bool stop_at_risks);
  enum class Again { kUpdate, kRestore };
  // Of one namespace, or of all: one fetch for each repository and one swap. `lock` says what
  // they are.
  task::Task<Outcomes> again(Context context, Again what, std::shared_ptr<const sources::Lock> lock,
                             std::optional<std::string> name_space, bool force, bool stop_at_risks);
  // `plan`: only says what would be removed.
  task::Task<Result<sources::RemoveReport>> remove(Context context, std::string name_space,
                                                   bool force, bool plan);
  task::Task<Result<std::vector<sources::OutdatedRow>>> outdated(
      Context context, std::optional<std::string> name_space);
  task::Task<Result<sources::NamespaceDiff>> diff(Context context, std::string name_space,
                                                  std::optional<std::string> path);
  task::Task<Result<sources::RepoListing>> list(Context context, sources::RepoSource source);

  // What sources said about newer versions when they were asked last.
  const LatestVersions& latest() const { return latest_; }

 private:
  // The sources of the namespaces that a job may write, by name.
  using Asked = std::map<std::string, sources::Source, std::less<>>;

  std::shared_ptr<DownloadWatch> watch(const Context& context, std::string name);
  task::Task<Result<DownloadQueue::Ticket>> admit(const Context& context);
  // What asks a source and writes nothing: `work(downloads, job)` in a place of the queue.
  template <typename T, typename F>
  task::Task<Result<T>> look(Context context, std::string about, F work);
  // What writes: one namespace or several.
  using Batch = std::function<Outcomes(sources::Downloads&, const sources::Job&)>;
  task::Task<Outcomes> write(Context context, std::string about, Asked asked, bool newest,
                             bool stop_at_risks, Batch work);

  // Whether the engine lists this worker as connected; nothing: it did not answer. Workers that did
  // not announce a process id never are.
  task::Task<std::optional<bool>> is_listed(std::string caller);
  // Makes `context` end when a worker that called disconnects, for as long as the result exists.
  using Follower = std::shared_ptr<std::stop_source>;
  Follower follow(Context& context);
  task::Task<void> stop_when_gone(std::string caller, std::weak_ptr<std::stop_source> stop);

  sdk::Worker& worker_;
  Changes& changes_;
  Library& library_;
  std::vector<std::weak_ptr<sources::Downloads>> earlier_;
  std::vector<std::weak_ptr<DownloadWatch>> watches_;
  LatestVersions latest_;
  DownloadQueue queue_;
  uint64_t done_ = 0;
  uint64_t failed_ = 0;
  task::Pool pool_;
  task::TaskGroup followers_;
};

// Errors of sources as they travel on the bus: one code, the D-code in front of the text.
Error on_the_bus(Error error);

}  // namespace iii::directory
