#include "bus/engine/store/backup.h"

#include <fcntl.h>
#include <unistd.h>

#include <system_error>
#include <utility>

#include "foundation/base/beneath.h"

namespace iii::engine {

namespace {

bool sync_path(const std::filesystem::path& path, int flags) {
  const UniqueFd file(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW));
  return file && ::fsync(file.get()) == 0;
}

}  // namespace

Backup::Backup(std::filesystem::path to) : to_(std::move(to)), part_(to_) { part_ += ".part"; }

Result<std::unique_ptr<Backup>> Backup::begin(sqlite3* source, std::filesystem::path to) {
  std::unique_ptr<Backup> backup(new Backup(std::move(to)));
  std::error_code ignored;
  std::filesystem::remove(backup->part_, ignored);
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
                    SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOFOLLOW;
  if (sqlite3_open_v2(backup->part_.c_str(), &backup->copy_, flags, nullptr) != SQLITE_OK) {
    return backup->failure();
  }
  backup->backup_ = sqlite3_backup_init(backup->copy_, "main", source, "main");
  if (backup->backup_ == nullptr) return backup->failure();
  return backup;
}

Backup::~Backup() {
  sqlite3_backup_finish(backup_);
  sqlite3_close_v2(copy_);
  std::error_code ignored;
  if (!whole_) std::filesystem::remove(part_, ignored);
}

Result<bool> Backup::step() {
  const int result = sqlite3_backup_step(backup_, kPagesPerStep);
  if (result == SQLITE_OK) return false;
  if (result != SQLITE_DONE) {
    sqlite3_backup_finish(std::exchange(backup_, nullptr));
    return failure();
  }
  if (auto done = finish(); !done) return std::unexpected(done.error());
  return true;
}

Result<void> Backup::finish() {
  if (sqlite3_backup_finish(std::exchange(backup_, nullptr)) != SQLITE_OK) return failure();
  if (sqlite3_close(copy_) != SQLITE_OK) return failure();
  copy_ = nullptr;
  std::error_code error;
  bytes_ = std::filesystem::file_size(part_, error);
  if (error || !sync_path(part_, O_RDONLY)) {
    return fail("data_error", "the copy of the database cannot be written to disk");
  }
  std::filesystem::rename(part_, to_, error);
  if (error || !sync_path(to_.parent_path(), O_RDONLY | O_DIRECTORY)) {
    return fail("data_error", "the copy of the database cannot get its name");
  }
  whole_ = true;
  return {};
}

std::unexpected<Error> Backup::failure() const {
  const int code = copy_ != nullptr ? sqlite3_errcode(copy_) : SQLITE_CANTOPEN;
  const bool full = (code & 0xff) == SQLITE_FULL;
  return fail(full ? "data_full" : "data_error",
              std::string("the database cannot be copied: ") +
                  (copy_ != nullptr ? sqlite3_errmsg(copy_) : "no memory"));
}

}  // namespace iii::engine
