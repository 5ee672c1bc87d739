// What the store does when somebody or something else has changed its files.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>
#include <fstream>
#include <iterator>
#include <map>

#include "bus/engine/store/log_check.h"
#include "bus/engine/store/store_testing.h"

namespace iii::engine {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::SizeIs;

constexpr size_t kFrameBytes = 24 + 1024;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// The files of a process that was killed after several commits, all acknowledged.
struct Killed {
  static constexpr int kCommits = 8;

  Killed() {
    TempFolder folder;
    III_CHECK(in_child([&folder] {
      StoreLimits limits;
      limits.log_bytes = 64 * 1024;
      limits.reserve_bytes = 0;
      StoreRunner runner(folder.path(), limits);
      std::string mark;
      for (int i = 0; i < kCommits; ++i) {
        if (i == kCommits - 1)
          fs::copy_file(folder.path() / "state.synced", folder.path() / "mark");
        runner.put(runner.next_id(), "k" + std::to_string(i), std::string(2'500, 'v'));
        runner.wait_all();
        // The note comes after the answer, when the writer pauses.
        const auto noted = [&] { return read_file(folder.path() / "state.synced"); };
        while (!LogMark::parse(noted()) || noted() == mark) ::usleep(200);
        mark = noted();
      }
      _exit(runner.finished().size() == kCommits ? 0 : 1);
      return false;
    }));
    for (const char* name : {"state.db", "state.db-wal", "state.synced", "mark"}) {
      files[name] = read_file(folder.path() / name);
    }
  }

  std::string& log() { return files["state.db-wal"]; }
  // How many bytes of the log are in use; before its last transaction, with `mark`.
  size_t log_bytes(const char* mark = "state.synced") {
    return kLogHeaderBytes + LogMark::parse(files[mark])->frames * kFrameBytes;
  }

  std::map<std::string, std::string> files;
};

const std::vector<std::string> kAllKeys{"k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7"};

class StoreDamage : public testing::Test {
 protected:
  // Puts the files into the folder; an empty mark means that there is none, as in older versions.
  void lay_out(const Killed& killed, std::string_view log, std::string_view mark) {
    for (const auto& entry : fs::directory_iterator(folder_.path())) fs::remove_all(entry);
    write_file(folder_.path() / "state.db", killed.files.at("state.db"));
    write_file(folder_.path() / "state.db-wal", log);
    if (!mark.empty()) write_file(folder_.path() / "state.synced", mark);
  }

  Result<std::vector<std::string>> open(bool repair = false) {
    auto store = Store::open(folder_.path(), [](auto) {}, {}, repair);
    if (!store) return std::unexpected(store.error());
    std::vector<std::string> keys;
    auto loaded = (*store)->load("test", [&keys](Record&& r) { keys.push_back(std::move(r.key)); });
    if (!loaded) return std::unexpected(loaded.error());
    return keys;
  }

  std::string flipped(std::string bytes, size_t at) {
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    return bytes;
  }

  TempFolder folder_;
};

TEST_F(StoreDamage, AnUndamagedLogIsReadWhole) {
  Killed killed;
  lay_out(killed, killed.log(), killed.files["state.synced"]);
  EXPECT_THAT(open().value(), testing::ElementsAreArray(kAllKeys));
  lay_out(killed, killed.log(), "");
  EXPECT_THAT(open().value(), testing::ElementsAreArray(kAllKeys));
  lay_out(killed, killed.log(), flipped(killed.files["state.synced"], 20));
  EXPECT_THAT(open().value(), testing::ElementsAreArray(kAllKeys));
}

TEST_F(StoreDamage, NoFlippedBitInTheLogLosesAnAcknowledgedWriteSilently) {
  Killed killed;
  const size_t end = killed.log_bytes();
  ASSERT_GT(end, 20 * kFrameBytes);
  for (size_t at = 0; at < end; ++at) {
    const bool in_header =
        at < kLogHeaderBytes || (at - kLogHeaderBytes) % kFrameBytes < kFrameHeaderBytes;
    if (!in_header && at % 97 != 0) continue;
    lay_out(killed, flipped(killed.log(), at), killed.files["state.synced"]);
    const auto opened = open();
    ASSERT_FALSE(opened) << "byte " << at;
    ASSERT_EQ(opened.error().code, "data_corrupt");
    ASSERT_THAT(opened.error().message, HasSubstr("--repair-data"));
  }
  // Behind the end there is nothing to lose.
  lay_out(killed, flipped(killed.log(), end + 100), killed.files["state.synced"]);
  EXPECT_THAT(open().value(), testing::ElementsAreArray(kAllKeys));
}

// The writer did not pause before it was killed, so its last transactions are not noted.
TEST_F(StoreDamage, AnOlderNoteIsEnoughForAllButTheLastTransaction) {
  Killed killed;
  for (size_t at = kLogHeaderBytes; at < killed.log_bytes("mark"); at += 1'009) {
    lay_out(killed, flipped(killed.log(), at), killed.files["mark"]);
    const auto opened = open();
    ASSERT_FALSE(opened) << "byte " << at;
    ASSERT_EQ(opened.error().code, "data_corrupt");
  }
}

TEST_F(StoreDamage, LaterTransactionsProveDamageWithoutAMark) {
  Killed killed;
  for (size_t at = kLogHeaderBytes; at < killed.log_bytes() / 2; at += 131) {
    lay_out(killed, flipped(killed.log(), at), "");
    const auto opened = open();
    ASSERT_FALSE(opened) << "byte " << at;
    ASSERT_EQ(opened.error().code, "data_corrupt");
  }
}

// The power failed while the last transaction was written: nobody was told that it is stored.
TEST_F(StoreDamage, ATornLastTransactionIsNormal) {
  Killed killed;
  const std::string& mark = killed.files["mark"];
  const size_t begin = killed.log_bytes("mark");
  const size_t end = killed.log_bytes();
  const std::vector<std::string> acknowledged(kAllKeys.begin(), kAllKeys.end() - 1);
  for (const std::string& note : {mark, std::string()}) {
    for (size_t at = begin; at < end; at += 211) {
      lay_out(killed, flipped(killed.log(), at), note);
      const auto damaged = open();
      ASSERT_TRUE(damaged) << damaged.error().message;
      ASSERT_THAT(*damaged, testing::ElementsAreArray(acknowledged)) << "byte " << at;
      lay_out(killed, killed.log().substr(0, at), note);
      ASSERT_THAT(open().value(), testing::ElementsAreArray(acknowledged)) << "cut at " << at;
    }
  }
}

TEST_F(StoreDamage, RepairKeepsWhatCanBeReadAndTheDamagedFiles) {
  Killed killed;
  const std::string log = flipped(killed.log(), killed.log_bytes() / 2);
  lay_out(killed, log, killed.files["state.synced"]);
  ASSERT_FALSE(open());
  const auto repaired = open(true);
  ASSERT_TRUE(repaired) << repaired.error().message;
  EXPECT_GT(repaired->size(), 0U);
  EXPECT_LT(repaired->size(), kAllKeys.size());
  EXPECT_THAT(kAllKeys, IsSupersetOf(*repaired));
  size_t copies = 0;
  for (const auto& entry : fs::directory_iterator(folder_.path())) {
    if (!entry.path().filename().string().starts_with("damaged-")) continue;
    ++copies;
    EXPECT_EQ(read_file(entry.path() / "state.db-wal"), log);
    EXPECT_EQ(read_file(entry.path() / "state.db"), killed.files["state.db"]);
  }
  EXPECT_EQ(copies, 1U);
  EXPECT_EQ(open().value(), *repaired) << "once is enough";
}

TEST_F(StoreDamage, ALogWithoutItsDatabaseIsRefused) {
  Killed killed;
  lay_out(killed, killed.log(), killed.files["state.synced"]);
  fs::remove(folder_.path() / "state.db");
  const auto opened = open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, "data_corrupt");
  EXPECT_EQ(read_file(folder_.path() / "state.db-wal"), killed.log());
}

// Another program, such as sqlite3, folds the log when it closes the database.
TEST_F(StoreDamage, AFoldedLogIsNotDamage) {
  Killed killed;
  lay_out(killed, killed.log(), killed.files["state.synced"]);
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open((folder_.path() / "state.db").c_str(), &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db, "SELECT count(*) FROM record", nullptr, nullptr, nullptr), SQLITE_OK);
  ASSERT_EQ(sqlite3_close(db), SQLITE_OK);
  EXPECT_THAT(open().value(), testing::ElementsAreArray(kAllKeys));
}

TEST_F(StoreDamage, NoFlippedBitInTheDatabaseChangesARecordSilently) {
  {
    StoreRunner runner(folder_.path());
    for (int i = 0; i < 8; ++i) {
      runner.put(runner.next_id(), "k" + std::to_string(i), std::string(600, 'v'));
    }
    runner.wait_all();
  }
  const std::string good = read_file(folder_.path() / "state.db");
  size_t refused = 0;
  for (size_t at = 0; at < good.size(); at += 41) {
    for (const auto& entry : fs::directory_iterator(folder_.path())) fs::remove_all(entry);
    write_file(folder_.path() / "state.db", flipped(good, at));
    const auto opened = open();
    if (opened) ASSERT_THAT(*opened, testing::ElementsAreArray(kAllKeys)) << "byte " << at;
    refused += opened ? 0 : 1;
  }
  EXPECT_GT(refused, good.size() / 41 / 2);
}

TEST_F(StoreDamage, LinksAreRefusedAndNotFollowed) {
  TempFolder elsewhere;
  const fs::path precious = elsewhere.path() / "precious";
  for (const char* name : {"state.lock", "state.db", "state.db-wal", "state.db-shm",
                           "state.db-journal", "state.synced", "state.reserve"}) {
    write_file(precious, "precious");
    fs::create_symlink(precious, folder_.path() / name);
    const auto opened = open();
    ASSERT_FALSE(opened) << name;
    EXPECT_THAT(opened.error().message, HasSubstr(name));
    EXPECT_EQ(read_file(precious), "precious") << name;
    for (const auto& entry : fs::directory_iterator(folder_.path())) fs::remove_all(entry);
  }
  ASSERT_EQ(::mkfifo((folder_.path() / "state.db").c_str(), 0600), 0);
  EXPECT_FALSE(open()) << "a pipe is not waited for";
}

TEST_F(StoreDamage, AFolderThatOthersMayWriteIsRefused) {
  for (const mode_t mode : {0777U, 0770U, 0702U, 01777U}) {
    ASSERT_EQ(::chmod(folder_.path().c_str(), mode), 0);
    const auto opened = open();
    ASSERT_FALSE(opened) << mode;
    EXPECT_EQ(opened.error().code, "data_error");
    EXPECT_THAT(opened.error().message, HasSubstr("chmod 700 '" + folder_.path().native() + "'"));
  }
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0755), 0);
  EXPECT_TRUE(open());
  // Only root can give a folder away.
  if (::chown(folder_.path().c_str(), 65534, 65534) != 0) return;
  const auto foreign = open();
  ASSERT_FALSE(foreign);
  EXPECT_THAT(foreign.error().message, HasSubstr("another user"));
}

