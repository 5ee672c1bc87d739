// The SQLite file behind the store: opening, locking, reading everything, committing groups of
// changes. Used by one thread at a time; knows nothing of queues and callbacks.
#pragma once

#include <sqlite3.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "bus/engine/store/backup.h"
#include "bus/engine/store/files.h"
#include "bus/engine/store/store.h"
#include "foundation/base/result.h"

namespace iii::engine {

class Database {
 public:
  static Result<std::unique_ptr<Database>> open(const std::filesystem::path& directory,
                                                const StoreLimits& limits);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  Result<void> load(std::string_view space, const std::function<void(Record&&)>& visit);
  Result<int64_t> max_id();

  // One transaction: all writes reach the disk, or none does. Errors: `data_full`, `data_gone` when
  // the files were removed or replaced by others, `data_error`.
  Result<void> commit(std::span<const Write> writes);

  // Whether a commit would reach the disk now: one that changes nothing.
  Result<void> probe();

  // Begins a copy; its folder is made when it is missing. Refused when the disk has not enough room
  // for it and for what the database may need meanwhile.
  Result<std::unique_ptr<Backup>> begin_backup(std::filesystem::path to);

  // How much of the log has not been folded into the database file yet.
  size_t log_bytes() const { return log_pages_ * kPageBytes; }
  Result<void> checkpoint();
  // Gives the log file its blocks in advance. A commit that overwrites blocks needs one disk write;
  // one that makes the file grow also needs a write to the file system's journal, which doubles its
  // time. Only a matter of speed: failures are ignored.
  void reserve_log(size_t bytes);

  // Small pages: most values are small, and a commit writes every page it touches. Measured with
  // 300-byte values and 32 writers, 1024 gives 1.4 times the sets per second of 4096.
  static constexpr size_t kPageBytes = 1024;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

  // Which file a name leads to.
  struct FileId {
    dev_t device = 0;
    ino_t inode = 0;
    bool operator==(const FileId&) const = default;
  };

  Database() = default;

  Result<void> check_files();
  Result<void> connect(size_t log_keep_bytes);
  Result<void> check_pages();
  Result<void> follow_files();
  Result<void> prepare_schema();
  Result<void> prepare_statements();
  Result<void> execute(const char* sql);
  Result<Statement> statement(const char* sql);
  Result<int64_t> number(const char* sql);
  bool run(const Statement& statement);
  bool apply(const Change& change);
  Result<void> try_commit(std::span<const Write> writes);
  void cut_log(off_t bytes);
  uint64_t free_space() const;
  Result<void> still_there() const;
  std::unexpected<Error> failure(std::string_view what);

  DataFolder folder_;
  UniqueFd lock_;
  UniqueFd log_;  // to set its size; SQLite has its own
  std::string database_path_;
  std::string log_path_;
  FileId database_id_;
  FileId log_id_;
  bool lost_ = false;  // a commit went into files that nobody will find
  sqlite3* db_ = nullptr;
  Statement begin_;
  Statement commit_;
  Statement rollback_;
  Statement put_;
  Statement erase_;
  size_t log_pages_ = 0;  // not folded yet
};

}  // namespace iii::engine
