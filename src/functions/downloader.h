// Takes downloads off the loop: a queue and a pool of their own, our changes told apart from
// others', the sources replaceable. Work on the local disk alone has threads of its own and never
// waits for a download.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "functions/changes.h"
#include "functions/download_queue.h"
#include "library/library.h"
#include "sdk/worker.h"
#include "sources/downloads.h"

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
  // For what looks at the disk and asks nobody.
  sdk::Pool& local() { return local_; }

  // `caller` is the worker that asks; empty: the directory itself. Each may have a bounded number
  // waiting (D334), and what a caller that has disconnected left in the queue is dropped. Events
  // have gone out when these end.
  sdk::Task<Result<sources::InstallReport>> install(std::string caller, sources::Source source,
                                                    sources::InstallOptions options);
  enum class Again { kUpdate, kRestore };
  sdk::Task<Result<sources::NamespaceResult>> again(std::string caller, Again what,
                                                    std::string name_space,
                                                    std::string_view source_kind, bool force);
  sdk::Task<Result<std::vector<sources::OutdatedRow>>> outdated(
      std::string caller, std::optional<std::string> name_space);
  sdk::Task<Result<sources::NamespaceDiff>> diff(std::string caller, std::string name_space,
                                                 std::optional<std::string> path);
  sdk::Task<Result<sources::RepoListing>> list(std::string caller, sources::RepoSource source);

 private:
  static constexpr size_t kLocalThreads = 2;

  sdk::Task<Result<DownloadQueue::Ticket>> admit(std::string caller);
  // What asks a source and writes nothing: `work(downloads, job)` in a place of the queue.
  template <typename T, typename F>
  sdk::Task<Result<T>> look(std::string caller, F work);
  sdk::Task<bool> is_listed(std::string caller);

  sdk::Worker& worker_;
  Changes& changes_;
  Library& library_;
  std::shared_ptr<sources::Downloads> downloads_;
  std::vector<std::weak_ptr<sources::Downloads>> earlier_;
  DownloadQueue queue_;
  sdk::Pool pool_;
  sdk::Pool local_;
};

// Errors of sources as they travel on the bus: one code, the D-code in front of the text.
Error on_the_bus(Error error);

}  // namespace iii::directory