TEST_F(StoreDamage, NothingIsAcknowledgedAfterTheFolderIsRemoved) {
  StoreRunner runner(folder_.path() / "data");
  runner.put(runner.next_id(), "before", "1");
  runner.wait_all();
  fs::remove_all(folder_.path() / "data");
  testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i) {
    runner.put(runner.next_id(), "after", "2");
    runner.wait_all();
  }
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(runner.finished(), ElementsAre(0));
  EXPECT_THAT(runner.failed(), ElementsAre(1, 2, 3));
  EXPECT_THAT(runner.undone(), ElementsAre(1, 2, 3));
  EXPECT_EQ(runner.reason().code, "data_gone");
  EXPECT_EQ(std::ranges::count(log, '\n'), 1) << "told once: " << log;
  // A new folder of that name has other files in it.
  StoreRunner other(folder_.path() / "data");
  runner.put(runner.next_id(), "after", "2");
  runner.wait_all();
  EXPECT_THAT(runner.failed(), SizeIs(4));
}

// The space that is held back could not be had because the folder was away.
TEST_F(StoreDamage, ARemovedFolderIsNotAFullDisk) {
  StoreRunner runner(folder_.path() / "data");
  fs::rename(folder_.path() / "data", folder_.path() / "moved");
  runner.put(runner.next_id(), "meanwhile", "1");
  runner.wait_all();
  EXPECT_EQ(runner.reason().code, "data_gone");
  fs::rename(folder_.path() / "moved", folder_.path() / "data");
  const auto accepted = runner.put(runner.next_id(), "after", "2");
  EXPECT_TRUE(accepted) << accepted.error().message;
  runner.wait_all();
  EXPECT_THAT(runner.finished(), ElementsAre(1));
}

