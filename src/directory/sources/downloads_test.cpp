// `outdated`, `update` and `restore` over all that is locked, with a registry on a socket.
#include "directory/sources/downloads.h"

#include <gmock/gmock.h>

#include <condition_variable>
#include <memory>
#include <mutex>

#include "directory/sources/downloads_fixture_for_test.h"
#include "directory/sources/http_server_for_test.h"
#include "directory/sources/installer_fixture_for_test.h"
#include "foundation/base/sha256.h"

namespace iii::sources {
namespace {

using std::chrono::milliseconds;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class DownloadsTest : public testing::Test {
 protected:
  using Request = TestServer::Request;
  using Reply = TestServer::Reply;

  std::unique_ptr<Downloads> downloads(milliseconds timeout = milliseconds(60'000)) const {
    DownloadsOptions options;
    options.skills_folder = folder.path();
    options.registry.url = server.url();
    options.registry.retries = 0;
    options.registry.cache_ttl = milliseconds(0);
    options.timeout = timeout;
    return std::make_unique<Downloads>(options);
  }
  void lock(const std::vector<std::string>& workers) const {
    for (const std::string& worker : workers) {
      ASSERT_TRUE(folder.install(bundle_of("1.0.0", {{"SKILL.md", "one"}}, worker)));
    }
  }
  static std::string worker_of(const Request& request) {
    const std::string rest = request.target.substr(3);
    return rest.substr(0, rest.find_first_of("/?"));
  }
  // Details of every worker say this version; bundles have one file.
  Reply answer(const Request& request) {
    if (before_answer) before_answer(request);
    const std::string name = worker_of(request);
    if (request.target.find("/skills") == std::string::npos) {
      return {.body = R"({"worker":{"name":")" + name + R"(","version":")" + version + "\"}}"};
    }
    return {.body = R"({"name":")" + name + R"(","version":")" + version +
                    R"(","skills":[{"path":"SKILL.md","content":"two"}]})"};
  }

  const SkillsFolder folder;
  std::string version = "2.0.0";
  std::function<void(const Request&)> before_answer;
  TestServer server{[this](const Request& request) { return answer(request); }};
};

TEST_F(DownloadsTest, OutdatedComparesWithoutFetchingBundles) {
  lock({"a", "b"});
  const auto rows = outdated(*downloads());
  ASSERT_TRUE(rows);
  for (const OutdatedRow& row : *rows) {
    EXPECT_EQ(row.current + " " + row.latest.value_or(""), "1.0.0 2.0.0");
    EXPECT_TRUE(row.outdated);
  }
  EXPECT_THAT(server.targets(), Each(Not(HasSubstr("/skills"))));
  EXPECT_EQ(server.targets().size(), 2U);
}

// A namespace whose source is silent uses up its own time and nobody else's: the others are asked
// meanwhile and afterwards.
TEST_F(DownloadsTest, OutdatedGivesEachNamespaceItsOwnDeadline) {
  std::vector<std::string> names;
  for (char c = 'a'; c <= 'l'; ++c) names.emplace_back(1, c);
  lock(names);
  // Shared with the server's threads, which may still answer when this function has returned.
  struct Gate {
    std::mutex mutex;
    std::condition_variable opened;
    bool open = false;
  };
  const auto gate = std::make_shared<Gate>();
  before_answer = [gate](const Request& request) {
    if (worker_of(request) > "d") return;
    std::unique_lock guard(gate->mutex);  // the first four, which are asked together
    gate->opened.wait(guard, [&gate] { return gate->open; });
  };
  const auto all = downloads(milliseconds(400));
  const auto rows = outdated(*all, all->job());
  {
    const std::lock_guard guard(gate->mutex);
    gate->open = true;
  }
  gate->opened.notify_all();
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), names.size());
  for (const OutdatedRow& row : *rows) {
    EXPECT_EQ(row.error.has_value(), row.name_space <= "d") << row.name_space;
    if (!row.error) EXPECT_EQ(row.latest, "2.0.0") << row.name_space;
  }
}

TEST_F(DownloadsTest, OutdatedNamesFilesThatWereKept) {
  lock({"a"});
  folder.put("a/SKILL.md", "my own words");
  const auto all = downloads();
  const auto updated = update(*all);
  ASSERT_TRUE(updated && updated->front().report);
  EXPECT_THAT(updated->front().report->conflicts, ElementsAre("SKILL.md"));
  auto rows = outdated(*all);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->front().current, rows->front().latest);
  EXPECT_THAT(rows->front().kept, ElementsAre("SKILL.md"));
  EXPECT_FALSE(rows->front().outdated) << "an edit here is nothing newer there";
  folder.put("a/SKILL.md", "two");
  rows = outdated(*all);
  EXPECT_THAT(rows->front().kept, IsEmpty());
  EXPECT_FALSE(rows->front().outdated);
}

TEST_F(DownloadsTest, AFixOfOursDoesNotKeepAnUpdateOut) {
  lock({"a"});
  folder.put("a/SKILL.md", "mended");
  ASSERT_TRUE(Installer(folder.path())
                  .record_fixes({{"a/SKILL.md", sha256_hex("one"), sha256_hex("mended")}}, {}));
  const auto all = downloads();
  const auto updated = update(*all);
  ASSERT_TRUE(updated && updated->front().report);
  EXPECT_THAT(updated->front().report->conflicts, IsEmpty());
  EXPECT_EQ(folder.get("a/SKILL.md"), "two");
  EXPECT_FALSE(outdated(*all)->front().outdated);
}

TEST_F(DownloadsTest, RestoreRefusesWhatIsNotTheVersionOfTheLock) {
  lock({"a"});
  std::filesystem::remove_all(folder.path("a"));
  const auto restored = restore(*downloads());
  ASSERT_TRUE(restored && restored->front().error);
  EXPECT_THAT(*restored->front().error, HasSubstr("D314"));
  EXPECT_FALSE(std::filesystem::exists(folder.path("a")));
}

}  // namespace
}  // namespace iii::sources
