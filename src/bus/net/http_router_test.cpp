#include "bus/net/http_router.h"

#include <gmock/gmock.h>

#include "bus/net/http_fixture_for_test.h"

namespace iii::net {
namespace {

using ::testing::IsEmpty;

HttpHandler nothing() {
  return [](const HttpRequest&, const std::shared_ptr<HttpResponse>&) {};
}

TEST(HttpRouter, ExactPathsGoBeforePrefixesAndLongPrefixesBeforeShortOnes) {
  HttpRouter router;
  router.below("GET", "/a/", nothing(), {.max_body_bytes = 1});
  router.below("GET", "/a/b/", nothing(), {.max_body_bytes = 2});
  router.post("/a/b/c", nothing(), {.max_body_bytes = 3});
  const auto found = [&](std::string_view method, std::string_view path) -> size_t {
    const HttpRoute* route = router.find(method, path);
    return route == nullptr ? 0 : *route->options.max_body_bytes;
  };
  EXPECT_EQ(found("GET", "/a/"), 1U);
  EXPECT_EQ(found("GET", "/a/x/y"), 1U);
  EXPECT_EQ(found("HEAD", "/a/b/x"), 2U);
  EXPECT_EQ(found("POST", "/a/b/c"), 3U);
  EXPECT_EQ(found("GET", "/a/b/c"), 0U) << "this path has other methods";
  EXPECT_EQ(found("GET", "/a"), 0U);
  EXPECT_EQ(found("GET", "/ab"), 0U);
  EXPECT_EQ(found("POST", "/a/x"), 0U);
  EXPECT_EQ(router.allowed("/a/x"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(router.allowed("/a/b/c"), "POST, OPTIONS");
  EXPECT_THAT(router.allowed("/b"), IsEmpty());
}

TEST(HttpRouter, AnAreaIsAPathAndWhatIsBelow) {
  HttpRouter router;
  router.area("/a", {.own_pages_only = true});
  for (const char* path : {"/a", "/a/", "/a/b/c"}) EXPECT_NE(router.area_of(path), nullptr) << path;
  for (const char* path : {"/", "/ab", "", "*", "/A"}) {
    EXPECT_EQ(router.area_of(path), nullptr) << path;
  }
}

class HttpAreaTest : public HttpTest {
 protected:
  SeenResponse seen(std::string_view method, std::string_view path, std::string_view headers = "") {
    RawPeer peer;
    peer.connect(http->port());
    const auto all = ask(peer, request(method, path, headers));
    return all.empty() ? SeenResponse{} : all[0];
  }
};

TEST_F(HttpAreaTest, ItsHeadersAreOnEveryAnswer) {
  HttpServerOptions options;
  options.access.token = "secret";
  router.area("/hello", {.headers = {{"X-Area", "yes"}}, .flat_errors = true});
  listen(options);
  const std::string token = "Authorization: Bearer secret\r\n";
  EXPECT_EQ(seen("GET", "/hello", token).header("x-area"), "yes");
  for (const SeenResponse& refused :
       {seen("GET", "/hello"), seen("PUT", "/hello", token), seen("GET", "/hello/x", token),
        seen("GET", "/hello", "Origin: http://evil.example\r\n")}) {
    EXPECT_GE(refused.status, 400);
    EXPECT_EQ(refused.header("x-area"), "yes") << refused.status;
    EXPECT_THAT(refused.body, ::testing::StartsWith(R"({"code":)"));
  }
  EXPECT_EQ(seen("POST", "/echo", token).header("x-area"), "");
  EXPECT_THAT(seen("POST", "/echo").body, ::testing::StartsWith(R"({"error":{"code":)"));
}

TEST_F(HttpAreaTest, OnlyPagesOfTheServerItself) {
  HttpServerOptions options;
  options.access.allowed_origins = {"https://app.example"};
  router.area("/hello", {.own_pages_only = true});
  listen(options);
  const std::string allowed = "Origin: https://app.example\r\n";
  EXPECT_EQ(seen("POST", "/echo", allowed).header("access-control-allow-origin"),
            "https://app.example");
  const SeenResponse refused = seen("GET", "/hello", allowed);
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.header("access-control-allow-origin"), "");
  const SeenResponse asked =
      seen("OPTIONS", "/hello", allowed + "Access-Control-Request-Method: GET\r\n");
  EXPECT_EQ(asked.status, 403);
  EXPECT_EQ(asked.header("access-control-allow-methods"), "");
  // The fixture's requests go to the host 127.0.0.1.
  const SeenResponse own = seen("GET", "/hello", "Origin: http://127.0.0.1\r\n");
  EXPECT_EQ(own.status, 200);
  EXPECT_EQ(own.header("access-control-allow-origin"), "");
}

}  // namespace
}  // namespace iii::net
