// Row W04: what a worker says about itself.
#include "bus/sdk/options.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "foundation/json/value.h"

namespace iii::sdk {
namespace {

class Environment : public testing::Test {
 protected:
  Environment() {
    for (const char* name : kNames) ::unsetenv(name);
  }
  ~Environment() override {
    for (const char* name : kNames) ::unsetenv(name);
  }
  static constexpr const char* kNames[] = {
      "III_URL",     "III_WORKER_NAME", "III_NAMESPACE", "III_TOKEN",
      "III_CA_FILE", "III_ISOLATION",   "LC_ALL",        "LANG"};
};

TEST_F(Environment, DefaultsStandInWhenNothingIsSet) {
  const WorkerOptions options = with_environment({});
  EXPECT_EQ(options.url, "ws://127.0.0.1:49134");
  EXPECT_TRUE(options.name.ends_with(":" + std::to_string(::getpid()))) << options.name;
  EXPECT_EQ(options.name_space, "");
  EXPECT_EQ(options.token, "");
}

TEST_F(Environment, FillsWhatIsBlankAndNothingElse) {
  ::setenv("III_URL", "ws://engine:1", 1);
  ::setenv("III_WORKER_NAME", "from-env", 1);
  ::setenv("III_NAMESPACE", "  ", 1);
  ::setenv("III_TOKEN", "secret", 1);
  ::setenv("III_CA_FILE", "ca.pem", 1);
  const WorkerOptions options = with_environment({.name = "mine"});
  EXPECT_EQ(options.url, "ws://engine:1");
  EXPECT_EQ(options.name, "mine");
  EXPECT_EQ(options.name_space, "");
  EXPECT_EQ(options.token, "secret");
  EXPECT_EQ(options.ca_file, "ca.pem");
  EXPECT_EQ(with_environment({.ca_file = "own.pem"}).ca_file, "own.pem");
  EXPECT_EQ(with_environment({}).name, "from-env");
}

TEST_F(Environment, TheAnnouncementNamesRuntimePidAndFramework) {
  ::setenv("LANG", "de_AT.UTF-8", 1);
  const auto data =
      json::parse(announcement(with_environment({.name = "w", .version = "1.2.3"}))).value();
  EXPECT_EQ(*data.find("runtime"), json::Value("cpp"));
  EXPECT_EQ(*data.find("version"), json::Value("1.2.3"));
  EXPECT_EQ(*data.find("name"), json::Value("w"));
  EXPECT_EQ(*data.find("pid"), json::Value(static_cast<int64_t>(::getpid())));
  EXPECT_TRUE(data.find("os")->as_string()->starts_with("linux "));
  EXPECT_TRUE(data.find("isolation")->is_null());
  EXPECT_EQ(*data.find("telemetry"), *json::parse(R"({"language":"de-AT","framework":"iii-cpp"})"));
  for (const char* absent : {"description", "namespace", "features"}) {
    EXPECT_EQ(data.find(absent), nullptr) << absent;
  }
}

TEST_F(Environment, WhatIsSetIsAnnounced) {
  ::setenv("III_ISOLATION", "docker", 1);
  const auto data =
      json::parse(announcement(with_environment(
                      {.description = "d", .name_space = "orders", .project_name = "p"})))
          .value();
  EXPECT_EQ(*data.find("isolation"), json::Value("docker"));
  EXPECT_EQ(*data.find("description"), json::Value("d"));
  EXPECT_EQ(*data.find("namespace"), json::Value("orders"));
  EXPECT_EQ(*data.find("telemetry")->find("project_name"), json::Value("p"));
}

}  // namespace
}  // namespace iii::sdk
