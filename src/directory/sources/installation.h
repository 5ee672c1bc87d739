// One swap: several bundles planned against one `directory.lock`, staged, and put in place
// together.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "directory/sources/installer.h"
#include "directory/sources/installer_locks.h"
#include "directory/sources/installer_plan.h"
#include "directory/sources/installer_verify.h"
#include "directory/sources/journal.h"
#include "foundation/base/files_writer.h"

namespace iii::sources {

// Of a file that is kept until a swap is complete.
inline constexpr uint64_t kMaxBackupBytes = 1ULL << 30U;

// The files of one swap on their way: removed with this object, unless a journal needs them.
class Stage {
 public:
  // The namespace is part of the name, so that its next writer knows a dead one's stage.
  Stage(const FolderWriter& root, const std::string& name_space);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  const std::string& folder() const { return folder_; }
  std::string path(std::string_view name) const { return below(folder_, name); }
  void keep() { needed_ = true; }
  Result<void> make() { return root_.make_folders(folder_); }
  Result<void> sync();

 private:
  const FolderWriter& root_;
  const std::string folder_;
  bool needed_ = false;
};

// The right to swap. What a dead process left unfinished was finished or undone first.
Result<SwapLock> begin_swap(const FolderWriter& root, const Job& job);

// The lock file alone, atomically. The swap lock is held by the caller.
Result<void> replace_lock(const FolderWriter& root, const std::string& name_space,
                          const Lock& lock);

// The namespaces are held by the caller. Each is written whole or not at all: what refuses one of
// them before the swap leaves it out, what fails in the swap undoes all of them.
class Installation {
 public:
  Installation(const FolderWriter& root, std::vector<Package> packages, LockReader& lock,
               const Job& job)
      : root_(root), packages_(std::move(packages)), lock_(lock), job_(job) {}

  // One end for each package, in their order. Code `again`: the lock file changed between the plan
  // and the swap; `busy`, `late`: the time is up. After any error nothing was written.
  using Reports = std::vector<Result<InstallReport>>;
  Result<Reports> run();

 private:
  struct Planned {
    size_t index = 0;  // of the package
    std::unique_ptr<Plan> plan;
  };

  void sweep_dead_stages();
  void make_plans(const Lock& lock, Reports& reports);
  Result<void> stage_files(Stage& stage);
  Result<void> swap(Stage& stage);
  void announce() const;
  void correct_lock();
  Result<Lock> changed_lock();
  Result<void> stage_lock_file(Stage& stage);
  Result<void> make_backups(Stage& stage);
  Result<void> copy_backup(const Step& step, Stage& stage);
  Result<void> open_journal(Stage& stage);
  Result<void> give_up(const Error& error);
  // For messages about all of them: the first one's name.
  const std::string& name() const { return plans_.front().plan->name_space; }

  const FolderWriter& root_;
  const std::vector<Package> packages_;
  LockReader& lock_;
  const Job& job_;
  std::vector<Planned> plans_;  // those that change something
  Journal journal_;
};

}  // namespace iii::sources
