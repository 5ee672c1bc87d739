#include "bus/engine/store/database.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "foundation/base/discard.h"
#include "foundation/base/log.h"

namespace iii::engine {

namespace {

constexpr const char* kFileName = "state.db";
constexpr const char* kLogName = "state.db-wal";
// Whatever SQLite or this program opens in the folder, besides the lock.
constexpr std::array kNames{kFileName, kLogName, "state.db-shm", "state.db-journal"};
// The structure of the database is checked at the start up to this size; that takes about 0.2 s.
// Beyond it only the records are, while they are read: a start must not take minutes.
constexpr int64_t kCheckedBytes = 64 * 1024 * 1024;
constexpr const char* kDamageAdvice =
    ". Nothing was changed. Next: restore the data folder from a backup, or move state.db and "
    "state.db-wal away to start empty.";
// Stays free when the database is copied: for the log and for folding it.
constexpr uint64_t kFreeBesideBackup = 32 * 1024 * 1024;
// A disk with less free space than this still counts as full.
constexpr uint64_t kLeastFree = 1024 * 1024;
constexpr const char* kFullAdvice = ". Next: free space on the disk of the data folder.";
constexpr int64_t kFormat = 1;
constexpr int64_t kApplicationId = 0x69696964;  // "iiid", shown by file(1)

// Found at load when a record's bytes are not what was written: SQLite itself does not check
// values.
uint64_t mix(uint64_t sum, std::string_view text) {
  constexpr uint64_t kFactor = 0x9fb21c651e98df25ULL;
  sum = (sum ^ text.size()) * kFactor;
  while (text.size() >= 8) {
    uint64_t word = 0;
    std::memcpy(&word, text.data(), 8);
    sum = (sum ^ word) * kFactor;
    sum ^= sum >> 32;
    text.remove_prefix(8);
  }
  uint64_t rest = 0;
  std::memcpy(&rest, text.data(), text.size());
  sum = (sum ^ rest) * kFactor;
  return sum ^ (sum >> 29);
}

int64_t checksum(int64_t id, std::string_view space, std::string_view scope, std::string_view key,
                 std::string_view value) {
  uint64_t sum = static_cast<uint64_t>(id);
  for (const std::string_view part : {space, scope, key, value}) sum = mix(sum, part);
  return static_cast<int64_t>(sum);
}

std::string_view column_text(sqlite3_stmt* statement, int column) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  if (text == nullptr) return {};
  return {text, static_cast<size_t>(sqlite3_column_bytes(statement, column))};
}

// SQLite tells ENOSPC from other failures of a write, but not of a sync, where some file systems
// report it; an exhausted quota is a full disk too.
bool is_full(int code, int system_error) {
  return code == SQLITE_FULL ||
         (code == SQLITE_IOERR && (system_error == EDQUOT || system_error == ENOSPC));
}

void bind_text(sqlite3_stmt* statement, int index, std::string_view text) {
  // A null pointer would be stored as NULL, and an empty view may hold one.
  sqlite3_bind_text64(statement, index, text.empty() ? "" : text.data(), text.size(), SQLITE_STATIC,
                      SQLITE_UTF8);
}

}  // namespace

Result<std::unique_ptr<Database>> Database::open(const std::filesystem::path& directory,
                                                 const StoreLimits& limits) {
  Result<DataFolder> folder = DataFolder::open(directory);
  if (!folder) return std::unexpected(folder.error());
  Result<UniqueFd> lock = folder->lock();
  if (!lock) return std::unexpected(lock.error());
  std::unique_ptr<Database> database(new Database());
  database->folder_ = std::move(*folder);
  database->lock_ = std::move(*lock);
  Result<void> ready = database->check_files();
  if (ready) ready = database->connect(limits.log_bytes);
  if (ready) ready = database->check_pages();
  if (ready) ready = database->prepare_schema();
  if (ready) ready = database->prepare_statements();
  if (ready) ready = database->follow_files();
  if (!ready) return std::unexpected(ready.error());
  return database;
}

Database::~Database() {
  begin_.reset();
  commit_.reset();
  rollback_.reset();
  put_.reset();
  erase_.reset();
  // Closing folds the log into the file and removes it; if that fails, the next start does it.
  sqlite3_close_v2(db_);
}

