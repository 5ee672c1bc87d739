#include "sources/installer.h"

#include <condition_variable>
#include <mutex>
#include <set>

#include "base/log.h"
#include "base/uuid.h"
#include "sources/installer_locks.h"
#include "sources/installer_plan.h"
#include "sources/installer_verify.h"
#include "sources/journal.h"

namespace iii::sources {

namespace {

constexpr int kMaxAttempts = 3;  // the lock file may change under our hands
constexpr std::chrono::milliseconds kPause{20};
constexpr uint64_t kMaxBackupBytes = 1ULL << 30U;

std::unexpected<Error> busy(std::string_view name_space, const std::string& what) {
  return fail("D331", "D331 busy: " + what + " Namespace `" + std::string(name_space) +
                          "` is as it was. Next: try again in a moment.");
}

Error as_write_error(const Error& error, std::string_view name_space) {
  if (error.code == "busy") {
    return busy(name_space, "somebody else is writing or reading here, and the time is up.")
        .error();
  }
  return error.code.starts_with('D') ? error : write_failed(error, name_space);
}

// Threads of this process; other processes are kept out by a flock.
class Turns {
 public:
  bool take(const std::string& name, const Job& job) {
    std::unique_lock lock(mutex_);
    while (!taken_.insert(name).second) {
      if (job.should_stop()) return false;
      free_.wait_for(lock, std::min(kPause, job.left()));
    }
    return true;
  }
  void give_back(const std::string& name) {
    const std::lock_guard lock(mutex_);
    taken_.erase(name);
    free_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable free_;
  std::set<std::string> taken_;
};

class Turn {
 public:
  Turn(Turns& turns, std::string name, const Job& job)
      : turns_(turns), name_(std::move(name)), taken_(turns_.take(name_, job)) {}
  ~Turn() {
    if (taken_) turns_.give_back(name_);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  bool taken() const { return taken_; }

 private:
  Turns& turns_;
  const std::string name_;
  const bool taken_;
};

// The files of one swap on their way: removed with this object, unless a journal needs them.
class Stage {
 public:
  // The namespace is part of the name, so that its next writer knows a dead one's stage.
  Stage(const FolderWriter& root, const std::string& name_space)
      : root_(root),
        folder_(below(kStagingFolder, name_space + "~" + RandomIds().next().to_string())) {}
  ~Stage() {
    if (!needed_) sweep_stage(root_, folder_);
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  const std::string& folder() const { return folder_; }
  std::string path(std::string_view name) const { return below(folder_, name); }
  void keep() { needed_ = true; }

  Result<void> make() { return root_.make_folders(folder_); }
  Result<void> sync() {
    Result<void> synced = root_.sync_folder(folder_);
    if (synced) synced = root_.sync_folder(kStagingFolder);
    if (synced) synced = root_.sync_folder(kOwnFolder);
    return synced ? root_.sync_folder("") : synced;
  }

 private:
  const FolderWriter& root_;
  const std::string folder_;
  bool needed_ = false;
};

Result<std::string> lock_text(const Lock& lock) {
  std::string text = render_lock(lock);
  if (text.size() <= kMaxLockBytes) return text;
  return fail("too_large", "`directory.lock` would become larger than " +
                               std::to_string(kMaxLockBytes) + " bytes");
}

mode_t lock_mode(const FolderWriter& root) {
  return root.mode(kLockFileName).value_or(FolderWriter::kUsualMode);
}

// The lock file alone, atomically. The swap lock is held by the caller.
Result<void> replace_lock(const FolderWriter& root, const std::string& name_space,
                          const Lock& lock) {
  const Result<std::string> text = lock_text(lock);
  if (!text) return std::unexpected(text.error());
  Stage stage(root, name_space);
  Result<void> done = stage.make();
  if (done) done = root.create(stage.path("lock"), *text, lock_mode(root));
  if (done) done = root.rename(stage.path("lock"), kLockFileName);
  return done ? root.sync_folder("") : done;
}

// One installation, its namespace held by the caller.
class Installation {
 public:
  Installation(const FolderWriter& root, const Bundle& bundle, const InstallOptions& options,
               const Job& job)
      : root_(root),
        bundle_(bundle),
        options_(options),
        job_(job),
        name_(namespace_of(bundle.source)) {}

