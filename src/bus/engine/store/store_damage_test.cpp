// What the store does when somebody or something else has changed its files.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>
#include <fstream>
#include <iterator>

#include "bus/engine/store/store_testing.h"

namespace iii::engine {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

const std::vector<std::string> kAllKeys{"k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7"};

void put_all(StoreRunner& runner) {
  for (const std::string& key : kAllKeys) {
    runner.put(runner.next_id(), key, std::string(600, 'v'));
    runner.wait_all();
  }
}

class StoreDamage : public testing::Test {
 protected:
  // Leaves the files of a process that was killed after all its writes were acknowledged.
  template <typename Wait>
  void kill_writer(Wait wait) {
    EXPECT_TRUE(in_child([this, &wait] {
      StoreRunner runner(folder_.path());
      put_all(runner);
      wait(runner.store());
      _exit(0);
      return false;
    }));
  }
  fs::path log() const { return folder_.path() / "state.db-wal"; }

  Result<std::vector<std::string>> open() {
    auto store = Store::open(folder_.path(), [](auto) {});
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

TEST_F(StoreDamage, TheLogOfAKilledProcessIsRead) {
  kill_writer([](Store&) {});
  EXPECT_THAT(open().value(), testing::ElementsAreArray(kAllKeys));
}

// The power failed while the last transaction was written: nobody was told that it is stored.
TEST_F(StoreDamage, ATornLastTransactionIsNormal) {
  constexpr size_t kSecondFrame = 32 + 24 + 1024;
  kill_writer([](Store&) {});
  const std::string bytes = read_file(log());
  const size_t at = bytes.rfind("k7");
  ASSERT_GT(at, kSecondFrame);
  write_file(log(), bytes.substr(0, at));
  EXPECT_THAT(open().value(), ElementsAre("k0", "k1", "k2", "k3", "k4", "k5", "k6"));
}

// What is in the log only is exposed to damage of the log.
TEST_F(StoreDamage, AnIdleStoreHasNothingInTheLog) {
  kill_writer([](Store& store) {
    while (store.counters().checkpoints == 0) ::usleep(200);
  });
  write_file(log(), std::string(fs::file_size(log()), '\x55'));
  EXPECT_THAT(open().value(), testing::ElementsAreArray(kAllKeys));
}

TEST_F(StoreDamage, ALogWithoutItsDatabaseIsRefused) {
  kill_writer([](Store&) {});
  const std::string bytes = read_file(log());
  fs::remove(folder_.path() / "state.db");
  const auto opened = open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, "data_corrupt");
  EXPECT_EQ(read_file(log()), bytes);
}

TEST_F(StoreDamage, NoFlippedBitInTheDatabaseChangesARecordSilently) {
  {
    StoreRunner runner(folder_.path());
    put_all(runner);
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
  for (const char* name :
       {"state.lock", "state.db", "state.db-wal", "state.db-shm", "state.db-journal"}) {
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
