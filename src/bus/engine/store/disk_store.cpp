#include "bus/engine/store/disk_store.h"

#include <algorithm>
#include <chrono>

#include "foundation/base/check.h"

namespace iii::engine {

namespace {

// How long the disk must have nothing to do before the log is folded. SQLite ends its log at the
// first damaged frame, so what is only in the log is exposed to that.
constexpr std::chrono::milliseconds kIdle{100};
// How long a commit waits for the other writers of the group before it.
constexpr std::chrono::microseconds kGather{100};

size_t bytes_of(const Write& write) {
  size_t bytes = 0;
  for (const Change& change : write.changes) {
    const Record& record = change.record;
    bytes += sizeof(Change) + record.scope.size() + record.key.size();
    if (record.value) bytes += record.value->size();
  }
  return bytes;
}

}  // namespace

DiskStore::DiskStore(std::unique_ptr<Database> database, int64_t last_id, Post post,
                     StoreLimits limits)
    : database_(std::move(database)), post_(std::move(post)), limits_(limits), last_id_(last_id) {}

DiskStore::~DiskStore() { stop_writer(); }

Result<void> DiskStore::load(std::string_view space, const std::function<void(Record&&)>& visit) {
  III_CHECK(!writer_.joinable());
  return database_->load(space, visit);
}

Result<void> DiskStore::write(Write& write) {
  if (closed_) return fail("data_error", "the store is closed: the engine is stopping");
  const size_t bytes = bytes_of(write);
  const bool full = waiting_writes_ >= limits_.max_queued_writes ||
                    (waiting_writes_ > 0 && waiting_bytes_ + bytes > limits_.max_queued_bytes);
  if (full) {
    return fail("data_busy",
                "too many writes are waiting for the disk; wait for the answers to earlier ones "
                "before sending more");
  }
  if (!writer_.joinable()) writer_ = std::thread([this] { run_writer(); });
  ++waiting_writes_;
  waiting_bytes_ += bytes;
  bool wake = false;
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->queue.push_back(std::move(write));
    wake = shared_->wanted != 0 && shared_->queue.size() >= shared_->wanted;
    if (wake) shared_->wanted = 0;
  }
  if (wake) shared_->wake.notify_one();
  return {};
}

Result<void> DiskStore::backup(std::filesystem::path to, BackupDone done) {
  if (closed_) return fail("data_error", "the store is closed: the engine is stopping");
  if (backup_done_) {
    return fail("backup_running", "a backup is already being made. Next: wait for it.");
  }
  backup_done_ = std::move(done);
  if (!writer_.joinable()) writer_ = std::thread([this] { run_writer(); });
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->backup_to = std::move(to);
  }
  shared_->wake.notify_one();
  return {};
}

void DiskStore::close() {
  if (closed_) return;
  closed_ = true;
  if (stop_writer()) drain();
  if (backup_done_) {
    std::exchange(backup_done_,
                  nullptr)(fail("data_error", "the engine was stopped before the copy was whole"));
  }
  backup_.reset();
  database_.reset();
}

// True when there was one.
bool DiskStore::stop_writer() {
  if (!writer_.joinable()) return false;
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->stop = true;
  }
  shared_->wake.notify_one();
  writer_.join();
  return true;
}

StoreCounters DiskStore::counters() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->counters;
}

std::optional<std::string> DiskStore::trouble() const {
  if (!disk_failure_) return std::nullopt;
  // The message may contain a path, which is not for the bus.
  return "the last write was not stored (" + disk_failure_->code + "); the log says more";
}

void DiskStore::run_writer() {
  database_->reserve_log(limits_.log_bytes);
  std::unique_lock lock(shared_->mutex);
  while (wait_for_work(lock)) {
    gather(lock);
    std::vector<Write> group = std::exchange(shared_->queue, {});
    lock.unlock();
    last_group_ = group.size();
    commit(std::move(group));
    if (database_->log_bytes() >= limits_.log_bytes) checkpoint();
    advance_backup();
    lock.lock();
  }
}

// False when there is nothing left to do for ever.
bool DiskStore::wait_for_work(std::unique_lock<std::mutex>& lock) {
  Shared& shared = *shared_;
  const auto ready = [&shared] {
    return shared.stop || (!shared.queue.empty() && !shared.failing);
  };
  while (!ready()) {
    shared.wanted = 1;
    const auto idle = shared.backup_to ? std::chrono::milliseconds(0) : pause();
    if (!idle) {
      shared.wake.wait(lock);
    } else if (shared.wake.wait_for(lock, *idle) == std::cv_status::timeout && !ready()) {
      lock.unlock();
      work_while_idle();
      lock.lock();
    }
  }
  shared.wanted = 0;
  // At the end, what came after a failed commit fails with it: `drain` does that.
  return !shared.queue.empty() && !shared.failing;
}

// How long to wait before there is something to do besides writing; nothing: for ever.
std::optional<std::chrono::milliseconds> DiskStore::pause() const {
  if (backup_ != nullptr) return std::chrono::milliseconds(0);
  if (commit_failed_ || checkpoint_failed_) return limits_.retry_pause;
  if (database_->log_bytes() > 0) return kIdle;
  return std::nullopt;
}

void DiskStore::work_while_idle() {
  const bool copying = backup_ != nullptr;
  advance_backup();
  if (copying) return;
  if (commit_failed_) retry_commit();
  if (database_->log_bytes() > 0) checkpoint();
}

