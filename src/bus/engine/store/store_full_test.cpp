// The store on a full disk: puts fail, deletes work and make room.
//
// The disk is a folder of a fixed capacity: SQLite lets tests replace its system calls, and a write
// that would make the files larger than the capacity fails with ENOSPC. Each test runs in a child
// process, because that replacement is global.
#include <gmock/gmock.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "bus/engine/store/store_testing.h"

namespace iii::engine {
namespace {

using testing::IsEmpty;

std::filesystem::path disk;
std::atomic<size_t> capacity = 0;  // read by the writer of the store

bool fits(int file, off_t end) {
  struct stat info{};
  if (::fstat(file, &info) != 0 || end <= info.st_size) return true;
  size_t used = 0;
  for (const auto& entry : std::filesystem::directory_iterator(disk)) used += entry.file_size();
  if (used + static_cast<size_t>(end - info.st_size) <= capacity) return true;
  errno = ENOSPC;
  return false;
}

ssize_t bounded_write(int file, const void* bytes, size_t count) {
  const off_t at = ::lseek(file, 0, SEEK_CUR);
  return fits(file, at + static_cast<off_t>(count)) ? ::write(file, bytes, count) : -1;
}

ssize_t bounded_pwrite(int file, const void* bytes, size_t count, off_t at) {
  return fits(file, at + static_cast<off_t>(count)) ? ::pwrite(file, bytes, count, at) : -1;
}

void bound_disk(const std::filesystem::path& folder, size_t bytes) {
  disk = folder;
  capacity = bytes;
  sqlite3_initialize();
  sqlite3_vfs* vfs = sqlite3_vfs_find(nullptr);
  const auto replace = [vfs](const char* name, auto* function) {
    vfs->xSetSystemCall(vfs, name, reinterpret_cast<sqlite3_syscall_ptr>(function));
  };
  replace("write", bounded_write);
  replace("pwrite", bounded_pwrite);
  replace("pwrite64", bounded_pwrite);
}

constexpr size_t kValueBytes = 8 * 1024;

StoreLimits small_limits() {
  StoreLimits limits;
  limits.log_bytes = 64 * 1024;
  limits.idle_checkpoint_bytes = 32 * 1024;
  limits.reserve_bytes = 128 * 1024;
  limits.retry_pause = std::chrono::milliseconds(1);
  return limits;
}

// A store on a disk that is filled with values until one is refused.
struct FullStore {
  explicit FullStore(const std::filesystem::path& folder) : runner(folder, small_limits()) {
    for (;;) {
      const int64_t id = runner.next_id();
      if (!put(id, kValueBytes)) break;
      ids.push_back(id);
    }
  }

  // True when it was stored.
  bool put(int64_t id, size_t bytes) {
    const size_t before = runner.finished().size();
    const Result<void> accepted =
        runner.put(id, std::to_string(id), std::string(bytes, static_cast<char>('a' + id % 26)));
    if (!accepted) {
      refusal = accepted.error().code;
      return false;
    }
    runner.wait_all();
    if (runner.finished().size() == before) refusal = runner.reason().code;
    return runner.finished().size() > before;
  }
  bool erase(int64_t id) {
    const size_t before = runner.finished().size();
    if (!runner.erase(id)) return false;
    runner.wait_all();
    return runner.finished().size() > before;
  }

