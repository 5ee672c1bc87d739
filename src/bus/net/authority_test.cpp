#include "bus/net/authority.h"

#include <gtest/gtest.h>

namespace iii::net {
namespace {

TEST(Authority, HostAndPort) {
  struct Case {
    const char* text;
    const char* host;
    std::optional<uint16_t> port;
  };
  const Case cases[] = {
      {"localhost", "localhost", {}},
      {"localhost:3111", "localhost", 3111},
      {"localhost:", "localhost", {}},
      {"a_b.c-d.example.", "a_b.c-d.example.", {}},
      {"127.0.0.1:65535", "127.0.0.1", 65535},
      {"[::1]", "::1", {}},
      {"[::1]:1", "::1", 1},
      {"[fe80::1%eth0]:80", "fe80::1%eth0", 80},
  };
  for (const Case& c : cases) {
    const Result<Authority> read = parse_authority(c.text);
    ASSERT_TRUE(read) << c.text;
    EXPECT_EQ(read->host, c.host) << c.text;
    EXPECT_EQ(read->port, c.port) << c.text;
  }
}

TEST(Authority, AnythingElseIsRefused) {
  for (const char* text : {"",
                           ":",
                           ":80",
                           "localhost:3111@evil.example",
                           "localhost@evil.example",
                           "u:p@localhost",
                           "localhost:80:90",
                           "localhost:80/",
                           "localhost/",
                           "localhost?",
                           "localhost#x",
                           "local host",
                           "localhost:0",
                           "localhost:65536",
                           "localhost:+1",
                           "localhost:-1",
                           "localhost:1x",
                           "localhost: 1",
                           "localhost,evil.example",
                           "localhost%00",
                           "localhost\\",
                           "::1",
                           "[::1",
                           "[::1]x",
                           "[::1]3111",
                           "[localhost]",
                           "[]",
                           "[127.0.0.1]",
                           "[::1%]]",
                           "\xc3\xbc.example"}) {
    const Result<Authority> read = parse_authority(text);
    EXPECT_FALSE(read) << text;
  }
}

}  // namespace
}  // namespace iii::net