  // Code `again`: the lock file changed between the plan and the swap.
  Result<InstallReport> run() {
    if (const Result<void> settled = settle(); !settled) return std::unexpected(settled.error());
    sweep_dead_stages();
    const Result<Lock> lock = read_lock(root_);
    if (!lock) return std::unexpected(lock.error());
    if (const Result<void> ours = check_owner(bundle_, options_, *lock); !ours) {
      return std::unexpected(ours.error());
    }
    Result<std::unique_ptr<Plan>> plan = make_plan(root_, bundle_, options_, *lock);
    if (!plan) return std::unexpected(plan.error());
    plan_ = std::move(*plan);
    if (plan_->nothing_to_do()) return std::move(plan_->report);
    Stage stage(root_, name_);
    Result<void> done = stage_files(stage);
    if (done) done = swap(stage);
    if (!done) return std::unexpected(done.error());
    return std::move(plan_->report);
  }

 private:
  // Whatever a dead process left unfinished comes first.
  Result<void> settle() {
    if (!root_.exists(kJournalPath)) return {};
    const Result<SwapLock> lock = SwapLock::wait(root_, job_);
    if (!lock) return std::unexpected(lock.error());
    const Result<Recovery> recovered = recover(root_);
    if (!recovered) return std::unexpected(recovered.error());
    return {};
  }

  // Stages of namespaces that nobody holds: their writers are dead. One with a journal was settled
  // before, and a new journal of that namespace takes the lock that is held meanwhile.
  void sweep_dead_stages() {
    const Result<std::vector<DirectoryEntry>> stages = root_.list(kStagingFolder);
    if (!stages) return;
    for (const DirectoryEntry& entry : *stages) {
      const std::string owner = entry.name.substr(0, entry.name.find('~'));
      if (owner == entry.name) continue;  // none of ours
      std::optional<FileLock> held;
      if (owner != name_) {
        Result<std::optional<FileLock>> lock =
            FileLock::attempt(root_, below(kNamespaceLocks, owner));
        if (!lock || !*lock) continue;
        held = std::move(**lock);
      }
      if (!root_.exists(kJournalPath)) sweep_stage(root_, below(kStagingFolder, entry.name));
    }
  }

  Result<void> stage_files(Stage& stage) {
    Result<void> done = stage.make();
    size_t number = 0;
    for (const Change& change : plan_->changes) {
      const size_t at = number++;
      job_.tell({.step = "writing", .done = at, .total = plan_->changes.size()});
      if (job_.should_stop()) return busy(name_, "the time is up.");
      if (!done) return done;
      Step step{.path = change.path, .was = change.was, .now = std::string(kAbsent)};
      if (change.bytes != nullptr) {
        // Not the file's own name: nobody may take what lies here for a document.
        step.staged = "new" + std::to_string(at);
        step.now = state_of_bytes(*change.bytes);
        done = root_.create(stage.path(step.staged), *change.bytes, change.mode);
      }
      journal_.steps.push_back(std::move(step));
    }
    return done;
  }

  Result<void> swap(Stage& stage) {
    const Result<SwapLock> held = SwapLock::wait(root_, job_);
    if (!held) return std::unexpected(held.error());
    if (const Result<Recovery> recovered = recover(root_); !recovered) {
      return std::unexpected(recovered.error());
    }
    Result<void> done = stage_lock_file(stage);
    if (done) done = make_backups(stage);
    if (done) done = open_journal(stage);
    if (!done) return done;
    stage.keep();
    announce();
    const Result<std::vector<std::string>> kept = finish(root_, journal_);
    if (!kept) return give_up(kept.error());
    for (const std::string& path : *kept) report_as_kept(*plan_, bundle_, path);
    if (const Result<void> closed = close_journal(root_, journal_); !closed) {
      return give_up(closed.error());
    }
    if (!kept->empty()) correct_lock();
    return {};
  }

  void announce() const {
    if (!job_.before_swap) return;
    std::vector<std::string> paths;
    for (const Step& step : journal_.steps) paths.push_back(step.path);
    job_.before_swap(paths);
  }