  StoreRunner runner;
  std::vector<int64_t> ids;  // stored
  std::string refusal;
};

TEST(StoreFull, DeletesWorkAndMakeRoom) {
  TempFolder folder;
  EXPECT_TRUE(in_child([&folder] {
    bound_disk(folder.path(), 1024 * 1024);
    FullStore full(folder.path());
    EXPECT_EQ(full.refusal, "data_full");
    EXPECT_GT(full.ids.size(), 40U);
    for (size_t i = 0; i < full.ids.size(); ++i) EXPECT_TRUE(full.erase(full.ids[i])) << i;
    EXPECT_TRUE(full.put(full.runner.next_id(), kValueBytes)) << "what was freed is used again";
    return !testing::Test::HasFailure();
  }));
  StoreRunner again(folder.path());
  EXPECT_EQ(again.load_keys().size(), 1U);
}

TEST(StoreFull, ADeleteDoesNotShareTheFateOfAPutThatHasNoRoom) {
  TempFolder folder;
  EXPECT_TRUE(in_child([&folder] {
    bound_disk(folder.path(), 1024 * 1024);
    FullStore full(folder.path());
    StoreRunner& runner = full.runner;
    for (size_t i = 0; i < full.ids.size() / 2; ++i) {
      const Result<void> refused = runner.put(runner.next_id(), "large", std::string(600'000, 'x'));
      EXPECT_FALSE(refused);
      if (!refused) EXPECT_EQ(refused.error().code, "data_full");
      EXPECT_TRUE(full.erase(full.ids[i])) << i;
    }
    return !testing::Test::HasFailure();
  }));
  StoreRunner again(folder.path());
  EXPECT_GT(again.load_keys().size(), 20U);
}

TEST(StoreFull, GoesOnWhenThereIsSpaceAgain) {
  TempFolder folder;
  EXPECT_TRUE(in_child([&folder] {
    bound_disk(folder.path(), 1024 * 1024);
    FullStore full(folder.path());
    capacity = 4 * capacity;
    StoreRunner& runner = full.runner;
    while (!runner.put(runner.next_id(), "large", std::string(600'000, 'x'))) {
      runner.wait_posted();
      runner.run_posted();
    }
    runner.wait_all();
    EXPECT_EQ(runner.finished().size(), full.ids.size() + 1);
    return !testing::Test::HasFailure();
  }));
  EXPECT_EQ(StoreRunner(folder.path()).load_keys().back(), "large");
}

// Others take what the store gives up, so that not even the log can be folded.
TEST(StoreFull, GoesOnWhenOthersHaveFilledTheDiskAndLeft) {
  TempFolder folder;
  EXPECT_TRUE(in_child([&folder] {
    bound_disk(folder.path(), 4 * 1024 * 1024);
    StoreRunner runner(folder.path(), small_limits());
    size_t stored = 0;
    const auto put = [&](size_t number) {
      const size_t before = runner.finished().size();
      const auto accepted =
          runner.put(runner.next_id(), "k" + std::to_string(number), std::string(kValueBytes, 'x'));
      if (!accepted) EXPECT_EQ(accepted.error().code, "data_full");
      runner.wait_all();
      if (accepted && runner.finished().size() == before) {
        EXPECT_EQ(runner.reason().code, "data_full");
      }
      const bool done = runner.finished().size() > before;
      stored += done ? 1 : 0;
      return done;
    };
    for (int round = 0; round < 3; ++round) {
      EXPECT_TRUE(put(stored));
      capacity = 0;
      while (put(stored)) continue;
      for (int i = 0; i < 5; ++i) EXPECT_FALSE(put(stored)) << "each of them is told";
      EXPECT_TRUE(runner.store().trouble());
      capacity = 16 * 1024 * 1024;
      while (!put(stored)) {
        runner.wait_posted();
        runner.run_posted();
      }
      while (runner.store().trouble()) {
        runner.wait_posted();
        runner.run_posted();
      }
    }
    EXPECT_EQ(runner.finished().size(), stored);
    runner.destroy_store();
    StoreRunner again(folder.path());
    EXPECT_EQ(again.load_keys().size(), stored) << "nothing that was acknowledged is lost";
    return !testing::Test::HasFailure();
  }));
}

TEST(StoreFull, LittleRoomIsRoom) {
  TempFolder folder;
  EXPECT_TRUE(in_child([&folder] {
    bound_disk(folder.path(), 1024 * 1024);
    FullStore full(folder.path());
    // Less than the reserve that it would like to have.
    capacity += small_limits().reserve_bytes / 2;
    StoreRunner& runner = full.runner;
    size_t more = 0;
    while (!full.put(runner.next_id(), kValueBytes)) {
      runner.wait_posted();
      runner.run_posted();
    }
    do {
      ++more;
    } while (full.put(runner.next_id(), kValueBytes));
    EXPECT_EQ(full.refusal, "data_full");
    for (size_t i = 0; i < full.ids.size(); ++i) EXPECT_TRUE(full.erase(full.ids[i])) << i;
    runner.destroy_store();
    EXPECT_EQ(StoreRunner(folder.path()).load_keys().size(), more);
    return !testing::Test::HasFailure();
  }));
}

TEST(StoreFull, AStoreThatWasFullOpensAndTakesDeletes) {
  TempFolder folder;
  EXPECT_TRUE(in_child([&folder] {
    bound_disk(folder.path(), 1024 * 1024);
    std::vector<int64_t> ids = FullStore(folder.path()).ids;
    StoreRunner runner(folder.path(), small_limits());
    EXPECT_EQ(runner.load_keys().size(), ids.size());
    for (const int64_t id : ids) {
      runner.erase(id);
      runner.wait_all();
    }
    EXPECT_EQ(runner.finished().size(), ids.size());
    EXPECT_THAT(runner.failed(), IsEmpty());
    return !testing::Test::HasFailure();
  }));
}

}  // namespace
}  // namespace iii::engine
