// The store in one process: durability across reopening, order, group commit, limits, locking.
#include "bus/engine/store/store.h"

#include <gmock/gmock.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <fstream>

#include "bus/engine/store/store_testing.h"

namespace iii::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Store, KeepsRecordsAcrossReopening) {
  TempFolder folder;
  {
    StoreRunner runner(folder.path());
    runner.put(runner.next_id(), "a", "1");
    runner.put(runner.next_id(), "b", std::string(100'000, 'x'));
    runner.wait_all();
  }
  StoreRunner again(folder.path());
  const auto records = again.load();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].key, "a");
  EXPECT_EQ(*records[0].value, "1");
  EXPECT_EQ(records[1].value->size(), 100'000U);
  EXPECT_GT(again.next_id(), records[1].id);
}

TEST(Store, GivesRecordsInTheOrderOfTheirIds) {
  TempFolder folder;
  {
    StoreRunner runner(folder.path());
    const int64_t first = runner.next_id();
    const int64_t second = runner.next_id();
    runner.put(second, "second", "2");
    runner.put(first, "first", "1");
    runner.put(second, "second", "3");
    runner.wait_all();
  }
  StoreRunner again(folder.path());
  EXPECT_THAT(again.load_keys(), ElementsAre("first", "second"));
}

TEST(Store, ErasesRecords) {
  TempFolder folder;
  {
    StoreRunner runner(folder.path());
    const int64_t id = runner.next_id();
    runner.put(id, "gone", "1");
    runner.put(runner.next_id(), "stays", "2");
    runner.erase(id);
    runner.wait_all();
  }
  StoreRunner again(folder.path());
  EXPECT_THAT(again.load_keys(), ElementsAre("stays"));
}

TEST(Store, KeepsAnyTextAsScopeAndKey) {
  TempFolder folder;
  const std::string odd("\0é\n", 4);
  {
    StoreRunner runner(folder.path());
    runner.put(runner.next_id(), odd, "null");
    runner.put(runner.next_id(), "", "null");
    runner.wait_all();
  }
  StoreRunner again(folder.path());
  EXPECT_THAT(again.load_keys(), ElementsAre(odd, ""));
}

TEST(Store, SharesCommitsAmongWriters) {
  TempFolder folder;
  StoreRunner runner(folder.path());
  for (int i = 0; i < 2'000; ++i) runner.put(runner.next_id(), "k" + std::to_string(i), "1");
  runner.wait_all();
  const StoreCounters counters = runner.store().counters();
  EXPECT_EQ(counters.writes, 2'000U);
  EXPECT_LT(counters.commits, 2'000U);
}

TEST(Store, ReportsWritesInTheOrderTheyWereMade) {
  TempFolder folder;
  StoreRunner runner(folder.path());
  for (int i = 0; i < 200; ++i) runner.put(runner.next_id(), std::to_string(i), "1");
  runner.wait_all();
  EXPECT_TRUE(std::ranges::is_sorted(runner.finished()));
  EXPECT_EQ(runner.finished().size(), 200U);
}

TEST(Store, AnEmptyWriteIsDoneAfterTheWritesBeforeIt) {
  TempFolder folder;
  StoreRunner runner(folder.path());
  runner.put(runner.next_id(), "k", "1");
  runner.write({});
  runner.wait_all();
  EXPECT_THAT(runner.finished(), ElementsAre(0, 1));
  runner.write({});
  EXPECT_THAT(runner.finished(), ElementsAre(0, 1));  // never inside `write`
  runner.wait_all();
  EXPECT_THAT(runner.finished(), ElementsAre(0, 1, 2));
}

TEST(Store, FoldsTheLogWhenItIsFullOfChanges) {
  TempFolder folder;
  StoreLimits limits;
  limits.log_bytes = 64 * 1024;
  StoreRunner runner(folder.path(), limits);
  for (int i = 0; i < 200; ++i) {
    runner.put(runner.next_id(), "k", std::string(2'000, 'x'));
    runner.wait_all();
  }
  EXPECT_GE(runner.store().counters().checkpoints, 1U);
  // Folding loses nothing, and the log starts over instead of growing.
  EXPECT_LT(std::filesystem::file_size(folder.path() / "state.db-wal"), 200U * 2'000U);
}

TEST(Store, RefusesMoreWritesThanTheLimit) {
  TempFolder folder;
  StoreLimits limits;
  limits.max_queued_writes = 3;
  StoreRunner runner(folder.path(), limits);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(runner.put(runner.next_id(), "k", "1"));
  const auto refused = runner.put(runner.next_id(), "k", "1");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "data_busy");
  runner.wait_all();
  EXPECT_TRUE(runner.put(runner.next_id(), "k", "1"));
  runner.wait_all();
}

TEST(Store, RefusesMoreBytesThanTheLimitButTakesOneLargeWrite) {
  TempFolder folder;
  StoreLimits limits;
  limits.max_queued_bytes = 10'000;
  StoreRunner runner(folder.path(), limits);
  EXPECT_TRUE(runner.put(runner.next_id(), "large", std::string(50'000, 'x')));
  EXPECT_FALSE(runner.put(runner.next_id(), "k", "1"));
  runner.wait_all();
  EXPECT_TRUE(runner.put(runner.next_id(), "k", "1"));
  runner.wait_all();
}

TEST(Store, ClosingFlushesAndAnswersEverything) {
  TempFolder folder;
  {
    StoreRunner runner(folder.path());
    for (int i = 0; i < 100; ++i) runner.put(runner.next_id(), std::to_string(i), "1");
    runner.store().close();
    EXPECT_EQ(runner.finished().size(), 100U);
    EXPECT_FALSE(runner.put(runner.next_id(), "late", "1"));
  }
  StoreRunner again(folder.path());
  EXPECT_EQ(again.load().size(), 100U);
}

TEST(Store, TheDestructorFlushesButCallsNobody) {
  TempFolder folder;
  {
    StoreRunner runner(folder.path());
    runner.put(runner.next_id(), "k", "1");
    runner.wait_posted();
    runner.put(runner.next_id(), "l", "1");
    runner.destroy_store();
    runner.run_posted();  // a callback posted before the end does nothing after it
    EXPECT_THAT(runner.finished(), IsEmpty());
  }
  StoreRunner again(folder.path());
  EXPECT_THAT(again.load_keys(), ElementsAre("k", "l"));
}

TEST(Store, MakesAPrivateFolder) {
  TempFolder folder;
  StoreRunner runner(folder.path() / "deep" / "data");
  struct stat info{};
  ASSERT_EQ(::stat((folder.path() / "deep" / "data").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0700U);
  ASSERT_EQ(::stat((folder.path() / "deep" / "data" / "state.db").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
}

TEST(Store, SaysThatTheFolderIsInUse) {
  TempFolder folder;
  StoreRunner runner(folder.path());
  const auto second = Store::open(folder.path(), [](auto) {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, "data_in_use");
  EXPECT_THAT(second.error().message, HasSubstr("--data"));
  EXPECT_THAT(second.error().message, HasSubstr("pid " + std::to_string(::getpid())));
}

TEST(Store, SaysThatTheFolderIsAFile) {
  TempFolder folder;
  std::ofstream(folder.path() / "file") << "x";
  const auto opened = Store::open(folder.path() / "file", [](auto) {});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, "data_error");
}

TEST(Store, RefusesAFileThatIsNoDatabaseAndLeavesIt) {
  TempFolder folder;
  const std::string junk(5'000, 'j');
  std::ofstream(folder.path() / "state.db") << junk;
  const auto opened = Store::open(folder.path(), [](auto) {});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, "data_corrupt");
  EXPECT_EQ(std::filesystem::file_size(folder.path() / "state.db"), junk.size());
}

TEST(Store, FindsAValueThatWasDamaged) {
  TempFolder folder;
  {
    StoreRunner runner(folder.path());
    runner.put(runner.next_id(), "k", "\"a value to be damaged\"");
    runner.wait_all();
  }
  std::fstream file(folder.path() / "state.db", std::ios::in | std::ios::out | std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const size_t at = bytes.find("to be damaged");
  ASSERT_NE(at, std::string::npos);
  file.seekp(static_cast<std::streamoff>(at));
  file << "TO";
  file.close();
  StoreRunner again(folder.path());
  const auto loaded = again.store().load("test", [](Record&&) {});
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, "data_corrupt");
}

TEST(Store, RefusesTheDatabaseOfANewerVersion) {
  TempFolder folder;
  {
    StoreRunner runner(folder.path());
  }
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open((folder.path() / "state.db").c_str(), &db), SQLITE_OK);
  sqlite3_exec(db, "PRAGMA user_version=99", nullptr, nullptr, nullptr);
  sqlite3_close(db);
  const auto opened = Store::open(folder.path(), [](auto) {});
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("newer version"));
}

TEST(MemoryStore, AnswersThroughPost) {
  std::vector<std::move_only_function<void()>> posted;
  auto store = Store::in_memory([&posted](auto f) { posted.push_back(std::move(f)); });
  int done = 0;
  Write write;
  write.done = [&done](Result<void> stored) { done += stored ? 1 : 0; };
  ASSERT_TRUE(store->write(write));
  EXPECT_EQ(done, 0);
  for (auto& f : posted) f();
  EXPECT_EQ(done, 1);
}

}  // namespace
}  // namespace iii::engine
