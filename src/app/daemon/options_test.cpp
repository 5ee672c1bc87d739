#include "app/daemon/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faces/cli/verbs.h"

namespace iii::daemon {
namespace {

using testing::HasSubstr;

Result<ServeOptions> options(std::vector<std::string> words) {
  words.insert(words.end(), {"--data", "unused"});
  const auto args = cli::parse_args(*cli::find_verb("serve"), words);
  if (!args) return std::unexpected(args.error());
  return serve_options(*args);
}

TEST(ServeOptions, StaysOnLoopbackByDefault) {
  const auto o = options({});
  ASSERT_TRUE(o);
  EXPECT_EQ(o->engine.server.host, "127.0.0.1");
  EXPECT_EQ(o->engine.server.port, 49134);
}

TEST(ServeOptions, E25_ListeningBeyondLoopbackNeedsAToken) {
  for (const char* host : {"0.0.0.0", "::", "10.0.0.1", "example.org", "127.evil.test", "127.",
                           "127.1", "1270.0.0.1"}) {
    const auto refused = options({"--host", host});
    ASSERT_FALSE(refused) << host;
    EXPECT_THAT(refused.error().message, HasSubstr("--token"));
    EXPECT_TRUE(options({"--host", host, "--token", "0123456789abcdef"})) << host;
  }
  for (const char* host : {"127.0.0.2", "localhost", "::1", "[::1]", "0:0::1"}) {
    EXPECT_TRUE(options({"--host", host})) << host;
  }
}

TEST(ServeOptions, AnEmptyTokenIsAMistakeAndNotAnOpenDoor) {
  ::setenv("III_TOKEN", "from the environment", 1);
  const auto empty = options({"--token", ""});
  EXPECT_EQ(options({})->engine.access.token, "from the environment");
  EXPECT_EQ(options({"--token", "given on the line"})->engine.access.token, "given on the line");
  ::unsetenv("III_TOKEN");
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().code, "usage");
  EXPECT_THAT(empty.error().message, HasSubstr("III_TOKEN"));
}

TEST(ServeOptions, ATokenThatCouldBeGuessedIsRefused) {
  EXPECT_TRUE(options({"--token", std::string(kMinTokenCharacters, 'x')}));
  const auto refused = options({"--token", std::string(kMinTokenCharacters - 1, 'x')});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "usage");
  EXPECT_THAT(refused.error().message, HasSubstr("--token has fewer than 16 characters"));
  EXPECT_THAT(refused.error().message, HasSubstr("Next: make a token with `openssl rand -hex 32`"));
  EXPECT_FALSE(options({"--token", "éééééééééé"})) << "characters, not bytes";
  ::setenv("III_TOKEN", "short", 1);
  const auto variable = options({});
  ::unsetenv("III_TOKEN");
  ASSERT_FALSE(variable);
  EXPECT_THAT(variable.error().message, HasSubstr("III_TOKEN has fewer"));
}

TEST(ServeOptions, NoVariableIsReadableUnlessNamed) {
  EXPECT_TRUE(options({})->engine.expand_env.empty());
  EXPECT_THAT(options({"--expand-env", "HOST, APP_*", "--expand-env=PORT"})->engine.expand_env,
              testing::ElementsAre("HOST", "APP_*", "PORT"));
  for (const char* list : {"", "*", "A,,B"}) EXPECT_FALSE(options({"--expand-env", list})) << list;
}

TEST(ServeOptions, HttpListensWhereTheBusDoes) {
  const auto usual = options({});
  ASSERT_TRUE(usual);
  EXPECT_EQ(usual->http.port, 3111);
  EXPECT_FALSE(usual->http_port_given);
  const auto o =
      options({"--host", "::1", "--http-port", "0", "--token", "sixteen letters!", "--allow-origin",
               "https://app.example", "--limit", "max_http_body_bytes=10"});
  ASSERT_TRUE(o);
  EXPECT_EQ(o->http.host, "::1");
  EXPECT_EQ(o->http.port, 0);
  EXPECT_TRUE(o->http_port_given);
  EXPECT_EQ(o->http.access.token, "sixteen letters!");
  EXPECT_THAT(o->http.access.allowed_origins, testing::ElementsAre("https://app.example"));
  EXPECT_EQ(o->http.max_body_bytes, 10U);
  EXPECT_FALSE(options({"--http-port", "65536"}));
}

TEST(ServeOptions, LimitsAreSetByName) {
  const auto o = options({"--limit", "max_connections=7", "--limit", "stall_timeout_ms=50"});
  ASSERT_TRUE(o);
  EXPECT_EQ(o->engine.server.max_connections, 7U);
  EXPECT_EQ(o->engine.server.connection.stall_timeout.count(), 50);
  const auto off = options({"--limit", "dead_peer_timeout_ms=0"});
  ASSERT_TRUE(off);
  EXPECT_EQ(off->engine.server.connection.dead_peer_timeout.count(), 0);
}

TEST(DataFolder, ErrorsNameIt) {
  const auto said = [](const char* code, const char* message) {
    return with_data_folder({code, message}, "/var/x").message;
  };
  EXPECT_EQ(said("data_error", "cannot create the data folder: Read-only file system"),
            "data folder /var/x: cannot create the data folder: Read-only file system");
  EXPECT_EQ(said("data_error", "the data folder /var/x belongs to another user"),
            "the data folder /var/x belongs to another user");
  EXPECT_EQ(said("address_in_use", "the port is taken"), "the port is taken");
}

TEST(ServeOptions, MistakesTeach) {
  EXPECT_THAT(options({"--limit", "max_conections=7"}).error().message,
              HasSubstr("Did you mean max_connections?"));
  EXPECT_THAT(options({"--limit", "max_connections"}).error().message,
              HasSubstr("--limit max_connections=N"));
  EXPECT_THAT(options({"--port", "70000"}).error().message, HasSubstr("0 to 65535"));
  EXPECT_THAT(options({"--limit", "max_channels=0"}).error().message, HasSubstr("max_channels"));
}

}  // namespace
}  // namespace iii::daemon
