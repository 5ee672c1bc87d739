// Everything that can be done with sources, put together: what functions and commands call.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sources/git.h"
#include "sources/installer.h"
#include "sources/registry.h"

namespace iii::sources {

struct DownloadsOptions {
  std::filesystem::path skills_folder;
  RegistryOptions registry;
  GitOptions git;
  std::chrono::milliseconds timeout{60'000};  // of one download, from asking to writing
  ScanPolicy scan;

  bool operator==(const DownloadsOptions&) const = default;
};

struct OutdatedRow {
  std::string name_space;
  Source source;
  std::string current;  // what the lock has
  std::string latest;   // what its selector means now; empty when that could not be found out
  bool pinned = false;  // a person chose exactly this one: nothing newer counts
  // Files that are older than `current`, because they were edited here and kept.
  std::vector<std::string> kept;
  bool outdated = false;  // something newer exists, or files were kept
  std::optional<Error> error;
};

// What became of one namespace of several.
struct NamespaceResult {
  std::string name_space;
  std::string before;  // what was resolved before
  std::optional<InstallReport> report;
  std::optional<Error> error;
};

// Blocking calls, from any thread.
class Downloads {
 public:
  explicit Downloads(DownloadsOptions options);

  Result<InstallReport> download(const Source& source, const InstallOptions& options,
                                 const Job& job);

  using Name = std::optional<std::string>;  // of one namespace; nothing: all that are locked
  Result<std::vector<VerifiedNamespace>> verify(const Name& name) const;
  // Asks what each source means now, a few at a time, each within the whole time-out.
  Result<std::vector<OutdatedRow>> outdated(const Name& name, const Job& job);
  // Asks every source again for what was asked before. Pinned ones are left alone unless named.
  Result<std::vector<NamespaceResult>> update(const Name& name, bool force, const Job& job);
  // Exactly what the lock says, fetched again where files are missing or edited.
  Result<std::vector<NamespaceResult>> restore(const Name& name, bool force, const Job& job);

  Result<Lock> lock() const { return installer_.lock(); }
  Result<void> record_fixes(const std::vector<FixedFile>& files) {
    return installer_.record_fixes(files, job());
  }
  bool has_lock_file() const { return installer_.has_lock_file(); }
  bool has_folder(const std::string& name) const { return installer_.has_folder(name); }
  bool has_marker(const std::string& name) const { return installer_.has_marker(name); }
  Registry& registry() { return *registry_; }
  const DownloadsOptions& options() const { return options_; }

  // A job that ends with this object's time-out or with cancel().
  Job job(std::function<void(const Progress&)> report = {}) const;
  void cancel() { cancelled_->store(true); }

 private:
  Result<std::map<std::string, LockedNamespace>> locked(const Name& name) const;
  void compare(OutdatedRow& row, const Job& job);
  Job job_like(const Job& job) const;
  Result<Bundle> fetch(const Source& source, const Job& job);
  Result<std::string> resolve(const Source& source, const Job& job);
  // Looks through the files, and installs them unless something is found that blocks them.
  Result<InstallReport> install_scanned(const Bundle& bundle, InstallOptions options,
                                        const Job& job);
  NamespaceResult restore_one(const std::string& name, const LockedNamespace& locked, bool force,
                              const Job& job);

  const DownloadsOptions options_;
  std::unique_ptr<Registry> registry_;
  Installer installer_;
  std::shared_ptr<std::atomic<bool>> cancelled_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace iii::sources
