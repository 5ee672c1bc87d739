#include "directory/sources/installation.h"

#include <algorithm>
#include <set>

#include "foundation/base/log.h"
#include "foundation/base/uuid.h"

namespace iii::sources {

namespace {

Result<std::string> lock_text(const Lock& lock) {
  std::string text = render_lock(lock);
  if (text.size() <= kMaxLockBytes) return text;
  return fail("too_large", "`directory.lock` would become larger than " +
                               std::to_string(kMaxLockBytes) + " bytes");
}

mode_t lock_mode(const FolderWriter& root) {
  return root.mode(kLockFileName).value_or(FolderWriter::kUsualMode);
}

}  // namespace

Stage::Stage(const FolderWriter& root, const std::string& name_space)
    : root_(root),
      folder_(below(kStagingFolder, name_space + "~" + RandomIds().next().to_string())) {}

Stage::~Stage() {
  if (!needed_) sweep_stage(root_, folder_);
}

Result<void> Stage::sync() {
  Result<void> synced = root_.sync_folder(folder_);
  if (synced) synced = root_.sync_folder(kStagingFolder);
  if (synced) synced = root_.sync_folder(kOwnFolder);
  return synced ? root_.sync_folder("") : synced;
}

Result<SwapLock> begin_swap(const FolderWriter& root, const Job& job) {
  Result<SwapLock> lock = SwapLock::wait(root, job);
  if (!lock) return lock;
  const Result<Recovery> recovered = recover(root);
  return recovered ? std::move(lock) : std::unexpected(recovered.error());
}

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

Result<Installation::Reports> Installation::run() {
  // Whatever a dead process left unfinished comes first.
  if (root_.exists(kJournalPath)) {
    const Result<SwapLock> settled = begin_swap(root_, job_);
    if (!settled) return std::unexpected(settled.error());
  }
  sweep_dead_stages();
  const Result<LockPtr> lock = lock_.read(root_);
  if (!lock) return std::unexpected(lock.error());
  Reports reports;
  make_plans(**lock, reports);
  if (plans_.empty()) return reports;
  Stage stage(root_, name());
  Result<void> done = stage_files(stage);
  if (done) done = swap(stage);
  if (!done) return std::unexpected(done.error());
  for (Planned& planned : plans_) reports[planned.index] = std::move(planned.plan->report);
  return reports;
}

// Stages of namespaces that are not held: their writers are dead. One with a journal was settled
// before, and a new journal of that namespace takes the lock that is held meanwhile.
void Installation::sweep_dead_stages() {
  const Result<std::vector<DirectoryEntry>> stages = root_.list(kStagingFolder);
  if (!stages) return;
  std::set<std::string_view> own;
  for (const Package& package : packages_) own.insert(namespace_of(package.bundle->source));
  for (const DirectoryEntry& entry : *stages) {
    const std::string owner = entry.name.substr(0, entry.name.find('~'));
    if (owner == entry.name) continue;  // none of ours
    std::optional<FileLock> held;
    if (!own.contains(owner)) {
      Result<std::optional<FileLock>> lock =
          FileLock::attempt(root_, below(kNamespaceLocks, owner));
      if (!lock || !*lock) continue;
      held = std::move(**lock);
    }
    if (!root_.exists(kJournalPath)) sweep_stage(root_, below(kStagingFolder, entry.name));
  }
}

void Installation::make_plans(const Lock& lock, Reports& reports) {
  for (size_t i = 0; i < packages_.size(); ++i) {
    Result<std::unique_ptr<Plan>> plan = make_plan(root_, packages_[i], lock);
    if (!plan) {
      reports.emplace_back(std::unexpected(plan.error()));
    } else if ((*plan)->nothing_to_do()) {
      reports.emplace_back(std::move((*plan)->report));
    } else {
      plans_.push_back({.index = i, .plan = std::move(*plan)});
      reports.emplace_back(InstallReport());  // after the swap
    }
  }
}

Result<void> Installation::stage_files(Stage& stage) {
  Result<void> done = stage.make();
  size_t total = 0;
  for (const Planned& planned : plans_) total += planned.plan->changes.size();
  // What goes, in all of them, before what comes: that is the order of a journal.
  std::vector<Step> coming;
  size_t number = 0;
  for (const Planned& planned : plans_) {
    for (const Change& change : planned.plan->changes) {
      const size_t at = number++;
      job_.tell({.step = "writing", .done = at, .total = total});
      if (job_.should_stop()) return fail("late", "the time is up");
      if (!done) return done;
      Step step{.path = change.path, .was = change.was, .now = change.now};
      if (change.bytes == nullptr) {
        journal_.steps.push_back(std::move(step));
        continue;
      }
      // Not the file's own name: what is staged must not be served as a document.
      step.staged = "new" + std::to_string(at);
      done = root_.create(stage.path(step.staged), *change.bytes, change.mode);
      coming.push_back(std::move(step));
    }
  }
  std::ranges::move(coming, std::back_inserter(journal_.steps));
  return done;
}

Result<void> Installation::swap(Stage& stage) {
  const Result<SwapLock> held = begin_swap(root_, job_);
  if (!held) return std::unexpected(held.error());
  Result<void> done = stage_lock_file(stage);
  if (done) done = make_backups(stage);
  if (done && job_.is_cancelled()) done = fail("late", "it was cancelled");  // the last chance
  if (done) done = open_journal(stage);
  if (!done) return done;
  announce();
  const Result<std::vector<std::string>> kept = finish(root_, journal_);
  if (!kept) return give_up(kept.error());
  for (const std::string& path : *kept) {
    for (Planned& planned : plans_) {
      report_as_kept(*planned.plan, *packages_[planned.index].bundle, path);
    }
  }
  if (const Result<void> closed = close_journal(root_, journal_); !closed) {
    return give_up(closed.error());
  }
  if (!kept->empty()) correct_lock();
  return {};
}

void Installation::announce() const {
  if (!job_.before_swap) return;
  std::vector<std::string> paths;
  for (const Step& step : journal_.steps) paths.push_back(step.path);
  job_.before_swap(paths);
}

// The lock was written before it was known that files would be kept.
void Installation::correct_lock() {
  Result<Lock> lock = changed_lock();
  Result<void> done = lock ? replace_lock(root_, name(), *lock) : std::unexpected(lock.error());
  if (done) return;
  log_warn("{}: files that were kept could not be noted in directory.lock: {}", name(),
           done.error().message);
}

// The lock as it is now, with these namespaces as they are planned.
Result<Lock> Installation::changed_lock() {
  const Result<LockPtr> now = lock_.read(root_);
  if (!now) return std::unexpected(now.error());
  Lock lock = **now;
  for (const Planned& planned : plans_) planned.plan->change(lock);
  return lock;
}

// The rest of the lock may have changed since the plans were made; these namespaces may not.
Result<void> Installation::stage_lock_file(Stage& stage) {
  const Result<LockPtr> now = lock_.read(root_);
  if (!now) return std::unexpected(now.error());
  for (const Planned& planned : plans_) {
    const LockedNamespace* const found = (*now)->find(planned.plan->name_space);
    const std::optional<LockedNamespace>& before = planned.plan->before;
    const bool same = found == nullptr ? !before : before == *found;
    if (!same) return fail("again", "`directory.lock` changed");
  }
  const Result<Lock> lock = changed_lock();
  if (!lock) return std::unexpected(lock.error());
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

Result<void> Installation::make_backups(Stage& stage) {
  size_t number = 0;
  for (Step& step : journal_.steps) {
    if (step.was == kAbsent || step.was == kFolderState) continue;
    step.backup = "old" + std::to_string(number++);
    Result<void> saved = root_.link(step.path, stage.path(step.backup));
    if (!saved && saved.error().code == "no_links") saved = copy_backup(step, stage);
    // Removed by another process a moment ago: the step will see that too.
    if (!saved && saved.error().code == "missing") step.backup.clear();
    if (!saved && saved.error().code != "missing") return saved;
  }
  return {};
}

Result<void> Installation::copy_backup(const Step& step, Stage& stage) {
  const Result<std::string> bytes = root_.read(step.path, kMaxBackupBytes);
  if (!bytes) return std::unexpected(bytes.error());
  return root_.create(stage.path(step.backup), *bytes,
                      root_.mode(step.path).value_or(FolderWriter::kUsualMode));
}

// From here on the swap will be finished or undone, whatever happens.
Result<void> Installation::open_journal(Stage& stage) {
  journal_.stage = stage.folder();
  for (const Planned& planned : plans_) {
    const Plan& plan = *planned.plan;
    journal_.namespaces.push_back(plan.name_space);
    std::ranges::copy(plan.made, std::back_inserter(journal_.made));
    std::ranges::copy(plan.emptied, std::back_inserter(journal_.emptied));
  }
  std::ranges::sort(journal_.namespaces);
  Result<void> done = root_.create(stage.path(kForwardName), "");
  if (done) done = root_.create(stage.path("journal"), render_journal(journal_));
  if (done) done = stage.sync();
  if (done) done = root_.rename(stage.path("journal"), kJournalPath);
  if (!done) return done;
  stage.keep();  // the journal lies there and nothing was done yet
  done = root_.sync_folder(kOwnFolder);
  return done ? done : give_up(done.error());
}

Result<void> Installation::give_up(const Error& error) {
  Result<void> undone = turn_back(root_, journal_);
  if (undone) undone = close_journal(root_, journal_);
  if (!undone) {
    log_error("a download of `{}` could neither be finished nor undone: {}", name(),
              undone.error().message);
  }
  return std::unexpected(write_failed(error, name(), undone.has_value()));
}

}  // namespace iii::sources
