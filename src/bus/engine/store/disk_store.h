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
  Result<void> write(Write write) override;
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
    size_t room = Database::kUnlimited;  // what may still be put, after the last commit
    bool full = false;                   // nothing that makes the database grow is stored
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
  void retry_reserve();
  void retry_commit();
  void checkpoint();
  void advance_backup();
  void post_drain();
  bool has_room(const Write& write, size_t bytes) const;
  void drain();
  void tell_about_disk(bool stored, bool lost, const Error& reason);
  void forget_failure();
  void tell_about_room(bool full);

  std::unique_ptr<Database> database_;  // of the writer thread while it runs
  Post post_;
  StoreLimits limits_;
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  std::thread writer_;
  size_t last_group_ = 1;                             // writer thread
  std::chrono::steady_clock::time_point next_retry_;  // writer thread
  bool commits_fail_ = false;                         // writer thread: the last one did
  std::chrono::steady_clock::time_point next_probe_;  // writer thread
  LogOnce checkpoint_log_;                            // writer thread
  std::unique_ptr<Backup> backup_;                    // writer thread

  // Loop thread.
  int64_t last_id_;
  size_t waiting_writes_ = 0;  // accepted, `done` not yet called
  size_t waiting_bytes_ = 0;
  size_t room_ = Database::kUnlimited;
  bool full_ = false;
  bool closed_ = false;
  BackupDone backup_done_;             // of the copy that is being made
  std::optional<Error> disk_failure_;  // of the last write
};

}  // namespace iii::engine
