// Takes downloads off the loop: a pool of their own, our changes told apart from others', the
// sources replaceable.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "functions/changes.h"
#include "library/library.h"
#include "sdk/worker.h"
#include "sources/downloads.h"

namespace iii::directory {

// On the loop thread.
class Downloader {
 public:
  Downloader(sdk::Worker& worker, Changes& changes, Library& library,
             std::shared_ptr<sources::Downloads> downloads, size_t threads)
      : changes_(changes),
        library_(library),
        downloads_(std::move(downloads)),
        pool_(worker.core().loop, threads) {}
  ~Downloader();
  Downloader(const Downloader&) = delete;
  Downloader& operator=(const Downloader&) = delete;

  // What runs keeps the sources it began with.
  void use(std::shared_ptr<sources::Downloads> downloads);
  const std::shared_ptr<sources::Downloads>& downloads() const { return downloads_; }
  sdk::Pool& pool() { return pool_; }

  // Events have gone out when these end.
  sdk::Task<Result<sources::InstallReport>> install(sources::Source source,
                                                    sources::InstallOptions options);
  enum class Again { kUpdate, kRestore };
  sdk::Task<Result<sources::NamespaceResult>> again(Again what, std::string name_space,
                                                    std::string_view source_kind, bool force);

 private:
  Changes& changes_;
  Library& library_;
  std::shared_ptr<sources::Downloads> downloads_;
  std::vector<std::weak_ptr<sources::Downloads>> earlier_;
  sdk::Pool pool_;
};

// Errors of sources as they travel on the bus: one code, the D-code in front of the text.
Error on_the_bus(Error error);

}  // namespace iii::directory