  // The lock was written before it was known that files would be kept.
  void correct_lock() {
    Result<Lock> lock = read_lock(root_);
    Result<void> done;
    if (lock) {
      lock->namespaces.insert_or_assign(name_, plan_->entry);
      done = replace_lock(root_, name_, *lock);
    }
    if (lock && done) return;
    log_warn("{}: files that were kept could not be noted in directory.lock: {}", name_,
             lock ? done.error().message : lock.error().message);
  }

  // The rest of the lock may have changed since the plan was made; this namespace may not.
  Result<void> stage_lock_file(Stage& stage) {
    Result<Lock> lock = read_lock(root_);
    if (!lock) return std::unexpected(lock.error());
    const auto found = lock->namespaces.find(name_);
    const bool same = found == lock->namespaces.end() ? !plan_->before.has_value()
                                                      : plan_->before == found->second;
    if (!same) return fail("again", "`directory.lock` changed");
    lock->namespaces.insert_or_assign(name_, plan_->entry);
    const Result<std::string> text = lock_text(*lock);
    if (!text) return std::unexpected(text.error());
    const Result<std::string> was = state_of(root_, kLockFileName);
    if (!was) return std::unexpected(was.error());
    Step step{.path = std::string(kLockFileName),
              .was = *was,
              .now = state_of_bytes(*text),
              .staged = "lock"};
    if (step.was == step.now) return {};
    journal_.steps.push_back(std::move(step));
    return root_.create(stage.path("lock"), *text, lock_mode(root_));
  }

  Result<void> make_backups(Stage& stage) {
    size_t number = 0;
    for (Step& step : journal_.steps) {
      if (step.was == kAbsent || step.was == kFolderState) continue;
      step.backup = "old" + std::to_string(number++);
      Result<void> saved = root_.link(step.path, stage.path(step.backup));
      if (!saved && saved.error().code == "no_links") saved = copy_backup(step, stage);
      // Removed by somebody else a moment ago: the step will see that too.
      if (!saved && saved.error().code == "missing") step.backup.clear();
      if (!saved && saved.error().code != "missing") return saved;
    }
    return {};
  }

  Result<void> copy_backup(const Step& step, Stage& stage) {
    const Result<std::string> bytes = root_.read(step.path, kMaxBackupBytes);
    if (!bytes) return std::unexpected(bytes.error());
    return root_.create(stage.path(step.backup), *bytes,
                        root_.mode(step.path).value_or(FolderWriter::kUsualMode));
  }

  // From here on the swap will be finished or undone, whatever happens.
  Result<void> open_journal(Stage& stage) {
    journal_.name_space = name_;
    journal_.stage = stage.folder();
    journal_.made = plan_->made;
    journal_.emptied = plan_->emptied;
    Result<void> done = root_.create(stage.path(kForwardName), "");
    if (done) done = root_.create(stage.path("journal"), render_journal(journal_));
    if (done) done = stage.sync();
    if (done) done = root_.rename(stage.path("journal"), kJournalPath);
    if (!done) return done;
    done = root_.sync_folder(kOwnFolder);
    if (!done) return give_up_early(stage, done.error());
    return {};
  }

  // The journal lies there and nothing was done yet.
  Result<void> give_up_early(Stage& stage, const Error& error) {
    stage.keep();
    return give_up(error);
  }

  Result<void> give_up(const Error& error) {
    Result<void> undone = turn_back(root_, journal_);
    if (undone) undone = close_journal(root_, journal_);
    if (!undone) {
      log_error("a download of `{}` could neither be finished nor undone: {}", name_,
                undone.error().message);
    }
    return std::unexpected(write_failed(error, name_, undone.has_value()));
  }

  const FolderWriter& root_;
  const Bundle& bundle_;
  const InstallOptions& options_;
  const Job& job_;
  const std::string name_;
  std::unique_ptr<Plan> plan_;
  Journal journal_;
};

}  // namespace

struct Installer::Impl {
  Result<FolderWriter> open() const { return FolderWriter::open(folder, Resolver::kAuto, fault); }
  Result<FolderWriter> open_to_write(const std::string& name_space) const;

