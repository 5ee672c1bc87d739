// Durable records for the engine's modules: SQLite in WAL mode behind one writer thread.
//
// Modules keep their data in memory and answer reads from there. The store only makes changes
// durable: a write is reported done after the commit that carries it has reached the disk. Writes
// that arrive while a commit is under way share the next one, so the cost of a sync is split among
// all writers.
//
// Threads: everything public is called on the loop thread; callbacks run on the loop thread,
// through the `post` function given at construction (which the writer thread calls).
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"

namespace iii::engine {

// Runs a callback on the loop thread, soon. Safe to call from any thread.
using Post = std::function<void(std::move_only_function<void()>)>;
// A value shared by the module that keeps it and the writer that stores it.
using SharedText = std::shared_ptr<const std::string>;

struct StoreLimits {
  // Writes waiting for the disk; beyond either limit further writes are refused, not queued.
  size_t max_queued_writes = 65'536;
  size_t max_queued_bytes = 128 * 1024 * 1024;
  // The log is folded into the database when the disk is idle, and between two commits when
  // writers never pause and it holds this much. The log file takes this much from the start.
  size_t log_bytes = 16 * 1024 * 1024;
  // How often writing and folding are tried again after they failed.
  std::chrono::milliseconds retry_pause{1'000};
};

// One record. `id` is its identity and its place in the order of `load`; see Store::next_id.
struct Record {
  int64_t id = 0;
  std::string space;  // which module it belongs to
  std::string scope;
  std::string key;
  SharedText value;
};

// A change of one record: a put replaces the whole record with that id, an erase needs the id only.
struct Change {
  static Change put(Record record) { return Change{std::move(record), false}; }
  static Change erase_id(int64_t id) { return Change{Record{id, {}, {}, {}, nullptr}, true}; }

  Record record;
  bool erase = false;
};

// Changes that become durable together or not at all.
struct Write {
  std::vector<Change> changes;
  // Puts the owner's memory back to what it was before this write. When a commit fails, every write
  // accepted since is undone too, newest first, before any `done` of them is called.
  std::move_only_function<void()> undo;
  // Called exactly once: after the commit, or with the reason why nothing was stored.
  std::move_only_function<void(Result<void>)> done;
};

struct StoreCounters {
  uint64_t commits = 0;      // transactions that reached the disk
  uint64_t writes = 0;       // writes they carried
  uint64_t failures = 0;     // commits that failed
  uint64_t checkpoints = 0;  // foldings of the log
};

class Store {
 public:
  // Opens or creates `state.db` in `directory` (created with mode 0700). Errors: `data_in_use` when
  // another process has it open, `data_corrupt` when the database is damaged, `data_error` for the
  // rest. Nothing is ever deleted or repaired.
  static Result<std::unique_ptr<Store>> open(const std::filesystem::path& directory, Post post,
                                             StoreLimits limits = {});
  // Keeps nothing: every write is done as soon as it is posted. For tests.
  static std::unique_ptr<Store> in_memory(Post post);

  // Waits until everything queued is on disk, but calls nobody: the owners of the callbacks are
  // gone by now. See `close` for an end with answers.
  virtual ~Store() = default;

  // Hands every record of a module to `visit`, in the order of their ids. Only before the first
  // write.
  virtual Result<void> load(std::string_view space, const std::function<void(Record&&)>& visit) = 0;
  // A fresh id, above every id in use.
  virtual int64_t next_id() = 0;
  // Queues a write, and leaves an empty one. An error (`data_busy`) means that it was refused: it
  // is as it was, and neither `undo` nor `done` is called. A write without changes is done when all
  // writes before it are. `done` and `undo` never run inside this function, only through `post` (or
  // inside `close`), so that a callback may write again without recursion. On a full disk `done`
  // gets `data_full`.
  virtual Result<void> write(Write& write) = 0;
  // Copies everything that is stored into the new file `to`, while writes go on. `done` gets the
  // number of bytes, or the reason why there is no copy; it is called as the callbacks of writes
  // are. One at a time (`backup_running`).
  using BackupDone = std::move_only_function<void(Result<uint64_t>)>;
  virtual Result<void> backup(std::filesystem::path to, BackupDone done) = 0;
  // Waits until everything queued is on disk, calls the outstanding callbacks and closes the files.
  // Later writes are refused.
  virtual void close() = 0;

  virtual StoreCounters counters() const = 0;
  // Why writes are not stored at the moment; nothing: they are. For callers on the bus. The store
  // finds out by itself when the cause is gone.
  virtual std::optional<std::string> trouble() const { return std::nullopt; }
  // Writes that were accepted and whose `done` has not been called.
  virtual size_t waiting_writes() const { return 0; }
};

}  // namespace iii::engine
