// directory::lock::* against a registry on a socket.
#include "directory/installing/lock.h"

#include <gmock/gmock.h>

#include <condition_variable>
#include <functional>
#include <mutex>

#include "directory/installing/downloader.h"
#include "directory/reading/changes.h"
#include "directory/reading/fixture_for_test.h"
#include "directory/sources/http_server_for_test.h"
#include "directory/sources/installer_fixture_for_test.h"

namespace iii::directory {
namespace {

using sources::TestServer;

class LockFunctions : public DirectoryTest {
 protected:
  void begin() {
    sources::DownloadsOptions options;
    options.skills_folder = folder.path();
    options.registry.url = server.url();
    options.registry.cache_ttl = std::chrono::milliseconds(0);
    open_library();
    changes = std::make_unique<Changes>(worker, *library);
    downloader = std::make_unique<Downloader>(worker, *changes, *library,
                                              std::make_shared<sources::Downloads>(options), 2);
    add_lock_functions(table, *downloader);
    serve();
  }
  void TearDown() override {
    DirectoryTest::TearDown();
    downloader.reset();
    changes.reset();
  }
  void install(const std::string& name) {
    sources::Bundle bundle = sources::bundle_of("1.0.0", {{"z.md", "text"}}, name);
    std::get<sources::RegistrySource>(bundle.source) = {
        .worker = name, .version = {}, .tag = "latest"};
    ASSERT_TRUE(folder.install(bundle));
  }

  sources::SkillsFolder folder;
  std::function<void()> before_answer;
  TestServer server{[this](const TestServer::Request& request) -> TestServer::Reply {
    const std::string name = request.target.substr(3, request.target.find('/', 3) - 3);
    if (before_answer) before_answer();
    return {.body = R"({"name":")" + name + R"(","version":"2.0.0",
                        "skills":[{"path":"SKILL.md","content":"# two\n"}]})"};
  }};
  std::unique_ptr<Changes> changes;
  std::unique_ptr<Downloader> downloader;
};

TEST_F(LockFunctions, AnEditBehindAThousandExtraFilesIsAnEdit) {
  install("mail");
  folder.put("mail/z.md", "edited");
  for (int i = 0; i < 1'001; ++i) folder.put("mail/a" + std::to_string(i), "extra");
  begin();
  const json::Value answer = ask("directory::lock::list");
  EXPECT_EQ(text(answer.find("namespaces")->as_array()->front(), "state"), "edited");
}

TEST_F(LockFunctions, WhatOnlyReadsTakesNoForce) {
  begin();
  for (const json::Value& frame : engine.of_type("registerfunction")) {
    const std::string id = text(frame, "id");
    if (id != "directory::lock::verify" && id != "directory::lock::outdated") continue;
    const json::Value* inputs = frame.find("request_format")->find("properties");
    EXPECT_EQ(inputs->find("force"), nullptr) << id;
    EXPECT_EQ(inputs->find("stop_at_risks"), nullptr) << id;
  }
}

TEST_F(LockFunctions, AnUpdateOfSeveralLooksAtTheFoldersOnce) {
  gather = std::chrono::hours(1);  // only calls look at the folders
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) install(name);
  begin();
  const uint64_t before = library->refreshes().count;
  const json::Value answer = ask("directory::lock::update");
  EXPECT_EQ(answer.find("namespaces")->as_array()->size(), 6U);
  EXPECT_LE(library->refreshes().count - before, 2U);
}

TEST_F(LockFunctions, SourcesAreAskedAFewAtATime) {
  std::mutex mutex;
  std::condition_variable together;
  size_t waiting = 0;
  for (const char* name : {"a", "b", "c"}) install(name);
  before_answer = [&] {
    std::unique_lock guard(mutex);
    ++waiting;
    together.notify_all();
    together.wait(guard, [&] { return waiting >= 3; });
  };
  begin();
  const json::Value answer = ask("directory::lock::outdated");
  EXPECT_EQ(text(answer.find("namespaces")->as_array()->front(), "state"), "outdated");
}

TEST_F(LockFunctions, ADryRunAnswersThePlanAndWritesNothing) {
  install("mail");
  const sources::Files before = folder.picture();
  begin();
  const json::Value answer = ask("directory::lock::update", R"({"dry_run":true})");
  const json::Value* result = answer.find("namespaces")->as_array()->front().find("result");
  ASSERT_NE(result, nullptr) << json::to_text(answer);
  std::vector<std::string> files;
  for (const json::Value& file : *result->find("files")->as_array()) {
    files.push_back(text(file, "change") + " " + text(file, "path"));
  }
  EXPECT_THAT(files, testing::ElementsAre("added SKILL.md", "removed z.md"));
  const json::Value gone =
      ask("directory::skills::remove", R"({"namespace":"mail","dry_run":true})");
  EXPECT_EQ(gone.find("removed")->as_array()->size(), 1U);
  EXPECT_EQ(folder.picture(), before);
}

}  // namespace
}  // namespace iii::directory