  std::filesystem::path folder;
  FolderWriter::Fault fault;
  Turns turns;
};

Result<FolderWriter> Installer::Impl::open_to_write(const std::string& name_space) const {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  Result<FolderWriter> root = open();
  if (!root && failed) {
    return std::unexpected(write_failed(
        {"denied", "the skills folder cannot be made: " + failed.message()}, name_space));
  }
  if (!root) return std::unexpected(write_failed(root.error(), name_space));
  Result<void> made = root->make_folders(kNamespaceLocks);
  if (made) made = root->make_folders(kStagingFolder);
  const std::string ignore = below(kOwnFolder, ".gitignore");
  // `directory.lock` is meant to be committed, this is not.
  if (made && !root->exists(ignore)) {
    made = root->create(ignore, "*\n");
    if (!made && made.error().code == "exists") made = {};
  }
  if (!made) return std::unexpected(write_failed(made.error(), name_space));
  return root;
}

Installer::Installer(std::filesystem::path skills_folder, FolderWriter::Fault fault)
    : impl_(std::make_unique<Impl>()) {
  impl_->folder = std::move(skills_folder);
  impl_->fault = std::move(fault);
}

Installer::~Installer() = default;

Result<InstallReport> Installer::install(const Bundle& bundle, const InstallOptions& options,
                                         const Job& job) {
  if (const Result<void> checked = check_bundle(bundle, options); !checked) {
    return std::unexpected(checked.error());
  }
  const std::string name = namespace_of(bundle.source);
  const Turn turn(impl_->turns, name, job);
  if (!turn.taken()) return busy(name, "another download of it takes too long.");
  const Result<FolderWriter> root = impl_->open_to_write(name);
  if (!root) return std::unexpected(root.error());
  const Result<FileLock> held = FileLock::wait(*root, below(kNamespaceLocks, name), job);
  if (!held) return std::unexpected(as_write_error(held.error(), name));
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    Result<InstallReport> report = Installation(*root, bundle, options, job).run();
    if (report) return report;
    if (report.error().code != "again") {
      return std::unexpected(as_write_error(report.error(), name));
    }
  }
  return busy(name, "somebody else keeps changing `directory.lock`.");
}

Result<Lock> Installer::lock() const {
  const Result<FolderWriter> root = impl_->open();
  if (!root && root.error().code == "missing") return Lock{};
  if (!root) return std::unexpected(unreadable_lock(root.error()));
  return read_lock(*root);
}

bool Installer::has_lock_file() const {
  const Result<FolderWriter> root = impl_->open();
  return root && root->exists(kLockFileName);
}

bool Installer::has_folder(const std::string& name_space) const {
  const Result<FolderWriter> root = impl_->open();
  return root && root->exists(name_space);
}

Result<void> Installer::record_fixes(const std::vector<FixedFile>& files, const Job& job) {
  if (files.empty() || !has_lock_file()) return {};
  const std::string name = files.front().path.substr(0, files.front().path.find('/'));
  const Result<FolderWriter> root = impl_->open_to_write(name);
  if (!root) return std::unexpected(root.error());
  const Result<SwapLock> held = SwapLock::wait(*root, job);
  if (!held) return std::unexpected(as_write_error(held.error(), name));
  if (const Result<Recovery> recovered = recover(*root); !recovered) {
    return std::unexpected(as_write_error(recovered.error(), name));
  }
  const Result<Lock> before = read_lock(*root);
  if (!before) return std::unexpected(before.error());
  Lock lock = *before;
  for (const FixedFile& file : files) {
    const size_t slash = std::min(file.path.find('/'), file.path.size());
    const auto entry = lock.namespaces.find(file.path.substr(0, slash));
    if (entry == lock.namespaces.end() || slash == file.path.size()) continue;
    const auto known = entry->second.files.find(file.path.substr(slash + 1));
    if (known == entry->second.files.end() || !known->second.is_ours(file.before)) continue;
    known->second.fixed = file.after == known->second.sha256 ? std::string() : file.after;
  }
  if (lock == *before) return {};
  const Result<void> done = replace_lock(*root, name, lock);
  if (!done) return std::unexpected(as_write_error(done.error(), name));
  return {};
}

Result<std::vector<VerifiedNamespace>> Installer::verify(
    const std::optional<std::string>& name_space) const {
  return verify_folder(impl_->folder, name_space);
}

bool Installer::has_marker(const std::string& name_space) const {
  const Result<FolderWriter> root = impl_->open();
  return root && root->exists(below(name_space, kMarkerName));
}

}  // namespace iii::sources
