#include "bus/net/http_access.h"

#include <gmock/gmock.h>

#include "bus/net/http_fixture_for_test.h"
#include "foundation/base/fake_timers.h"

namespace iii::net {
namespace {

using ::testing::HasSubstr;

int verdict(const HttpAccess& access, std::string_view host, const char* origin = nullptr) {
  HttpRequest head;
  if (origin != nullptr) head.headers.push_back({"Origin", origin});
  const auto refusal = check_host_and_origin(access, host, head);
  return refusal ? refusal->status : 200;
}

TEST(HttpAccess, NamesOfThisMachine) {
  const HttpAccess access{.hosts = {"127.0.0.1"}};
  for (const char* host : {"", "localhost", "LOCALHOST:3111", "localhost.", "127.0.0.1",
                           "127.0.0.1:3111", "127.1.2.3:80", "[::1]", "[::1]:3111"}) {
    EXPECT_EQ(verdict(access, host), 200) << host;
  }
  for (const char* host :
       {"evil.example", "evil.example:3111", "localhost.evil.example", "127.0.0.1.evil.example",
        "192.168.1.2", "[::2]:3111", "[::1", "::", "0.0.0.0", "2130706433",
        "127.0.0.1@evil.example", "evil.example:80:90", "localhost:3111@evil.example",
        "localhost:@evil.example", "[::1]@evil.example", "localhost:3111/", "localhost:x"}) {
    EXPECT_EQ(verdict(access, host), 403) << host;
  }
}

TEST(HttpAccess, ConfiguredNames) {
  EXPECT_EQ(verdict({.hosts = {"box.example"}}, "BOX.example:3111"), 200);
  EXPECT_EQ(verdict({.hosts = {"box.example"}}, "other.example:3111"), 403);
  EXPECT_EQ(verdict({.hosts = {"fe80::1"}}, "[fe80::1]:3111"), 200);
  EXPECT_EQ(verdict({.hosts = {"0.0.0.0"}}, "any.example"), 200);
  EXPECT_EQ(verdict({.hosts = {"::"}}, "any.example"), 200);
  EXPECT_EQ(verdict({.hosts = {"::"}}, "any.example@other.example"), 403) << "not a host at all";
  EXPECT_EQ(verdict({.hosts = {"[fe80::1]"}}, "[fe80::1]"), 200);
  EXPECT_EQ(verdict({.allowed_origins = {"https://app.example"}}, "app.example:3111"), 200);
}

TEST(HttpAccess, Origins) {
  const HttpAccess access{.allowed_origins = {"https://app.example", "null"},
                          .hosts = {"127.0.0.1"}};
  EXPECT_EQ(verdict(access, "127.0.0.1:3111", "https://app.example"), 200);
  EXPECT_EQ(verdict(access, "127.0.0.1:3111", "null"), 200);
  EXPECT_EQ(verdict(access, "127.0.0.1:3111", "http://127.0.0.1:3111"), 200) << "our own page";
  EXPECT_EQ(verdict(access, "localhost:3111", "http://localhost:3111"), 200);
  EXPECT_EQ(verdict({}, "127.0.0.1:3111", "null"), 403);
  for (const char* origin : {"http://app.example", "https://app.example:444",
                             "https://evil.example", "https://app.example.evil.example",
                             "http://127.0.0.1:8080", "", "https://127.0.0.1:3111"}) {
    EXPECT_EQ(verdict(access, "127.0.0.1:3111", origin), 403) << origin;
  }
  // A page whose name was made to resolve to this machine is its own origin, but not our host.
  EXPECT_EQ(verdict(access, "evil.example:3111", "http://evil.example:3111"), 403);
}

TEST(HttpAccess, SeveralOriginsAreRefused) {
  HttpRequest head;
  head.headers = {{"Origin", "https://app.example"}, {"origin", "https://evil.example"}};
  EXPECT_TRUE(
      check_host_and_origin({.allowed_origins = {"https://app.example"}}, "localhost", head));
}

TEST(HttpAccess, Token) {
  const auto verdict_of = [](std::string token, const char* authorization) {
    HttpRequest head;
    if (authorization != nullptr) head.headers.push_back({"Authorization", authorization});
    const auto refusal = check_token({.token = std::move(token)}, head);
    return refusal ? refusal->status : 200;
  };
  EXPECT_EQ(verdict_of("", nullptr), 200);
  EXPECT_EQ(verdict_of("", "Bearer anything"), 200);
  EXPECT_EQ(verdict_of("secret", "Bearer secret"), 200);
  EXPECT_EQ(verdict_of("secret", "bearer  secret "), 200);
  for (const char* wrong : {"secret", "Basic secret", "Bearer", "Bearer ", "Bearer secre",
                            "Bearer secrets", "Bearer secretsecret", "Bearer SECRET"}) {
    EXPECT_EQ(verdict_of("secret", wrong), 401) << wrong;
  }
  EXPECT_EQ(verdict_of("secret", nullptr), 401);
}

class HttpAccessTest : public HttpTest {
 protected:
  HttpAccessTest() {
    router.get("/open", [](HttpRequest, Response response) { response->send(200, {}, "open"); },
               {.needs_token = false});
  }
  static std::string from(std::string_view origin) {
    return "Origin: " + std::string(origin) + "\r\n";
  }
};

TEST_F(HttpAccessTest, RefusedRequestReachesNoHandlerAndItsBodyIsNotRead) {
  listen({.access = {.token = "secret"}});
  const std::string announced = "Content-Length: 1000\r\n";
  const auto foreign = exchange(request("POST", "/echo", announced + from("http://evil.example")));
  EXPECT_EQ(foreign.at(0).status, 403);
  EXPECT_EQ(foreign.at(0).header("access-control-allow-origin"), "");
  const auto rebound =
      exchange("POST /echo HTTP/1.1\r\nHost: evil.example:3111\r\n" + announced + "\r\n");
  EXPECT_EQ(rebound.at(0).status, 403);
  const auto nobody = exchange(request("POST", "/echo", announced));
  EXPECT_EQ(nobody.at(0).status, 401);
  EXPECT_EQ(nobody.at(0).header("www-authenticate"), "Bearer");
  EXPECT_EQ(status_of(request("GET", "/nothing")), 401) << "paths are not for everybody to know";
  EXPECT_EQ(echoed, 0);
  EXPECT_EQ(status_of(request("POST", "/echo", "Authorization: Bearer secret\r\n", "x")), 200);
  EXPECT_EQ(echoed, 1);
}

TEST_F(HttpAccessTest, RouteMayBeOpenToThoseWithoutAToken) {
  listen({.access = {.token = "secret"}});
  EXPECT_EQ(status_of(request("GET", "/open")), 200);
  EXPECT_EQ(status_of(request("GET", "/hello")), 401);
  EXPECT_EQ(status_of(request("GET", "/open", from("http://evil.example"))), 403);
}

TEST_F(HttpAccessTest, PageOfAnAllowedOriginMayReadTheAnswer) {
  listen({.access = {.token = "secret",
                     .allowed_origins = {"https://app.example"},
                     .exposed_headers = {"Mcp-Session-Id"}}});
  RawPeer peer;
  peer.connect(http->port());
  const std::string page = from("https://app.example");
  const auto preflight = ask(
      peer, request("OPTIONS", "/echo",
                    page + "Access-Control-Request-Method: POST\r\n"
                           "Access-Control-Request-Headers: authorization, mcp-session-id\r\n"))[0];
  EXPECT_EQ(preflight.status, 204) << "browsers send no token with it";
  EXPECT_EQ(preflight.header("access-control-allow-origin"), "https://app.example");
  EXPECT_EQ(preflight.header("access-control-allow-methods"), "POST, OPTIONS");
  EXPECT_EQ(preflight.header("access-control-allow-headers"), "authorization, mcp-session-id");
  const auto answer =
      ask(peer, request("GET", "/hello", page + "Authorization: Bearer secret\r\n"))[0];
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("access-control-allow-origin"), "https://app.example");
  EXPECT_EQ(answer.header("access-control-expose-headers"), "Mcp-Session-Id");
  EXPECT_EQ(answer.header("vary"), "Origin");
  // So that the page can tell why.
  EXPECT_EQ(ask(peer, request("GET", "/hello", page))[0].header("access-control-allow-origin"),
            "https://app.example");
  const auto stranger = ask(
      peer, request("OPTIONS", "/echo",
                    from("https://evil.example") + "Access-Control-Request-Method: POST\r\n"))[0];
  EXPECT_EQ(stranger.status, 403);
  EXPECT_EQ(stranger.header("access-control-allow-origin"), "");
  const auto plain = ask(peer, request("GET", "/hello", "Authorization: Bearer secret\r\n"))[0];
  EXPECT_EQ(plain.header("access-control-allow-origin"), "");
}

TEST_F(HttpAccessTest, WrongTokensAreAnsweredLaterAndTheRightOneAtOnce) {
  FakeTimers time;
  const auto tokens = std::make_shared<WrongTokens>(time, WrongTokenLimits{.free = 0});
  listen({.access = {.token = "secret"}, .wrong_tokens = tokens});
  const std::string wrong = request("GET", "/hello", "Authorization: Bearer secre\r\n");
  const std::string right = request("GET", "/hello", "Authorization: Bearer secret\r\n");
  RawPeer peer;
  dial(peer, wrong);
  run_until([&] { return tokens->waiting() == 1; }, "an answer that waits");
  EXPECT_EQ(status_of(right), 200) << "from the same address";
  EXPECT_EQ(status_of(request("GET", "/hello")), 401) << "no token is not a wrong one";
  EXPECT_EQ(status_of(request("GET", "/hello", "Authorization: Basic eDp5\r\n")), 401);
  peer.read_some();
  EXPECT_EQ(peer.got, "");
  time.advance(Millis(250));
  EXPECT_EQ(answers(peer)[0].status, 401);
  EXPECT_EQ(ask(peer, right)[0].status, 200) << "the connection goes on";
}

TEST_F(HttpAccessTest, WhoeverSentAWrongTokenMayLeaveAndSoMayTheServer) {
  FakeTimers time;
  const auto tokens = std::make_shared<WrongTokens>(time, WrongTokenLimits{.free = 0});
  listen({.access = {.token = "secret"}, .wrong_tokens = tokens});
  const std::string wrong = request("POST", "/echo", "Authorization: Bearer x\r\n", "body");
  {
    RawPeer leaves;
    dial(leaves, wrong);
    run_until([&] { return tokens->waiting() == 1; }, "an answer that waits");
  }
  RawPeer stays;
  dial(stays, wrong);
  run_until([&] { return tokens->waiting() == 2; }, "another one");
  time.advance(Millis(250));
  run_until([&] { return http->connections() == 1; }, "the one who left is forgotten");
  http.reset();
  time.advance(Millis(500));
  EXPECT_EQ(tokens->waiting(), 0U);
  EXPECT_EQ(echoed, 0);
}

TEST_F(HttpAccessTest, RefusalSaysWhatToDo) {
  listen();
  EXPECT_THAT(
      exchange(request("GET", "/hello", from("http://x") + "Connection: close\r\n"))[0].body,
      HasSubstr("--allow-origin"));
}

}  // namespace
}  // namespace iii::net