// Before SQLite opens anything: no file may be a link, and a log needs its database.
Result<void> Database::check_files() {
  for (const char* name : kNames) {
    if (Result<UniqueFd> file = folder_.open_file(name, O_RDONLY); !file) {
      return std::unexpected(file.error());
    }
  }
  const auto database = folder_.find(kFileName);
  const auto log = folder_.find(kLogName);
  if ((!database || database->st_size == 0) && log && log->st_size > 0) {
    return fail("data_corrupt",
                "state.db is missing, but the log of its last changes, state.db-wal, is there. "
                "Next: put state.db back, or move state.db-wal away to start empty.");
  }
  if (Result<UniqueFd> file = folder_.open_file(kFileName, O_RDWR | O_CREAT); !file) {
    return std::unexpected(file.error());
  }
  folder_.sync();
  return {};
}

Result<void> Database::connect(size_t log_keep_bytes) {
  const int flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOFOLLOW;
  const std::filesystem::path file = folder_.path() / kFileName;
  if (sqlite3_open_v2(file.c_str(), &db_, flags, nullptr) != SQLITE_OK) {
    return failure("cannot open state.db");
  }
  // Exclusive: we are the only user, so SQLite needs no shared memory and no lock calls per commit.
  // No automatic checkpoints: the writer thread chooses moments when nobody waits.
  for (const char* sql :
       {"PRAGMA page_size=1024", "PRAGMA locking_mode=EXCLUSIVE", "PRAGMA trusted_schema=OFF",
        "PRAGMA cell_size_check=ON", "PRAGMA temp_store=MEMORY", "PRAGMA journal_mode=WAL",
        "PRAGMA synchronous=FULL", "PRAGMA wal_autocheckpoint=0"}) {
    if (auto done = execute(sql); !done) return done;
  }
  // The log file keeps its blocks after a checkpoint: overwriting them is cheaper than growing
  // again.
  const std::string keep = "PRAGMA journal_size_limit=" + std::to_string(log_keep_bytes);
  if (auto done = execute(keep.c_str()); !done) return done;
  sqlite3_wal_hook(
      db_,
      [](void* self, sqlite3*, const char*, int pages) {
        static_cast<Database*>(self)->log_pages_ = static_cast<size_t>(pages);
        return SQLITE_OK;
      },
      this);
  return {};
}

// Records have checksums of their own, which are compared when they are read; this is about the
// structure that leads to them.
Result<void> Database::check_pages() {
  const auto file = folder_.find(kFileName);
  if (file && file->st_size > kCheckedBytes) return {};
  Result<Statement> made = statement("PRAGMA quick_check(1)");
  if (!made) return std::unexpected(made.error());
  if (sqlite3_step(made->get()) != SQLITE_ROW) return failure("cannot read state.db");
  const std::string_view found = column_text(made->get(), 0);
  if (found == "ok") return {};
  return fail("data_corrupt", "state.db is damaged: " + std::string(found) + kDamageAdvice);
}

// Folds what the process before left in the log, and remembers which files these are.
Result<void> Database::follow_files() {
  if (auto folded = checkpoint(); !folded) log_warn("{}", folded.error().message);
  Result<UniqueFd> log = folder_.open_file(kLogName, O_RDWR);
  if (!log) return std::unexpected(log.error());
  log_ = std::move(*log);
  struct stat info{};
  if (::fstat(log_.get(), &info) != 0) return fail("data_error", "cannot read state.db-wal");
  log_id_ = {info.st_dev, info.st_ino};
  if (const auto database = folder_.find(kFileName)) {
    database_id_ = {database->st_dev, database->st_ino};
  }
  database_path_ = folder_.path() / kFileName;
  log_path_ = folder_.path() / kLogName;
  return {};
}

Result<void> Database::prepare_schema() {
  Result<int64_t> format = number("PRAGMA user_version");
  if (!format) return std::unexpected(format.error());
  if (*format > kFormat) {
    return fail("data_error",
                "state.db was written by a newer version of this program; use that version, or "
                "another folder with --data");
  }
  if (*format == kFormat) return {};
  Result<int64_t> tables = number("SELECT count(*) FROM sqlite_schema");
  if (!tables) return std::unexpected(tables.error());
  if (*tables != 0) {
    return fail("data_error",
                "state.db is a database of another program; move it away, or choose another folder "
                "with --data");
  }
  const std::string sql =
      "BEGIN;"
      "CREATE TABLE record(id INTEGER PRIMARY KEY, space TEXT NOT NULL, scope TEXT NOT NULL,"
      " key TEXT NOT NULL, value TEXT NOT NULL, sum INTEGER NOT NULL);"
      "PRAGMA application_id=" +
      std::to_string(kApplicationId) + ";PRAGMA user_version=" + std::to_string(kFormat) +
      ";COMMIT";
  return execute(sql.c_str());
}

