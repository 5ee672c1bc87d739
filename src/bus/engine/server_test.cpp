// Who may come in (row E25). What each path leads to is tested over sockets, in tests/e2e.
#include "bus/engine/server.h"

#include <gtest/gtest.h>

namespace iii::engine {
namespace {

ws::UpgradeRequest request(std::vector<ws::Header> headers, std::string target = "/") {
  return {.method = "GET", .target = std::move(target), .headers = std::move(headers)};
}

int status(const Access& access, const ws::UpgradeRequest& wanted) {
  const auto refusal = check_access(access, wanted);
  return refusal ? refusal->status : 101;
}

TEST(EngineAccess, E25_WithoutRulesProgramsComeInAndWebPagesDoNot) {
  EXPECT_EQ(status({}, request({})), 101);
  EXPECT_EQ(status({}, request({{"Origin", "https://evil.example"}})), 403);
  EXPECT_EQ(status({}, request({{"origin", "null"}})), 403);
  EXPECT_EQ(status({}, request({{"Origin", ""}})), 403);
}

TEST(EngineAccess, E25_OnlyTheConfiguredOriginsMayConnect) {
  const Access access{.token = {}, .allowed_origins = {"http://localhost:3000", "null"}};
  EXPECT_EQ(status(access, request({{"Origin", "http://localhost:3000"}})), 101);
  EXPECT_EQ(status(access, request({{"Origin", "null"}})), 101);
  EXPECT_EQ(status(access, request({{"Origin", "http://localhost:30000"}})), 403);
  EXPECT_EQ(status(access, request({{"Origin", "http://localhost"}})), 403);
  EXPECT_EQ(status(access, request({{"Origin", "https://localhost:3000"}})), 403);
}

TEST(EngineAccess, E25_ATokenIsMandatoryOnEveryPath) {
  const Access access{.token = "secret", .allowed_origins = {}};
  for (const char* path : {"/", "/otel", "/ws/channels/x?key=y&dir=read", "/nowhere"}) {
    EXPECT_EQ(status(access, request({}, path)), 401) << path;
    EXPECT_EQ(status(access, request({{"Authorization", "Bearer secret"}}, path)), 101) << path;
  }
}

TEST(EngineAccess, E25_OnlyTheWholeTokenCounts) {
  const Access access{.token = "secret", .allowed_origins = {}};
  for (const char* wrong : {"", "Bearer", "Bearer ", "Bearer secre", "Bearer secrets", "secret",
                            "Basic secret", "Bearer SECRET", "Bearer secretsecret"}) {
    EXPECT_EQ(status(access, request({{"Authorization", wrong}})), 401) << wrong;
  }
  EXPECT_EQ(status(access, request({{"authorization", "bearer  secret "}})), 101);
  EXPECT_TRUE(check_access(access, request({{"Authorization", "Bearer x"}}))->wrong_token);
  EXPECT_FALSE(check_access(access, request({}))->wrong_token) << "none is not a wrong one";
}

TEST(EngineAccess, E25_ATokenInTheQueryDoesNotCount) {
  EXPECT_EQ(status({.token = "secret", .allowed_origins = {}}, request({}, "/?token=secret")), 401);
}

TEST(EngineAccess, E25_ATokenDoesNotLetAForeignPageIn) {
  const Access access{.token = "secret", .allowed_origins = {}};
  EXPECT_EQ(status(access, request({{"Authorization", "Bearer secret"},
                                    {"Origin", "https://evil.example"}})),
            403);
}

TEST(EngineAccess, E25_RefusalsTeachAndNameTheScheme) {
  const auto refusal = check_access({.token = "secret", .allowed_origins = {}}, request({}));
  ASSERT_TRUE(refusal);
  ASSERT_EQ(refusal->headers.size(), 1U);
  EXPECT_EQ(refusal->headers[0].name, "WWW-Authenticate");
  EXPECT_EQ(refusal->body.find("secret"), std::string::npos);
}

}  // namespace
}  // namespace iii::engine
