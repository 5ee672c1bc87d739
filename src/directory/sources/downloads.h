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

#include "directory/sources/git.h"
#include "directory/sources/installer.h"
#include "directory/sources/registry.h"
#include "foundation/base/result.h"

namespace iii::sources {

struct DownloadsOptions {
  std::filesystem::path skills_folder;
  RegistryOptions registry;
  GitOptions git;
  std::chrono::milliseconds timeout{60'000};  // of one download, from asking to writing
  bool keep_executable_bits = true;
  bool local_folders = false;  // the command line: folders of this machine may be sources
  ScanPolicy scan;

  bool operator==(const DownloadsOptions&) const = default;
};

struct OutdatedRow {
  std::string name_space;
  Source source;
  std::string folder = {};  // repo: where the files were found
  std::string tree = {};    // repo: id of that folder's tree, where it is known
  std::string current;      // what the lock has
  std::string latest;       // what its selector means now; empty when that could not be found out
  bool pinned = false;      // a person chose exactly this one: nothing newer counts
  // Files that are older than `current`, because they were edited here and kept.
  std::vector<std::string> kept;
  bool outdated = false;  // the source has other files
  bool gone = false;      // the repository has it no more, under no name
  std::optional<Error> error;
};

// What became of one namespace of several.
struct NamespaceResult {
  std::string name_space;
  std::string before;                 // what was resolved before
  std::optional<Source> source = {};  // download_several: what it was asked as
  std::optional<InstallReport> report;
  std::optional<Error> error;
};

// Blocking calls, from any thread.
class Downloads {
 public:
  explicit Downloads(DownloadsOptions options);

  Result<InstallReport> download(const Source& source, const InstallOptions& options,
                                 const Job& job);

  // Each into its own namespace: one fetch for each repository and ref, one swap.
  std::vector<NamespaceResult> download_several(const std::vector<Source>& sources,
                                                const InstallOptions& options, const Job& job);
  // What a repository has.
  Result<RepoListing> list(const RepoSource& source, const Job& job);

  using Name = std::optional<std::string>;  // of one namespace; nothing: all that are locked
  Result<std::vector<VerifiedNamespace>> verify(const Name& name) const;
  // Asks what each source means now, a few at a time, each within the whole time-out.
  Result<std::vector<OutdatedRow>> outdated(const Name& name, const Job& job);
  // What an update would change: the files here against what the source has now. `path`: one file.
  Result<NamespaceDiff> diff(const std::string& name, const Name& path, const Job& job);
  // Asks every source again for what was asked before. Pinned ones are left alone unless named.
  Result<std::vector<NamespaceResult>> update(const Name& name, bool force, const Job& job);
  // Exactly what the lock says, fetched again where files are missing or edited.
  Result<std::vector<NamespaceResult>> restore(const Name& name, bool force, const Job& job);

  Result<LockPtr> lock() const { return installer_.lock(); }
  Result<void> record_fixes(const std::vector<FixedFile>& files) {
    return installer_.record_fixes(files, job());
  }
  Result<RemoveReport> remove(const std::string& name, const InstallOptions& options,
                              const Job& job) {
    return installer_.remove(name, options, job);
  }
  // Whether something stands at a path below the skills folder.
  bool has(const std::string& path) const { return installer_.has(path); }
  Registry& registry() { return *registry_; }
  const DownloadsOptions& options() const { return options_; }

  // A job that ends with this object's time-out or with cancel().
  Job job(std::function<void(const Progress&)> report = {}) const;
  void cancel() { cancelled_->store(true); }

 private:
  class Batch;
  // A bundle that has come.
  struct Wanted {
    Bundle bundle;
    InstallOptions options;
  };
  // One that is to be fetched. With `options.exactly` the lock stays as it is.
  struct Order {
    size_t outcome = 0;  // where its end belongs
    Source source;
    InstallOptions options;
    IfMoved if_moved = IfMoved::kRefuse;
  };

  Result<std::map<std::string, LockedNamespace>> locked(const Name& name) const;
  std::vector<std::vector<OutdatedRow*>> by_question(std::vector<OutdatedRow>& rows);
  void compare(const std::vector<OutdatedRow*>& rows, const Job& job);
  Result<void> find_changed(const std::vector<OutdatedRow*>& rows, const std::string& latest,
                            const Job& job);
  void drop_executable_bits(Bundle& bundle) const;
  Job job_like(const Job& job) const;
  // Whether the source is a folder of this machine, and where it is.
  bool is_folder(const Source& source) const;
  Result<RepoSource> located(const RepoSource& source) const;
  // Git's options for a repository on this machine, which the command line named.
  GitOptions local_git() const;
  Result<Bundle> fetch(const Source& source, const Job& job, IfMoved if_moved);
  // Of one repository and ref, or of one folder.
  Result<void> fetch_several(const std::vector<RepoSource>& sources, const Job& job,
                             IfMoved if_moved, const RepoSkills::TakeOne& take);
  Result<std::string> resolve(const Source& source, const Job& job);
  // Looks through the files; an error when something is found that blocks them.
  Result<std::vector<FileRisk>> examine(const Bundle& bundle, InstallOptions& options,
                                        const Lock& lock) const;
  std::vector<Result<InstallReport>> install_several(std::vector<Wanted> wanted, const Job& job);
  void fetch_and_install(std::vector<Order> orders, std::vector<NamespaceResult>& outcomes,
                         const Job& job);

  const DownloadsOptions options_;
  std::unique_ptr<Registry> registry_;
  Installer installer_;
  std::shared_ptr<std::atomic<bool>> cancelled_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace iii::sources