Result<void> Database::prepare_statements() {
  const std::pair<Statement*, const char*> wanted[] = {
      {&begin_, "BEGIN IMMEDIATE"},
      {&commit_, "COMMIT"},
      {&rollback_, "ROLLBACK"},
      {&put_, "REPLACE INTO record(id,space,scope,key,value,sum) VALUES(?1,?2,?3,?4,?5,?6)"},
      {&erase_, "DELETE FROM record WHERE id=?1"}};
  for (const auto& [slot, sql] : wanted) {
    Result<Statement> made = statement(sql);
    if (!made) return std::unexpected(made.error());
    *slot = std::move(*made);
  }
  return {};
}

Result<void> Database::load(std::string_view space, const std::function<void(Record&&)>& visit) {
  Result<Statement> made = statement("SELECT id,scope,key,value,sum,space FROM record ORDER BY id");
  if (!made) return std::unexpected(made.error());
  sqlite3_stmt* rows = made->get();
  int step = SQLITE_DONE;
  while ((step = sqlite3_step(rows)) == SQLITE_ROW) {
    const int64_t id = sqlite3_column_int64(rows, 0);
    const std::string_view scope = column_text(rows, 1);
    const std::string_view key = column_text(rows, 2);
    const std::string_view value = column_text(rows, 3);
    // Records of other modules are compared too: one whose `space` is damaged belongs to nobody.
    const std::string_view its_space = column_text(rows, 5);
    if (checksum(id, its_space, scope, key, value) != sqlite3_column_int64(rows, 4)) {
      return fail("data_corrupt", "state.db is damaged: record " + std::to_string(id) +
                                      " is not what was written" + kDamageAdvice);
    }
    if (its_space != space) continue;
    visit(Record{id, std::string(space), std::string(scope), std::string(key),
                 shared_text(std::string(value))});
  }
  if (step != SQLITE_DONE) return failure("cannot read state.db");
  return {};
}

Result<int64_t> Database::max_id() { return number("SELECT coalesce(max(id),0) FROM record"); }

bool Database::run(const Statement& statement) {
  const bool done = sqlite3_step(statement.get()) == SQLITE_DONE;
  sqlite3_reset(statement.get());
  return done;
}

bool Database::apply(const Change& change) {
  const Record& record = change.record;
  if (change.erase) {
    sqlite3_bind_int64(erase_.get(), 1, record.id);
    return run(erase_);
  }
  sqlite3_stmt* put = put_.get();
  sqlite3_bind_int64(put, 1, record.id);
  bind_text(put, 2, record.space);
  bind_text(put, 3, record.scope);
  bind_text(put, 4, record.key);
  bind_text(put, 5, *record.value);
  sqlite3_bind_int64(put, 6,
                     checksum(record.id, record.space, record.scope, record.key, *record.value));
  return run(put_);
}

Result<void> Database::commit(std::span<const Write> writes) {
  if (auto there = still_there(); !there) return there;
  Result<void> stored = try_commit(writes);
  // Folding lets the log start over in blocks that it has.
  if (!stored && stored.error().code == "data_full" && checkpoint()) stored = try_commit(writes);
  if (!stored) return stored;
  stored = still_there();
  lost_ = !stored;
  return stored;
}

Result<void> Database::try_commit(std::span<const Write> writes) {
  struct stat log{};
  const bool sized = ::fstat(log_.get(), &log) == 0;
  bool good = run(begin_);
  for (const Write& write : writes) {
    for (const Change& change : write.changes) good = good && apply(change);
  }
  good = good && run(commit_);
  if (good) return {};
  // The reason must be read before the rollback replaces it.
  std::unexpected<Error> reason = failure("cannot write to disk");
  if (sqlite3_get_autocommit(db_) == 0) run(rollback_);
  // What did not fit takes no space from what does.
  if (sized) cut_log(log.st_size);
  return reason;
}

// SQLite writes the page with the version although it stays as it is. The log may have room for
// that on a full disk, too.
Result<void> Database::probe() {
  if (auto there = still_there(); !there) return there;
  if (free_space() < kLeastFree)
    return fail("data_full", std::string("the disk is full") + kFullAdvice);
  const std::string same_version = "PRAGMA user_version=" + std::to_string(kFormat);
  if (auto written = execute(same_version.c_str()); !written) return written;
  return still_there();
}

