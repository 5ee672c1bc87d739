// The store on a full disk: writes fail, and it goes on when there is room again.
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
  limits.retry_pause = std::chrono::milliseconds(1);
  return limits;
}

// Counts what is stored.
struct Writer {
  explicit Writer(const std::filesystem::path& folder) : runner(folder, small_limits()) {}

  // True when it was stored. The only other answer is that the disk is full.
  bool put(size_t bytes = kValueBytes) {
    const size_t before = runner.finished().size();
    EXPECT_TRUE(
        runner.put(runner.next_id(), "k" + std::to_string(stored), std::string(bytes, 'x')));
    runner.wait_all();
    if (runner.finished().size() > before) return ++stored > 0;
    EXPECT_EQ(runner.reason().code, "data_full");
    return false;
  }
  void wait_for_recovery() {
    while (runner.store().trouble()) {
      runner.wait_posted();
      runner.run_posted();
    }
  }

  StoreRunner runner;
  size_t stored = 0;
};

TEST(StoreFull, ErrorsUntilThereIsRoom) {
  TempFolder folder;
  EXPECT_TRUE(in_child([&folder] {
    bound_disk(folder.path(), 4 * 1024 * 1024);
    Writer writer(folder.path());
    for (int round = 0; round < 3; ++round) {
      EXPECT_TRUE(writer.put());
      capacity = 0;
      while (writer.put()) continue;
      for (int i = 0; i < 5; ++i) EXPECT_FALSE(writer.put()) << "each of them is told";
      EXPECT_TRUE(writer.runner.store().trouble());
      capacity = 16 * 1024 * 1024;
      writer.wait_for_recovery();
    }
    EXPECT_TRUE(writer.put());
    writer.runner.destroy_store();
    StoreRunner again(folder.path());
    EXPECT_EQ(again.load_keys().size(), writer.stored) << "nothing that was acknowledged is lost";
    return !testing::Test::HasFailure();
  }));
}

TEST(StoreFull, WhatDidNotFitTakesNoSpace) {
  TempFolder folder;
  EXPECT_TRUE(in_child([&folder] {
    bound_disk(folder.path(), 1024 * 1024);
    Writer writer(folder.path());
    EXPECT_TRUE(writer.put());
    EXPECT_FALSE(writer.put(2 * 1024 * 1024));
    EXPECT_TRUE(writer.put());
    EXPECT_FALSE(writer.runner.store().trouble());
    return !testing::Test::HasFailure();
  }));
  EXPECT_EQ(StoreRunner(folder.path()).load_keys().size(), 2U);
}

TEST(StoreFull, AStoreThatWasFullOpens) {
  TempFolder folder;
  EXPECT_TRUE(in_child([&folder] {
    bound_disk(folder.path(), 1024 * 1024);
    size_t stored = 0;
    {
      Writer writer(folder.path());
      while (writer.put()) continue;
      stored = writer.stored;
    }
    EXPECT_GT(stored, 40U);
    Writer writer(folder.path());
    EXPECT_EQ(writer.runner.load_keys().size(), stored);
    capacity = 2 * 1024 * 1024;
    EXPECT_TRUE(writer.put());
    return !testing::Test::HasFailure();
  }));
}

}  // namespace
}  // namespace iii::engine
