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

#include "base/result.h"
#include "engine/store/store.h"

namespace iii::engine {

class Database {
 public:
  static Result<std::unique_ptr<Database>> open(const std::filesystem::path& directory,
                                                size_t log_keep_bytes);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  Result<void> load(std::string_view space, const std::function<void(Record&&)>& visit);
  Result<int64_t> max_id();

  // One transaction: all writes reach the disk, or none does.
  Result<void> commit(std::span<const Write> writes);

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

  Database() = default;

  Result<void> lock(const std::filesystem::path& directory);
  Result<void> connect(const std::filesystem::path& directory, size_t log_keep_bytes);
  Result<void> prepare_schema();
  Result<void> prepare_statements();
  Result<void> execute(const char* sql);
  Result<Statement> statement(const char* sql);
  Result<int64_t> number(const char* sql);
  bool run(const Statement& statement);
  bool apply(const Change& change);
  std::unexpected<Error> failure(std::string_view what);

  int lock_fd_ = -1;
  sqlite3* db_ = nullptr;
  Statement begin_;
  Statement commit_;
  Statement rollback_;
  Statement put_;
  Statement erase_;
  size_t log_pages_ = 0;
};

}  // namespace iii::engine
