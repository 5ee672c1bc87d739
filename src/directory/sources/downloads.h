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
#include "directory/sources/namespace_diff.h"
#include "directory/sources/registry.h"
#include "directory/sources/repo_skills.h"
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

// A namespace of the lock beside what its source has now.
struct OutdatedRow {
  std::string name_space;
  json::Raw source = {};
  std::string current = {};  // what the lock has
  std::optional<std::string> latest =
      {};               // what its selector means now, if that could be found out
  bool pinned = false;  // a person chose exactly this one: nothing newer counts
  // Files that are older than `current`, because they were edited here and kept.
  std::vector<std::string> kept = {};
  bool outdated = false;  // the source has other files
  std::string state = {};
  std::optional<std::string> error = {};
  // Not part of the answer.
  Source asked = {};
  std::string digest = {};  // of the files that were installed
  std::string folder = {};  // repo: where the files were found
  std::string tree = {};    // repo: id of that folder's tree, where it is known
  std::string name = {};    // repo: `name` in the frontmatter of the installed SKILL.md

  bool is_gone() const { return state == "gone"; }
};

// What became of one namespace of several.
struct NamespaceResult {
  std::string name_space;
  bool ok = false;
  std::string before = {};  // what was resolved before
  std::optional<InstallReport> report = {};
  std::optional<std::string> error = {};
};

// What writes: sources to install, or namespaces of the lock to update (as they were asked for) or
// to restore (exactly as the lock has them).
struct Request {
  enum class Action : uint8_t { kInstall, kUpdate, kRestore };
  Action action = Action::kInstall;
  std::vector<Source> sources = {};            // kInstall: each for its own namespace
  std::optional<std::string> name_space = {};  // else: only this one
  bool force = false;
  bool accept_risks = false;
  bool automatic = false;  // kInstall: by automatic downloads
  // A finding about a file is an error (D338), and nothing is written.
  bool stop_at_risks = false;
  bool dry_run = false;  // nothing is written: the reports say what would be
};

// Blocking calls, from any thread.
class Downloads {
 public:
  explicit Downloads(DownloadsOptions options);

  using Name = std::optional<std::string>;  // of one namespace; nothing: all that are locked

  // The namespaces that a request is about, and their sources.
  using Targets = std::map<std::string, Source, std::less<>>;
  Result<Targets> targets(const Request& request) const;
  // One fetch for each repository and ref, one swap for all.
  Result<std::vector<NamespaceResult>> run(const Request& request, const Job& job);
  // What a repository has.
  Result<RepoListing> list(const RepoSource& source, const Job& job);

  Result<std::vector<VerifiedNamespace>> verify(const Name& name) const {
    return installer_.verify(name);
  }
  // The namespaces of the lock, grouped by source: one answer is for all of a group.
  using Question = std::vector<OutdatedRow>;
  Result<std::vector<Question>> questions(const Name& name) const;
  // Asks the source what it has now, within the whole time-out.
  void ask(Question& rows, const Job& job);
  // What an update would change: the files here against what the source has now. `path`: one file.
  Result<NamespaceDiff> diff(const std::string& name, const Name& path, const Job& job);
  Result<LockPtr> lock() const { return installer_.lock(); }
  Result<void> record_fixes(const std::vector<FixedFile>& files) {
    return installer_.record_fixes(files, job());
  }
  // `options`: force and dry_run count.
  Result<RemoveReport> remove(const std::string& name, const InstallOptions& options,
                              const Job& job) {
    return installer_.remove(name, options, job);
  }
  // Whether something stands at a path below the skills folder.
  bool has(const std::string& path) const { return installer_.has(path); }
  Registry& registry() { return registry_; }
  const DownloadsOptions& options() const { return options_; }

  // A job that ends with this object's time-out or with cancel().
  Job job(std::function<void(const Progress&)> report = {}) const;
  void cancel() { cancelled_->store(true); }

 private:
  class Batch;
  // A namespace to fetch and to write. With `options.exactly` the lock stays as it is.
  struct Order {
    size_t outcome = 0;  // where its end belongs
    Source source;
    InstallOptions options;
    bool may_have_moved = false;
    std::string declared_name = {};  // of what is installed
  };

  // The namespaces of the lock that are meant.
  using Locked = std::map<std::string, LockedNamespace>;
  Result<Locked> locked(const Name& name) const;
  Result<void> find_changed(Question& rows, const std::string& latest, const Job& job);
  // `name` in the frontmatter of a namespace's SKILL.md as it lies here.
  std::string declared_name(const std::string& name_space, const LockedNamespace& locked) const;
  void drop_executable_bits(Bundle& bundle) const;
  Job job_like(const Job& job) const;
  // Whether the source is a folder of this machine, and where it is.
  bool is_folder(const Source& source) const;
  Result<RepoSource> located(const RepoSource& source) const;
  // A commit of the repository, or the folder, of a located source.
  Result<std::unique_ptr<TreeSource>> tree_of(const RepoSource& source, const Job& job) const;
  Result<Bundle> fetch(const Order& order, const Job& job);
  // Of one repository and ref, or of one folder.
  Result<void> fetch_several(const std::vector<WantedSkill>& skills, const Job& job,
                             const RepoSkills::TakeOne& take);
  Result<std::string> resolve(const Source& source, const Job& job);
  Result<void> order_locked(const Request& request, std::vector<Order>& orders,
                            std::vector<NamespaceResult>& outcomes) const;
  Result<void> fetch_and_install(const std::vector<Order>& orders,
                                 std::vector<NamespaceResult>& outcomes, const Job& job,
                                 bool stop_at_risks);

  const DownloadsOptions options_;
  const GitOptions local_git_;  // for repositories on this machine, which the command line named
  Registry registry_;
  Installer installer_;
  std::shared_ptr<std::atomic<bool>> cancelled_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace iii::sources
