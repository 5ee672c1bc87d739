#include <gmock/gmock.h>

#include <filesystem>
#include <optional>
#include <string>

#include "bus/engine/store/store_testing.h"

namespace iii::engine {
namespace {

// Begins a copy and waits for its end; `meanwhile` runs until then.
template <typename F>
Result<uint64_t> backup(StoreRunner& runner, const std::filesystem::path& to, F meanwhile) {
  std::optional<Result<uint64_t>> result;
  const Result<void> begun =
      runner.store().backup(to, [&result](Result<uint64_t> bytes) { result = std::move(bytes); });
  if (!begun) return std::unexpected(begun.error());
  while (!result) {
    meanwhile();
    runner.wait_posted();
    runner.run_posted();
  }
  return *result;
}

std::vector<std::string> keys_of_copy(const std::filesystem::path& copy) {
  TempFolder restored;
  std::filesystem::copy_file(copy, restored.path() / "state.db");
  StoreRunner runner(restored.path());
  return runner.load_keys();
}

TEST(Backup, HasEverythingThatWasStored) {
  TempFolder folder;
  StoreRunner runner(folder.path());
  std::vector<std::string> keys;
  for (int i = 0; i < 200; ++i) {
    keys.push_back("key-" + std::to_string(i));
    runner.put(runner.next_id(), keys.back(), std::string(2'000, 'x'));
  }
  runner.wait_all();
  const auto to = folder.path() / "backups" / "one.db";
  const Result<uint64_t> bytes = backup(runner, to, [] {});
  ASSERT_TRUE(bytes) << bytes.error().message;
  EXPECT_EQ(*bytes, std::filesystem::file_size(to));
  EXPECT_EQ(keys_of_copy(to), keys);
  EXPECT_FALSE(std::filesystem::exists(to.string() + ".part"));
}

TEST(Backup, WritesGoOnMeanwhileAndTheCopyHasAPrefixOfThem) {
  TempFolder folder;
  StoreRunner runner(folder.path());
  int written = 0;
  const auto write = [&] {
    runner.put(runner.next_id(), "key-" + std::to_string(written++), std::string(2'000, 'x'));
  };
  for (int i = 0; i < 500; ++i) write();
  runner.wait_all();
  const auto to = folder.path() / "backups" / "one.db";
  ASSERT_TRUE(backup(runner, to, write));
  runner.wait_all();
  const std::vector<std::string> keys = keys_of_copy(to);
  EXPECT_GE(keys.size(), 500U);
  EXPECT_LE(keys.size(), static_cast<size_t>(written));
  for (size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(keys[i], "key-" + std::to_string(i));
  EXPECT_TRUE(runner.failed().empty());
}

TEST(Backup, OneAtATime) {
  TempFolder folder;
  StoreRunner runner(folder.path());
  const auto to = folder.path() / "backups" / "one.db";
  bool refused = false;
  const auto second = [&] {
    if (refused) return;
    const Result<void> result = runner.store().backup(to, [](Result<uint64_t>) { FAIL(); });
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, "backup_running");
    refused = true;
  };
  EXPECT_TRUE(backup(runner, to, second));
  EXPECT_TRUE(refused);
  // A later one replaces it.
  EXPECT_TRUE(backup(runner, to, [] {}));
}

TEST(Backup, AFailureIsToldAndLeavesNothing) {
  TempFolder folder;
  StoreRunner runner(folder.path());
  const Result<uint64_t> result = backup(runner, folder.path() / "a" / "b" / "one.db", [] {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "data_error");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "a"));
  // Writes are not affected.
  runner.put(runner.next_id(), "key", "1");
  runner.wait_all();
  EXPECT_TRUE(runner.failed().empty());
}

TEST(Backup, AStopIsToldAndRemovesTheUnfinishedCopy) {
  TempFolder folder;
  StoreRunner runner(folder.path());
  for (int i = 0; i < 2'000; ++i) runner.put(runner.next_id(), "key", std::string(5'000, 'x'));
  runner.wait_all();
  const auto to = folder.path() / "backups" / "one.db";
  std::optional<Result<uint64_t>> result;
  ASSERT_TRUE(
      runner.store().backup(to, [&result](Result<uint64_t> bytes) { result = std::move(bytes); }));
  runner.store().close();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->has_value(), std::filesystem::exists(to));
  EXPECT_FALSE(std::filesystem::exists(to.string() + ".part"));
}

}  // namespace
}  // namespace iii::engine