// What goes to files without a name is gone when this process ends.
Result<void> Database::still_there() const {
  const auto leads_to = [](const std::string& path, const FileId& id) {
    struct stat info{};
    return ::lstat(path.c_str(), &info) == 0 && FileId{info.st_dev, info.st_ino} == id;
  };
  if (!lost_ && leads_to(database_path_, database_id_) && leads_to(log_path_, log_id_)) return {};
  // The files have what its writer was told is not stored: only a new start reads them again.
  if (lost_) {
    return fail("data_gone",
                "the data folder was removed or replaced during a write, so nothing can be stored. "
                "Next: put the folder back and restart the engine.");
  }
  return fail("data_gone",
              "the data folder was removed or replaced while the engine runs, so nothing can be "
              "stored. Next: put the folder back.");
}

Result<void> Database::checkpoint() {
  int log_pages = 0;
  int folded = 0;
  if (sqlite3_wal_checkpoint_v2(db_, nullptr, SQLITE_CHECKPOINT_PASSIVE, &log_pages, &folded) !=
      SQLITE_OK) {
    return failure("cannot checkpoint the log into state.db");
  }
  log_pages_ = static_cast<size_t>(log_pages - folded);
  return {};
}

Result<std::unique_ptr<Backup>> Database::begin_backup(std::filesystem::path to) {
  const std::filesystem::path folder = to.parent_path();
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return fail("data_error",
                std::string("the folder of backups cannot be made: ") + std::strerror(errno));
  }
  std::error_code error;
  const auto space = std::filesystem::space(folder, error);
  const Result<int64_t> pages = number("PRAGMA page_count");
  if (!pages) return std::unexpected(pages.error());
  const auto wanted = static_cast<uint64_t>(*pages) * kPageBytes + kFreeBesideBackup;
  if (!error && space.available < wanted) {
    return fail("data_full", "the disk has not enough free space for a copy of the database: " +
                                 std::to_string(wanted >> 20U) +
                                 " MiB are needed. Next: remove old backups, or free space.");
  }
  return Backup::begin(db_, std::move(to));
}

void Database::reserve_log(size_t bytes) {
  struct stat log{};
  if (::fstat(log_.get(), &log) != 0) return;
  // Zeros are not valid frames, so a reader of the log stops where the real frames end. On a small
  // disk most is left for the database.
  const auto end = static_cast<off_t>(std::min<uint64_t>(bytes, free_space() / 4));
  const std::string zeros(64 * 1024, '\0');
  for (off_t at = log.st_size; at < end; at += static_cast<off_t>(zeros.size())) {
    if (::pwrite(log_.get(), zeros.data(), zeros.size(), at) == ssize_t(zeros.size())) continue;
    return cut_log(log.st_size);
  }
  ::fdatasync(log_.get());
}

// Only a matter of space: failures are ignored.
void Database::cut_log(off_t bytes) {
  [[maybe_unused]] const int ignored = ::ftruncate(log_.get(), bytes);
}

uint64_t Database::free_space() const {
  std::error_code error;
  const auto space = std::filesystem::space(folder_.path(), error);
  return error ? 0 : space.available;
}

Result<void> Database::execute(const char* sql) {
  if (sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
    return failure("cannot set up state.db");
  }
  return {};
}

Result<Database::Statement> Database::statement(const char* sql) {
  sqlite3_stmt* made = nullptr;
  if (sqlite3_prepare_v3(db_, sql, -1, SQLITE_PREPARE_PERSISTENT, &made, nullptr) != SQLITE_OK) {
    return failure("cannot read state.db");
  }
  return Statement(made);
}

Result<int64_t> Database::number(const char* sql) {
  Result<Statement> made = statement(sql);
  if (!made) return std::unexpected(made.error());
  if (sqlite3_step(made->get()) != SQLITE_ROW) return failure("cannot read state.db");
  return sqlite3_column_int64(made->get(), 0);
}

std::unexpected<Error> Database::failure(std::string_view what) {
  const int code = sqlite3_errcode(db_) & 0xff;
  const std::string text = std::string(what) + ": " + sqlite3_errmsg(db_);
  switch (code) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return fail("data_corrupt", text + kDamageAdvice);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fail("data_in_use", text +
                                     "; another program has state.db open: close it, or choose "
                                     "another folder with --data");
    default:
      if (!is_full(code, sqlite3_system_errno(db_))) return fail("data_error", text);
      return fail("data_full", text + kFullAdvice);
  }
}

}  // namespace iii::engine
