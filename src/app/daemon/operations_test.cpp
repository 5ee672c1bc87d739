#include "app/daemon/operations.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <utility>

namespace iii::daemon {
namespace {

using testing::HasSubstr;

class Answered final : public net::HttpResponse {
 public:
  void send(int status, net::HttpHeaders, std::string body) override {
    status_ = status;
    body_ = std::move(body);
  }
  void send(int status, net::HttpHeaders, SharedBytes body) override {
    status_ = status;
    body_ = body.bytes;
  }
  void begin_stream(int, net::HttpHeaders) override {}
  void write(std::string_view) override {}
  void write(SharedBytes) override {}
  void end() override {}
  size_t queued_bytes() const override { return 0; }
  bool is_open() const override { return status_ == 0; }
  void on_drained(std::move_only_function<void()>) override {}
  void on_closed(std::move_only_function<void()>) override {}

  int status() const { return status_; }
  const std::string& body() const { return body_; }

 private:
  int status_ = 0;
  std::string body_;
};

class OperationsTest : public testing::Test {
 protected:
  OperationsTest() : operations(*embedded, "1", "serve") { operations.add_to(router); }
  ~OperationsTest() override { embedded->stop(); }

  std::string get(const std::string& path) {
    const auto response = std::make_shared<Answered>();
    router.find("GET", path)->handler({.method = "GET", .path = path}, response);
    return std::to_string(response->status()) + " " + response->body();
  }

  net::Loop loop;
  std::unique_ptr<engine::Embedded> embedded = engine::Embedded::start(loop, {}).value();
  Operations operations;
  net::HttpRouter router;
};

TEST_F(OperationsTest, ReadyFromTheFirstAnswerToTheStop) {
  EXPECT_THAT(get("/healthz/ready"), HasSubstr(R"(503 {"status":"starting","reason":)"));
  EXPECT_EQ(get("/healthz/live"), R"(200 {"status":"ok"})");
  operations.ready();
  EXPECT_EQ(get("/healthz/ready"), R"(200 {"status":"ok"})");
  operations.stopping();
  EXPECT_THAT(get("/healthz/ready"), HasSubstr(R"(503 {"status":"stopping","reason":)"));
  EXPECT_EQ(get("/healthz"), R"(200 {"status":"ok"})");
}

TEST_F(OperationsTest, NotReadyWhileAFolderIsGone) {
  operations.ready();
  std::vector<Operations::Told> looks;
  operations.look_at_folders([&](Operations::Told told) { looks.push_back(std::move(told)); });
  const auto ask = [&] {
    auto response = std::make_shared<Answered>();
    router.find("GET", "/healthz/ready")->handler({}, response);
    return response;
  };
  const auto first = ask(), second = ask();
  ASSERT_EQ(looks.size(), 1U) << "one look for all who wait";
  EXPECT_EQ(first->status(), 0);
  looks[0]("the global folder does not exist any more");
  for (const auto& each : {first, second}) {
    EXPECT_EQ(each->status(), 503);
    EXPECT_THAT(each->body(), HasSubstr(R"({"status":"degraded","reason":"the global folder)"));
  }
  const auto third = ask();
  looks.at(1)(std::nullopt);
  EXPECT_EQ(third->status(), 200);
}

TEST_F(OperationsTest, ProbesNeedNoTokenAndMetricsDo) {
  for (const char* path : {"/healthz", "/healthz/live", "/healthz/ready"}) {
    EXPECT_FALSE(router.find("GET", path)->options.needs_token) << path;
  }
  EXPECT_TRUE(router.find("GET", "/metrics")->options.needs_token);
}

TEST_F(OperationsTest, MetricsAreWrittenElsewhereAndAnsweredLater) {
  const auto response = std::make_shared<Answered>();
  router.find("GET", "/metrics")->handler({.method = "GET", .path = "/metrics"}, response);
  EXPECT_EQ(response->status(), 0);
  loop.after(std::chrono::microseconds(0), [&] {
    // Behind the job of the answer.
    embedded->engine().background().compute(
        engine::kEngineOwner, [] { return 0; }, [&](int) { loop.stop(); });
  });
  loop.run();
  EXPECT_EQ(response->status(), 200);
  EXPECT_THAT(response->body(), HasSubstr("iii_calls_total 0\n"));
}

}  // namespace
}  // namespace iii::daemon
