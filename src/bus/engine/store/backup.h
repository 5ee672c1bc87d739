// A copy of the database, made while it is in use, a few pages at a time. On the thread that uses
// the database.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "foundation/base/result.h"

namespace iii::engine {

class Backup {
 public:
  // `source` outlives it. The copy has the name `to` when it is whole and on disk, never before.
  static Result<std::unique_ptr<Backup>> begin(sqlite3* source, std::filesystem::path to);
  // Removes a copy that is not whole.
  ~Backup();
  Backup(const Backup&) = delete;
  Backup& operator=(const Backup&) = delete;

  // Copies a little more. True: the copy is whole. Changes of the source between two steps are part
  // of the copy.
  Result<bool> step();
  uint64_t bytes() const { return bytes_; }

 private:
  explicit Backup(std::filesystem::path to);

  std::unexpected<Error> failure() const;
  Result<void> finish();

  // Few enough that a commit does not wait noticeably.
  static constexpr int kPagesPerStep = 128;

  std::filesystem::path to_;
  std::filesystem::path part_;
  sqlite3* copy_ = nullptr;
  sqlite3_backup* backup_ = nullptr;
  uint64_t bytes_ = 0;
  bool whole_ = false;
};

}  // namespace iii::engine
