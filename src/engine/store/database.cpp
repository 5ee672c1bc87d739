#include "engine/store/database.h"

#include <unistd.h>

#include <cstring>

#include "engine/store/files.h"

namespace iii::engine {

namespace {

constexpr const char* kFileName = "state.db";
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

void bind_text(sqlite3_stmt* statement, int index, std::string_view text) {
  // A null pointer would be stored as NULL, and an empty view may hold one.
  sqlite3_bind_text64(statement, index, text.empty() ? "" : text.data(), text.size(), SQLITE_STATIC,
                      SQLITE_UTF8);
}

}  // namespace

Result<std::unique_ptr<Database>> Database::open(const std::filesystem::path& directory,
                                                 size_t log_keep_bytes) {
  std::unique_ptr<Database> database(new Database());
  if (auto made = make_private_directory(directory); !made) return std::unexpected(made.error());
  if (auto locked = database->lock(directory); !locked) return std::unexpected(locked.error());
  if (auto made = make_private_file(directory, kFileName); !made) {
    return std::unexpected(made.error());
  }
  if (auto open = database->connect(directory, log_keep_bytes); !open) {
    return std::unexpected(open.error());
  }
  if (auto made = database->prepare_schema(); !made) return std::unexpected(made.error());
  if (auto made = database->prepare_statements(); !made) return std::unexpected(made.error());
  return database;
}

Database::~Database() {
  begin_.reset();
  commit_.reset();
  rollback_.reset();
  put_.reset();
  erase_.reset();
  // Closing folds the log into the file and removes it; if that fails, the next start does it.
  if (db_ != nullptr) sqlite3_close_v2(db_);
  if (lock_fd_ >= 0) ::close(lock_fd_);
}

Result<void> Database::lock(const std::filesystem::path& directory) {
  Result<int> locked = lock_directory(directory);
  if (!locked) return std::unexpected(locked.error());
  lock_fd_ = *locked;
  return {};
}

Result<void> Database::connect(const std::filesystem::path& directory, size_t log_keep_bytes) {
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  if (sqlite3_open_v2((directory / kFileName).c_str(), &db_, flags, nullptr) != SQLITE_OK) {
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
  Result<Statement> made =
      statement("SELECT id,scope,key,value,sum FROM record WHERE space=?1 ORDER BY id");
  if (!made) return std::unexpected(made.error());
  sqlite3_stmt* rows = made->get();
  bind_text(rows, 1, space);
  int step = SQLITE_DONE;
  while ((step = sqlite3_step(rows)) == SQLITE_ROW) {
    const int64_t id = sqlite3_column_int64(rows, 0);
    const std::string_view scope = column_text(rows, 1);
    const std::string_view key = column_text(rows, 2);
    const std::string_view value = column_text(rows, 3);
    if (checksum(id, space, scope, key, value) != sqlite3_column_int64(rows, 4)) {
      return fail("data_corrupt",
                  "state.db is damaged: record " + std::to_string(id) +
                      " is not what was written. Nothing was changed; restore a copy, or move "
                      "state.db and state.db-wal away to start empty");
    }
    visit(Record{id, std::string(space), std::string(scope), std::string(key),
                 std::make_shared<const std::string>(value)});
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
  bool good = run(begin_);
  for (const Write& write : writes) {
    for (const Change& change : write.changes) good = good && apply(change);
  }
  good = good && run(commit_);
  if (good) return {};
  // The reason must be read before the rollback replaces it.
  std::unexpected<Error> reason = failure("cannot write to disk");
  if (sqlite3_get_autocommit(db_) == 0) run(rollback_);
  return reason;
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

void Database::reserve_log(size_t bytes) {
  sqlite3_file* log = nullptr;
  if (sqlite3_file_control(db_, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) != SQLITE_OK) return;
  if (log == nullptr || log->pMethods == nullptr) return;
  sqlite3_int64 size = 0;
  if (log->pMethods->xFileSize(log, &size) != SQLITE_OK) return;
  // Zeros are no valid frames, so a reader of the log stops where the real frames end.
  const std::string zeros(64 * 1024, '\0');
  const auto end = static_cast<sqlite3_int64>(bytes);
  if (size >= end) return;
  for (; size < end; size += static_cast<sqlite3_int64>(zeros.size())) {
    const int count = static_cast<int>(zeros.size());
    if (log->pMethods->xWrite(log, zeros.data(), count, size) != SQLITE_OK) return;
  }
  log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
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
      return fail("data_corrupt", text +
                                      ". Nothing was changed; restore a copy, or move state.db and "
                                      "state.db-wal away to start empty");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fail("data_in_use", text +
                                     "; another program has state.db open: close it, or choose "
                                     "another folder with --data");
    case SQLITE_FULL:
      return fail("data_error", text + "; free some space on the disk of the data folder");
    default:
      return fail("data_error", text);
  }
}

}  // namespace iii::engine
