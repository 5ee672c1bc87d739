// The durable store: a queue, one writer thread, and the way back to the loop thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "bus/engine/store/database.h"
#include "bus/engine/store/store.h"
#include "foundation/base/log.h"

namespace iii::engine {

class DiskStore final : public Store {
 public:
  DiskStore(std::unique_ptr<Database> database, int64_t last_id, Post post, StoreLimits limits);
  ~DiskStore() override;

  Result<void> load(std::string_view space, const std::function<void(Record&&)>& visit) override;
  int64_t next_id() override { return ++last_id_; }
  Result<void> write(Write& write) override;
  Result<void> backup(std::filesystem::path to, BackupDone done) override;
  void close() override;
  StoreCounters counters() const override;
  std::optional<std::string> trouble() const override;
  size_t waiting_writes() const override { return waiting_writes_; }

 private:
  // What the two threads share. Posted callbacks hold it weakly, so that one which runs after the
  // store is gone does nothing.
  struct Shared {
    std::mutex mutex;
    std::condition_variable wake;
    // All below are guarded by `mutex`.
    std::vector<Write> queue;     // accepted, not yet taken by the writer
    std::vector<Write> finished;  // on disk, `done` not yet called
    std::vector<Write> failed;    // not on disk, nor anything that came after
    Error reason;                 // why they failed
    bool recovered = false;       // the disk takes writes again; nobody has written anything yet
    size_t wanted = 0;            // the writer sleeps until the queue is this long; 0: it is awake
    bool failing = false;  // set by the writer, cleared once the loop thread has undone everything
    bool drain_posted = false;
    std::optional<std::filesystem::path> backup_to;  // a copy is wanted there
    std::optional<Result<uint64_t>> backup_result;   // a copy is over
    bool stop = false;
    StoreCounters counters;
  };

  void run_writer();
  bool stop_writer();
  bool wait_for_work(std::unique_lock<std::mutex>& lock);
  void gather(std::unique_lock<std::mutex>& lock);
  void commit(std::vector<Write> group);
  std::optional<std::chrono::milliseconds> pause() const;
  void work_while_idle();
  void retry_commit();
  void checkpoint();
  void advance_backup();
  void post_drain();
  void drain();
  void tell_about_disk(bool stored, bool lost, const Error& reason);
  void forget_failure();

  std::unique_ptr<Database> database_;  // of the writer thread while it runs
  Post post_;
  StoreLimits limits_;
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  std::thread writer_;

  // Writer thread.
  size_t last_group_ = 1;
  bool commit_failed_ = false;      // the last one
  bool checkpoint_failed_ = false;  // the last one
  LogBudget checkpoint_log_;
  std::unique_ptr<Backup> backup_;

  // Loop thread.
  int64_t last_id_;
  size_t waiting_writes_ = 0;  // accepted, `done` not yet called
  size_t waiting_bytes_ = 0;
  bool closed_ = false;
  BackupDone backup_done_;             // of the copy that is being made
  std::optional<Error> disk_failure_;  // of the last write
  LogBudget disk_log_;
};

}  // namespace iii::engine
