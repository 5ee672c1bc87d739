// Takes downloads off the loop: a queue and a pool of their own, our changes told apart from
// others', the sources replaceable. Work on the local disk alone has threads of its own and never
// waits for a download.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "functions/changes.h"
#include "functions/context.h"
#include "functions/download_queue.h"
#include "functions/latest_versions.h"
#include "library/library.h"
#include "sdk/worker.h"
#include "sources/downloads.h"
#include "sources/installer_remove.h"

namespace iii::directory {

// On the loop thread.
class Downloader {
 public:
  Downloader(sdk::Worker& worker, Changes& changes, Library& library,
             std::shared_ptr<sources::Downloads> downloads, size_t threads)
      : worker_(worker),
        changes_(changes),
        library_(library),
        downloads_(std::move(downloads)),
        queue_({.places = threads}),
        pool_(worker.core().loop, threads),
        local_(worker.core().loop, kLocalThreads) {}
  ~Downloader();
  Downloader(const Downloader&) = delete;
  Downloader& operator=(const Downloader&) = delete;

  // What runs keeps the sources it began with.
  void use(std::shared_ptr<sources::Downloads> downloads);
  const std::shared_ptr<sources::Downloads>& downloads() const { return downloads_; }
  // `running` and `waiting` include what only looks at a source.
  struct Counts {
    uint64_t running = 0;
    uint64_t waiting = 0;
    uint64_t done = 0;
    uint64_t failed = 0;
  };
  Counts counts() const {
    return {
        .running = queue_.running(), .waiting = queue_.waiting(), .done = done_, .failed = failed_};
  }
  // For what looks at the disk and asks nobody.
  sdk::Pool& local() { return local_; }

  // Each caller may have a bounded number waiting (D334), and what a caller that has disconnected
  // left in the queue is dropped. Who cancels before files are replaced gets the error `cancelled`,
  // and nothing has changed. Events have gone out when these end.
  sdk::Task<Result<sources::InstallReport>> install(Context context, sources::Source source,
                                                    sources::InstallOptions options);
  enum class Again { kUpdate, kRestore };
  // Of one namespace, or of all: one fetch for each repository and one swap. `lock` says what
  // they are.
  sdk::Task<Result<std::vector<sources::NamespaceResult>>> again(
      Context context, Again what, std::shared_ptr<const sources::Lock> lock,
      std::optional<std::string> name_space, bool force);
  sdk::Task<Result<sources::RemoveReport>> remove(Context context, std::string name_space,
                                                  bool force);
  sdk::Task<Result<std::vector<sources::OutdatedRow>>> outdated(
      Context context, std::optional<std::string> name_space);
  sdk::Task<Result<sources::NamespaceDiff>> diff(Context context, std::string name_space,
                                                 std::optional<std::string> path);
  sdk::Task<Result<sources::RepoListing>> list(Context context, sources::RepoSource source);

  // What sources said about newer versions when they were asked last.
  const LatestVersions& latest() const { return latest_; }

 private:
  static constexpr size_t kLocalThreads = 2;

  sdk::Task<Result<DownloadQueue::Ticket>> admit(const Context& context);
  // What asks a source and writes nothing: `work(downloads, job)` in a place of the queue.
  template <typename T, typename F>
  sdk::Task<Result<T>> look(Context context, F work);
  sdk::Task<bool> is_listed(std::string caller);

  sdk::Worker& worker_;
  Changes& changes_;
  Library& library_;
  std::shared_ptr<sources::Downloads> downloads_;
  std::vector<std::weak_ptr<sources::Downloads>> earlier_;
  LatestVersions latest_;
  DownloadQueue queue_;
  uint64_t done_ = 0;
  uint64_t failed_ = 0;
  sdk::Pool pool_;
  sdk::Pool local_;
};

// Errors of sources as they travel on the bus: one code, the D-code in front of the text.
Error on_the_bus(Error error);

}  // namespace iii::directory
