// For tests: a registry client with a clock of the test's, before a server of the test's.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "directory/sources/http_server_for_test.h"
#include "directory/sources/registry_client.h"
#include "foundation/json/write.h"

namespace iii::sources {

class RegistryTest : public testing::Test {
 protected:
  using Reply = TestServer::Reply;
  using Fault = TestServer::Reply::Fault;
  using Request = TestServer::Request;
  using Clock = std::chrono::steady_clock;
  using Millis = std::chrono::milliseconds;

  RegistryTest() : server([this](const Request& request) { return answer(request); }) {
    options.url = server.url() + "//";
    options.timeout = Millis(30'000);
    clock.now = [this] {
      const std::lock_guard lock(mutex);
      return Clock::time_point(std::chrono::hours(1000)) + passed;
    };
    clock.sleep = [this](Millis pause, const Job&) {
      const std::lock_guard lock(mutex);
      pauses.push_back(pause);
      passed += pause;
    };
    clock.random = [] { return 0.0; };
  }

  Registry& registry() {
    if (registry_ == nullptr) registry_ = std::make_unique<Registry>(options, clock);
    return *registry_;
  }
  void pass(Millis time) {
    const std::lock_guard lock(mutex);
    passed += time;
  }

  static RegistrySource latest(std::string worker) {
    return {.worker = std::move(worker), .version = {}, .tag = "latest"};
  }
  std::string list_refusal(const std::string& search = "") {
    const auto answer = registry().list(search, "", job);
    return answer ? "answered " + json::to_text(answer->value) : checked_message(answer.error());
  }
  std::string info_refusal(const RegistrySource& source) {
    const auto answer = registry().info(source, job);
    return answer ? "answered " + json::to_text(answer->value) : checked_message(answer.error());
  }
  std::string bundle_refusal(const RegistrySource& source) {
    const auto bundle = registry().bundle(source, job);
    return bundle ? "answered" : checked_message(bundle.error());
  }
  // No error may say where the registry is or what it said.
  std::string checked_message(const Error& error) const {
    EXPECT_TRUE(error.message.starts_with(error.code + " ")) << error.message;
    for (const std::string& secret :
         {std::string("127.0.0.1"), std::string("localhost"), std::to_string(server.port()),
          std::string("not for callers"), std::string("http:"), std::string("/w")}) {
      EXPECT_EQ(error.message.find(secret), std::string::npos) << error.message;
    }
    return error.message;
  }
  size_t count(const std::string& target) {
    const auto all = server.targets();
    return static_cast<size_t>(std::count(all.begin(), all.end(), target));
  }

  // What the server answers by target, in turn; the last one for ever. Other targets: 404.
  void set(const std::string& target, std::vector<Reply> replies) {
    const std::lock_guard lock(mutex);
    replies_[target] = std::move(replies);
  }

  std::mutex mutex;
  Millis passed{0};            // under mutex
  std::vector<Millis> pauses;  // under mutex
  std::function<void(const Request&)> before_answer;
  Job job;
  RegistryClock clock;
  RegistryOptions options;
  TestServer server;

 private:
  Reply answer(const Request& request) {
    if (before_answer) before_answer(request);
    const std::lock_guard lock(mutex);
    const auto found = replies_.find(request.target);
    if (found == replies_.end()) {
      return {.status = 404, .body = R"({"error":{"message":"not for callers"}})"};
    }
    auto& replies = found->second;
    Reply reply = replies.front();
    if (replies.size() > 1) replies.erase(replies.begin());
    return reply;
  }

  std::map<std::string, std::vector<Reply>> replies_;  // under mutex
  std::unique_ptr<Registry> registry_;
};

}  // namespace iii::sources