// Whoever obeys `trouble` sends no write that would show that it is over.
TEST_F(StoreDamage, AFolderThatWasPutBackIsNoticedWithoutAWrite) {
  StoreLimits limits;
  limits.retry_pause = std::chrono::milliseconds(1);
  StoreRunner runner(folder_.path() / "data", limits);
  fs::rename(folder_.path() / "data", folder_.path() / "moved");
  runner.put(runner.next_id(), "meanwhile", "1");
  runner.wait_all();
  EXPECT_TRUE(runner.store().trouble());
  fs::rename(folder_.path() / "moved", folder_.path() / "data");
  while (runner.store().trouble()) {
    runner.wait_posted();
    runner.run_posted();
  }
  runner.put(runner.next_id(), "after", "2");
  runner.wait_all();
  runner.destroy_store();
  EXPECT_THAT(StoreRunner(folder_.path() / "data").load_keys(), ElementsAre("after"));
}

TEST_F(StoreDamage, AFolderThatWasPutBackIsUsedAgain) {
  StoreRunner runner(folder_.path() / "data");
  runner.put(runner.next_id(), "before", "1");
  runner.wait_all();
  fs::rename(folder_.path() / "data", folder_.path() / "moved");
  runner.put(runner.next_id(), "meanwhile", "2");
  runner.wait_all();
  fs::rename(folder_.path() / "moved", folder_.path() / "data");
  runner.put(runner.next_id(), "after", "3");
  runner.wait_all();
  EXPECT_THAT(runner.finished(), ElementsAre(0, 2));
  runner.destroy_store();
  EXPECT_THAT(StoreRunner(folder_.path() / "data").load_keys(), ElementsAre("before", "after"));
}

}  // namespace
}  // namespace iii::engine
