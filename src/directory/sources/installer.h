// Puts bundles into a skills folder, whole or not at all, and records them in `directory.lock`.
//
// Everything of ours that is no content lives in `.iii-directory/` below the folder: staged files,
// backups, the journal of a swap, lock files for other processes.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "directory/sources/bundle.h"
#include "directory/sources/bundle_risks.h"
#include "directory/sources/lock_file.h"
#include "directory/sources/namespace_diff.h"
#include "directory/sources/progress.h"
#include "foundation/base/files_writer.h"
#include "foundation/base/result.h"
#include "foundation/json/describe.h"

namespace iii::sources {

struct InstallOptions {
  bool force = false;      // overwrite what the user edited, and what another source filled
  bool automatic = false;  // recorded in the lock; also writes the upstream marker
  bool dry_run = false;    // nothing is written: the report says what would be
  bool remove = false;     // takes the namespace away: the bundle has no files
  // Record the findings about the files as accepted, instead of being refused because of them.
  bool accept_risks = false;
  // Goes into the lock: what was accepted before, and now (bundle_risks.h).
  AcceptedRisks accepted = {};
  // Restoring: the files must be exactly these, else D332 and nothing is written.
  std::optional<LockedNamespace> exactly;
};

// What became of the files of one namespace, or would become of them.
struct InstallReport {
  std::string name_space;
  std::vector<std::string> skills_written;   // paths, in the bundle's order
  std::vector<std::string> prompts_written;  // bare names
  json::Raw source;
  std::vector<std::string> assets_written;
  std::vector<std::string> unchanged;  // paths
  std::vector<std::string> pruned;     // ours, dropped upstream, not edited: removed
  std::vector<std::string> conflicts;  // edited by the user: kept
  // Replaced although they were not as we wrote them: by force, or because the folder has the
  // published worker's mark and is older than `directory.lock`.
  std::vector<std::string> overwritten;
  std::vector<SkippedFile> skipped;
  // What became of files that were here or came, by path: `pruned` has those that went.
  std::vector<std::string> added;
  std::vector<std::string> changed;
  std::vector<std::string> executable;          // files of the source that may be run here
  std::vector<std::string> executable_dropped;  // and that may not, by configuration
  std::vector<FileRisk> risks;  // what a reader should look at; accepted ones are left out
  std::optional<std::string> resolved;
  std::string digest;
  std::string moved_from;       // repo: folder that it had when it was installed before
  std::vector<FileDiff> files;  // of a dry run: all but the unchanged ones, by path
  // Not part of the answer.
  bool skills_changed = false;  // a skill was written or pruned
  bool prompts_changed = false;
};

// A bundle, whose files are hashed, and how to install it; both belong to the caller.
struct Package {
  const Bundle* bundle = nullptr;
  const InstallOptions* options = nullptr;
};

// A file that `doctor --fix` changed.
struct FixedFile {
  std::string path;    // below the skills folder
  std::string before;  // SHA-256 in hex
  std::string after;
};

// kMode: the content is intact, but the file is not executable although the source has it so.
enum class FileState { kIntact, kEdited, kMissing, kExtra, kMode };
// By their numbers.
inline constexpr std::array<const char*, 5> kFileStateWords = {"intact", "edited", "missing",
                                                               "extra", "mode"};
std::string word_of(FileState state);

struct VerifiedFile {
  std::string path;
  FileState state = FileState::kIntact;
};
struct VerifiedNamespace {
  std::string name_space;
  bool ok = true;  // files of others may lie beside ours, but none is edited or missing
  json::Raw source;
  std::string resolved;
  std::string digest;
  uint64_t intact = 0;
  std::vector<VerifiedFile> files;  // those that are not intact, by path
  // Not part of the answer.
  LockedNamespace locked;
  std::optional<int64_t> written_ns = {};  // when the newest of the intact files was written
};

// What became of a removal.
struct RemoveReport {
  std::string name_space;
  std::vector<std::string> removed;  // paths below the namespace
  std::vector<std::string> kept;     // edited or added here
};

// Blocking calls, from any thread; one namespace is written by one thread of one process at a time.
// Errors: D330 the disk refused, D331 another writer holds the namespace for too long, D332 not
// what the lock says, D333 the lock file cannot be read, D335 the namespace was filled from another
// source, and `force` is not set.
class Installer {
 public:
  // The folder is made when something is first written. `fault` is for tests of failures.
  explicit Installer(std::filesystem::path skills_folder, FolderWriter::Fault fault = {});
  ~Installer();

  Result<InstallReport> install(const Bundle& bundle, const InstallOptions& options,
                                const Job& job);
  // Several in one swap, with one change of `directory.lock`; one end for each, in their order.
  // What is refused is left out, the others are written. They have different namespaces. Each holds
  // an open file meanwhile.
  std::vector<Result<InstallReport>> install_all(const std::vector<Package>& packages,
                                                 const Job& job);
  // Takes the files away that the lock names and that are as they were installed, then folders that
  // are empty, and the entry of the lock: the installation of a bundle without files. Forced: all
  // files of the namespace. D310 when the lock does not have it.
  Result<RemoveReport> remove(const std::string& name_space, const InstallOptions& options,
                              const Job& job);
  // What an installation that is forced would change; `path`: of one file, D310 when neither the
  // namespace nor the bundle has it.
  Result<NamespaceDiff> diff(const Bundle& bundle, const std::optional<std::string>& path) const;
  // Parsed once for each version of the file.
  Result<LockPtr> lock() const;
  // Whether something stands at a path below the skills folder.
  bool has(const std::string& path) const;
  // Notes our own fixes in the lock, so that they do not count as edits. Files that the lock does
  // not name, or that were edited before, are left out.
  Result<void> record_fixes(const std::vector<FixedFile>& files, const Job& job);
  // Of one namespace, or of all that the lock names: D310 when it does not name that one. Files are
  // read again only when their stamps have changed.
  Result<std::vector<VerifiedNamespace>> verify(const std::optional<std::string>& name_space) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Keeps readers from seeing half of a swap, also one of another process or of one that was killed.
// Used by one thread; cheap enough for every call (no swap ever: one look for a file).
class ReadGate {
 public:
  explicit ReadGate(std::filesystem::path skills_folder);
  ~ReadGate();
  ReadGate(const ReadGate&) = delete;
  ReadGate& operator=(const ReadGate&) = delete;

  // True: no swap is under way and none can begin until leave(). A swap that a dead process left
  // behind has been finished or undone. False: come back later; whatever was read before is still
  // whole.
  bool enter();
  // False: what was read since enter() may be a mixture after all, because the lock came into being
  // (the very first download into this folder) or was replaced meanwhile. Read it again.
  bool leave();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace iii::sources
