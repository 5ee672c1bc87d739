// Automatic downloads against a registry on a socket; pauses pass when the test says so.
#include "directory/installing/auto_download.h"

#include <gmock/gmock.h>

#include <atomic>
#include <optional>

#include "directory/installing/downloader.h"
#include "directory/reading/changes.h"
#include "directory/reading/fixture_for_test.h"
#include "directory/sources/http_server_for_test.h"
#include "directory/sources/installer_fixture_for_test.h"
#include "foundation/base/fake_timers.h"

namespace iii::directory {
namespace {

using sources::TestServer;
using std::chrono::milliseconds;
using testing::IsEmpty;

class AutoDownloadTest : public DirectoryTest {
 protected:
  AutoDownloadTest() { manager = Manager::kAnswers; }

  void begin() {
    sources::DownloadsOptions options;
    options.skills_folder = folder.path();
    options.registry.url = server.url();
    options.registry.retries = 0;
    options.registry.cache_ttl = milliseconds(0);
    downloads = std::make_shared<sources::Downloads>(options);
    open_library();
    changes = std::make_unique<Changes>(worker, *library);
    downloader = std::make_unique<Downloader>(worker, *changes, *library, downloads, 2);
    automatic.emplace(worker, table, *downloader,
                      AutoDownloadOptions{.local_folder = tree.at("no-local"),
                                          .pause = milliseconds(1'000),
                                          .max_pause = milliseconds(8'000),
                                          .timers = &timers});
    serve();
  }
  void TearDown() override {
    DirectoryTest::TearDown();
    automatic.reset();
    downloader.reset();
    changes.reset();
  }

  // Runs the loop until the registry was asked that often for documents of a worker and nothing is
  // under way any more.
  void run_until_asked(const std::string& name, size_t times) {
    engine.run_until([&] { return asked(name) >= times && timers.pending() >= pausing; });
    EXPECT_EQ(asked(name), times);
  }
  size_t asked(const std::string& name) {
    size_t count = 0;
    for (const std::string& target : server.targets()) {
      count += target.starts_with("/w/" + name + "/skills") ? 1 : 0;
    }
    return count;
  }
  bool is_here(const std::string& name) const {
    return std::filesystem::exists(folder.path(name + "/SKILL.md"));
  }

  TestServer::Reply answer(const TestServer::Request& request) {
    if (!request.target.starts_with("/w/mail/")) return {.status = 404};
    if (away) return {.status = 503};
    return {.body = R"({"name":"mail","version":"1.0.0",
                        "skills":[{"path":"SKILL.md","content":"# m\n"}]})"};
  }

  sources::SkillsFolder folder;
  std::atomic<bool> away = false;
  size_t pausing = 0;  // timers that are expected to run
  FakeTimers timers;
  TestServer server{[this](const TestServer::Request& request) { return answer(request); }};
  std::shared_ptr<sources::Downloads> downloads;
  std::unique_ptr<Changes> changes;
  std::unique_ptr<Downloader> downloader;
  std::optional<AutoDownload> automatic;
};

TEST_F(AutoDownloadTest, W16_AnOutageIsWaitedOutHoweverLongItLasts) {
  workers = R"({"workers":[{"name":"mail","version":"1.0.0"}]})";
  away = true;
  pausing = 1;
  begin();
  run_until_asked("mail", 1);
  for (size_t attempt = 2; attempt <= 20; ++attempt) {
    timers.advance(milliseconds(8'000));  // the longest pause
    run_until_asked("mail", attempt);
  }
  away = false;
  timers.advance(milliseconds(8'000));
  engine.run_until([this] { return is_here("mail"); });
}

TEST_F(AutoDownloadTest, W16_PausesGrowUpToALimit) {
  workers = R"({"workers":[{"name":"mail","version":"1.0.0"}]})";
  away = true;
  pausing = 1;
  begin();
  run_until_asked("mail", 1);
  size_t attempt = 1;
  for (const int pause : {1'000, 2'000, 4'000, 8'000, 8'000}) {
    timers.advance(milliseconds(pause - 1));
    EXPECT_EQ(timers.pending(), 1U);
    timers.advance(milliseconds(1));
    run_until_asked("mail", ++attempt);
  }
}

TEST_F(AutoDownloadTest, OnlyFinalAnswersAreRemembered) {
  workers = R"({"workers":[{"name":"nobody"}]})";
  begin();
  engine.run_until([this] { return asked("nobody") == 1 && asked("iii") == 1; });
  // What the registry does not have is not asked for again. The third question comes when the
  // second round is over.
  for (size_t round = 2; round <= 3; ++round) {
    outcome(send("directory::__on_worker_added", R"({"worker":"mail","version":"1.0.0"})"));
    engine.run_until([&] { return questions.size() >= round; });
  }
  EXPECT_TRUE(is_here("mail"));
  EXPECT_EQ(asked("nobody"), 1U);
  EXPECT_EQ(timers.pending(), 0U);
}

TEST_F(AutoDownloadTest, AnEventEndsThePause) {
  workers = R"({"workers":[{"name":"mail","version":"1.0.0"}]})";
  away = true;
  pausing = 1;
  begin();
  run_until_asked("mail", 1);
  away = false;
  outcome(send("directory::__on_worker_added", R"({"worker":"mail","version":"1.0.0"})"));
  EXPECT_TRUE(is_here("mail"));
  EXPECT_EQ(timers.pending(), 0U);
}

TEST_F(AutoDownloadTest, ANamespaceWhoseFolderWasDeletedComesBack) {
  ASSERT_TRUE(folder.install(sources::bundle_of("1.0.0", {{"SKILL.md", "# m\n"}}, "mail"),
                             {.automatic = true}));
  std::filesystem::remove_all(folder.path("mail"));
  workers = R"({"workers":[{"name":"mail","version":"1.0.0"}]})";
  begin();
  engine.run_until([this] { return is_here("mail"); });
}

class MissingWorkers : public testing::Test {
 protected:
  MissingWorkers() {
    sources::DownloadsOptions options;
    options.skills_folder = folder.path();
    downloads = std::make_unique<sources::Downloads>(options);
  }
  std::vector<WantedWorker> missing() const {
    return missing_workers({{.name = "mail", .version = "1.0.0"}}, *downloads, "/nonexistent");
  }

  sources::SkillsFolder folder;
  std::unique_ptr<sources::Downloads> downloads;
};

TEST_F(MissingWorkers, AFolderThatWasDeletedIsMissing) {
  const sources::Bundle bundle = sources::bundle_of("1.0.0", {{"SKILL.md", "x"}}, "mail");
  ASSERT_TRUE(folder.install(bundle, {.automatic = true}));
  EXPECT_THAT(missing(), IsEmpty());
  std::filesystem::remove_all(folder.path("mail"));
  ASSERT_EQ(missing().size(), 1U);
  EXPECT_FALSE(missing().front().as_before);
}

TEST_F(MissingWorkers, WhatAPersonChoseComesBackAsItWasChosen) {
  sources::Bundle bundle = sources::bundle_of("0.9.0", {{"SKILL.md", "x"}}, "mail");
  bundle.source = sources::RegistrySource{"mail", "0.9.0", std::nullopt};
  ASSERT_TRUE(folder.install(bundle));
  EXPECT_THAT(missing(), IsEmpty()) << "a pin";
  std::filesystem::remove_all(folder.path("mail"));
  ASSERT_EQ(missing().size(), 1U);
  EXPECT_EQ(missing().front().as_before, bundle.source);
}

}  // namespace
}  // namespace iii::directory