// Begins the copy that was asked for, or copies a little more.
void DiskStore::advance_backup() {
  Result<bool> whole = false;
  if (backup_ != nullptr) {
    whole = backup_->step();
  } else {
    std::optional<std::filesystem::path> to;
    {
      const std::lock_guard lock(shared_->mutex);
      to = std::exchange(shared_->backup_to, std::nullopt);
    }
    if (!to) return;
    Result<std::unique_ptr<Backup>> begun = database_->begin_backup(std::move(*to));
    if (begun) {
      backup_ = std::move(*begun);
    } else {
      whole = std::unexpected(begun.error());
    }
  }
  if (whole && !*whole) return;
  Result<uint64_t> result = uint64_t{0};
  if (whole) {
    result = backup_->bytes();
  } else {
    result = std::unexpected(whole.error());
  }
  backup_.reset();
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->backup_result = std::move(result);
  }
  post_drain();
}

// Nobody may write while the store is said to be in trouble: it has to find out by itself that the
// cause is gone.
void DiskStore::retry_commit() {
  if (!database_->probe()) return;
  commit_failed_ = false;
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->recovered = true;
  }
  post_drain();
}

// When many writers wait for each commit, they all come back at once after it. Committing the first
// one alone would make the others wait for two syncs, so give them a moment; a lone writer never
// waits here.
void DiskStore::gather(std::unique_lock<std::mutex>& lock) {
  Shared& shared = *shared_;
  if (last_group_ < 2 || shared.stop) return;
  shared.wanted = last_group_;
  shared.wake.wait_for(
      lock, kGather, [&shared, this] { return shared.stop || shared.queue.size() >= last_group_; });
  shared.wanted = 0;
}

void DiskStore::commit(std::vector<Write> group) {
  const bool empty = std::ranges::all_of(group, [](const Write& w) { return w.changes.empty(); });
  const Result<void> stored = empty ? Result<void>{} : database_->commit(group);
  if (!empty) commit_failed_ = !stored;
  {
    const std::lock_guard lock(shared_->mutex);
    Shared& shared = *shared_;
    if (stored) {
      shared.counters.commits += empty ? 0 : 1;
      shared.counters.writes += group.size();
    } else {
      ++shared.counters.failures;
      shared.failing = true;
      shared.recovered = false;
      shared.reason = stored.error();
    }
    std::ranges::move(group, std::back_inserter(stored ? shared.finished : shared.failed));
  }
  post_drain();
}

void DiskStore::post_drain() {
  {
    const std::lock_guard lock(shared_->mutex);
    if (std::exchange(shared_->drain_posted, true)) return;
  }
  std::weak_ptr<Shared> alive = shared_;
  post_([alive, this] {
    if (!alive.expired()) drain();
  });
}

void DiskStore::checkpoint() {
  const Result<void> folded = database_->checkpoint();
  checkpoint_failed_ = !folded;
  if (!folded) {
    checkpoint_log_.log(LogLevel::kWarn, "it is tried again later: {}", folded.error().message);
  }
  const std::lock_guard lock(shared_->mutex);
  ++shared_->counters.checkpoints;
}

// Once when the disk stops taking writes and once when it takes them again, not for each of them.
void DiskStore::tell_about_disk(bool stored, bool lost, const Error& reason) {
  if (stored) forget_failure();
  if (lost && !disk_failure_) {
    disk_log_.log(LogLevel::kError, "writes are not stored: {}", reason.message);
  }
  if (lost) disk_failure_ = reason;
}

void DiskStore::forget_failure() {
  if (disk_failure_) disk_log_.log(LogLevel::kInfo, "writing to disk succeeds again");
  disk_failure_.reset();
}

// On the loop thread: tells the owners of finished and failed writes.
void DiskStore::drain() {
  std::vector<Write> finished;
  std::vector<Write> failed;
  Error reason;
  bool recovered = false;
  std::optional<Result<uint64_t>> backup;
  {
    const std::lock_guard lock(shared_->mutex);
    Shared& shared = *shared_;
    shared.drain_posted = false;
    recovered = std::exchange(shared.recovered, false);
    backup = std::exchange(shared.backup_result, std::nullopt);
    finished.swap(shared.finished);
    if (shared.failing) {
      failed.swap(shared.failed);
      // What was accepted since was computed from values that never reached the disk.
      std::ranges::move(shared.queue, std::back_inserter(failed));
      shared.queue.clear();
      reason = shared.reason;
      shared.failing = false;
    }
  }
  // All memory is put right before any callback can read it or write anew.
  for (auto write = failed.rbegin(); write != failed.rend(); ++write) {
    if (write->undo) write->undo();
  }
  tell_about_disk(!finished.empty(), !failed.empty(), reason);
  if (recovered) forget_failure();  // it came after the failure
  waiting_writes_ -= finished.size() + failed.size();
  for (const Write& write : finished) waiting_bytes_ -= bytes_of(write);
  for (const Write& write : failed) waiting_bytes_ -= bytes_of(write);
  for (Write& write : finished) write.done({});
  for (Write& write : failed) write.done(std::unexpected(reason));
  if (backup) std::exchange(backup_done_, nullptr)(std::move(*backup));
}

}  // namespace iii::engine
