#include "directory/sources/http.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "directory/sources/git_fixture_for_test.h"
#include "directory/sources/http_address.h"
#include "directory/sources/http_server_for_test.h"

namespace iii::sources {
namespace {

using Reply = TestServer::Reply;
using Fault = TestServer::Reply::Fault;
using Request = TestServer::Request;
using HttpResult = std::expected<HttpAnswer, HttpProblem>;
using std::chrono::milliseconds;

Reply redirect_to(const std::string& where) {
  return {.status = 302, .headers = {{"Location", where}}};
}

class HttpTest : public testing::Test {
 protected:
  HttpResult get(const std::string& url, milliseconds timeout = milliseconds(10'000)) {
    return http.get({.url = url, .timeout = timeout, .max_body_bytes = 100'000}, job);
  }
  static HttpProblem problem(const HttpResult& outcome) {
    EXPECT_FALSE(outcome.has_value());
    return outcome ? HttpProblem::kStopped : outcome.error();
  }

  Job job;
  Http http{{.user_agent = "iii-directory/test"}};
};

TEST_F(HttpTest, SendsTheHeadersOfThePublishedWorkerAndTakesGzip) {
  TestServer server([](const Request&) { return Reply{.body = "{}"}; });
  const auto answer = get(server.url() + "/w?search=a+b");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "{}");
  const Request request = server.requests().at(0);
  EXPECT_EQ(request.target, "/w?search=a+b");
  EXPECT_EQ(request.headers.at("user-agent"), "iii-directory/test");
  EXPECT_EQ(request.headers.at("accept"), "*/*");
  EXPECT_EQ(request.headers.at("accept-encoding"), "gzip");
  EXPECT_FALSE(request.headers.contains("authorization"));
  EXPECT_FALSE(request.headers.contains("if-none-match"));
}

TEST_F(HttpTest, W23_ConnectionsAreUsedAgain) {
  TestServer server([](const Request&) { return Reply{.body = "{}"}; });
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(get(server.url() + "/"));
  EXPECT_EQ(server.connections(), 1U);
}

TEST_F(HttpTest, EtagAndRetryAfterAreRead) {
  TestServer server([](const Request& request) {
    const bool known = request.headers.contains("if-none-match");
    return Reply{.status = known ? 304 : 200,
                 .headers = {{"etag", "\"v1\""}, {"Retry-After", "7"}}};
  });
  const auto first = get(server.url());
  ASSERT_TRUE(first);
  EXPECT_EQ(first->etag, "\"v1\"");
  EXPECT_EQ(first->retry_after, std::chrono::seconds(7));
  const auto second =
      http.get({.url = server.url(), .if_none_match = first->etag, .max_body_bytes = 10}, job);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->status, 304);
  EXPECT_EQ(server.requests().at(1).headers.at("if-none-match"), "\"v1\"");
}

TEST_F(HttpTest, LostAndCutAnswersAreToldApart) {
  TestServer server([](const Request& request) {
    return Reply{.body = "{", .fault = request.target == "/reset" ? Fault::kReset : Fault::kCut};
  });
  EXPECT_EQ(problem(get(server.url() + "/reset")), HttpProblem::kUnreachable);
  EXPECT_EQ(problem(get(server.url() + "/cut")), HttpProblem::kCut);
  server.stop();
  EXPECT_EQ(problem(get(server.url())), HttpProblem::kUnreachable);
}

TEST_F(HttpTest, SilenceEndsAtTheTimeoutOrTheDeadline) {
  TestServer server([](const Request&) { return Reply{.fault = Fault::kHang}; });
  EXPECT_EQ(problem(get(server.url(), milliseconds(50))), HttpProblem::kTimedOut);
  job.deadline = std::chrono::steady_clock::now() + milliseconds(50);
  EXPECT_EQ(problem(get(server.url())), HttpProblem::kTimedOut);
}

TEST_F(HttpTest, ACancelledJobEndsAnExchangeUnderWay) {
  TestServer server([](const Request&) { return Reply{.fault = Fault::kHang}; });
  std::thread canceller([&] {
    server.wait_for(1);
    job.cancelled->store(true);
  });
  EXPECT_EQ(problem(get(server.url())), HttpProblem::kStopped);
  canceller.join();
}

TEST_F(HttpTest, W6_AnswersEndAtTheirLimit) {
  TestServer server([](const Request& request) {
    if (request.target == "/endless") return Reply{.fault = Fault::kEndless};
    return Reply{.body = std::string(request.target == "/most" ? 100'000 : 100'001, 'x')};
  });
  EXPECT_TRUE(get(server.url() + "/most"));
  EXPECT_EQ(problem(get(server.url() + "/more")), HttpProblem::kTooLarge);
  EXPECT_EQ(problem(get(server.url() + "/endless")), HttpProblem::kTooLarge);
}

TEST_F(HttpTest, RedirectsAreFollowedAFewTimes) {
  TestServer server([](const Request& request) {
    const int hops = std::atoi(request.target.c_str() + 1);
    return hops == 0 ? Reply{.body = "there"} : redirect_to("/" + std::to_string(hops - 1));
  });
  const auto answer = get(server.url() + "/5");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "there");
  EXPECT_EQ(problem(get(server.url() + "/6")), HttpProblem::kBadRedirect);
}

TEST_F(HttpTest, RedirectsToOtherSchemesAreRefused) {
  std::string where;
  TestServer server([&](const Request&) { return redirect_to(where); });
  for (const char* target : {"file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/", ""}) {
    where = target;
    EXPECT_EQ(problem(get(server.url())), HttpProblem::kBadRedirect) << target;
  }
}

// The server of the test is on loopback, so other kinds of private networks are not its own.
TEST_F(HttpTest, RedirectsIntoOtherNetworksAreRefusedWithoutAConnection) {
  std::string where;
  TestServer server([&](const Request&) { return redirect_to(where); });
  for (const char* target :
       {"http://10.0.0.1/", "http://169.254.169.254/latest/meta-data/", "http://192.168.1.1/",
        "http://[fd00::1]/", "http://[fe80::1]/", "http://[::ffff:10.0.0.1]/", "http://0.0.0.0/",
        "http://0x0a000001/"}) {
    where = target;
    EXPECT_EQ(problem(get(server.url(), milliseconds(2'000))), HttpProblem::kBadRedirect) << target;
  }
}

// The socket's address is the proxy's, which says nothing about where a redirect leads.
TEST_F(HttpTest, BehindAProxyRedirectsAreJudgedByTheNameOfTheTarget) {
  std::string where;
  TestServer proxy([&](const Request& request) {
    return request.target == "http://registry.example/" ? redirect_to(where)
                                                        : Reply{.body = request.target};
  });
  const Variable named("http_proxy", proxy.url());
  const Variable direct("no_proxy", "127.0.0.1");
  for (const char* target :
       {"http://169.254.169.254/latest/", "http://10.0.0.1/", "http://[::1]/", "http://localhost/",
        "http://x.localhost/", "http://0x7f.1/", "http://2130706433/", "http://[fd00::1]/"}) {
    where = target;
    const size_t before = proxy.requests().size();
    EXPECT_EQ(problem(get("http://registry.example/")), HttpProblem::kBadRedirect) << target;
    EXPECT_EQ(proxy.requests().size(), before + 1) << target;
  }
  // Not through the proxy, into this machine's network.
  where = proxy.url() + "/inside";
  EXPECT_EQ(problem(get("http://registry.example/")), HttpProblem::kBadRedirect);
  where = "http://other.example/there";
  const auto answer = get("http://registry.example/");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "http://other.example/there");
}

TEST(HttpProxy, TheEnvironmentIsReadAsCurlReadsIt) {
  std::map<std::string, std::string> variables{{"HTTPS_PROXY", "http://p:1"}};
  const auto proxy = [&](std::string_view scheme, std::string_view host) {
    return proxy_for(scheme, host, [&](const char* name) -> std::optional<std::string> {
      const auto found = variables.find(name);
      return found == variables.end() ? std::nullopt : std::optional(found->second);
    });
  };
  EXPECT_EQ(proxy("https", "git.example"), "http://p:1");
  EXPECT_EQ(proxy("http", "git.example"), "");
  variables = {{"HTTP_PROXY", "http://cgi:1"}};  // a header of a CGI request could set it
  EXPECT_EQ(proxy("http", "git.example"), "");
  variables = {{"ALL_PROXY", "http://p:2"},
               {"no_proxy", "corp.example, .dot.example,10.0.0.0/8,192.168.1.1,fd00::/8"}};
  for (const char* host : {"corp.example", "GIT.corp.example", "a.dot.example", "dot.example",
                           "10.9.8.7", "192.168.1.1", "fd00::1"}) {
    EXPECT_EQ(proxy("https", host), "") << host;
  }
  for (const char* host : {"notcorp.example", "11.0.0.1", "192.168.1.10", "fe80::1", "example"}) {
    EXPECT_EQ(proxy("http", host), "http://p:2") << host;
  }
  variables["no_proxy"] = "*";
  EXPECT_EQ(proxy("https", "git.example"), "");
}

TEST_F(HttpTest, NothingSecretGoesAlongToAnotherServer) {
  TestServer other([](const Request&) { return Reply{.body = "other"}; });
  TestServer server([&](const Request&) {
    return redirect_to("http://x:y@127.0.0.1:" + std::to_string(other.port()) + "/");
  });
  const std::string url = "http://user:secret@127.0.0.1:" + std::to_string(server.port()) + "/";
  const auto answer = get(url);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "other");
  EXPECT_TRUE(server.requests().at(0).headers.contains("authorization"));
  EXPECT_FALSE(other.requests().at(0).headers.contains("authorization"));
}

TEST_F(HttpTest, UrlsThatCannotBeUsedAreSaid) {
  EXPECT_EQ(problem(get("not a url")), HttpProblem::kMisconfigured);
  EXPECT_EQ(problem(get("file:///etc/passwd")), HttpProblem::kMisconfigured);
}

TEST_F(HttpTest, ManyThreadsAtOnce) {
  TestServer server([](const Request& request) { return Reply{.body = request.target}; });
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 10; ++i) {
        const std::string target = "/" + std::to_string(t) + "/" + std::to_string(i);
        const auto answer = get(server.url() + target);
        if (answer && answer->body == target) ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 80);
}

TEST(HttpAddress, KindsByTheRegistriesOfSpecialAddresses) {
  EXPECT_EQ(kind_of_address("8.8.8.8"), AddressKind::kPublic);
  EXPECT_EQ(kind_of_address("172.32.0.1"), AddressKind::kPublic);
  EXPECT_EQ(kind_of_address("2606:4700::1111"), AddressKind::kPublic);
  EXPECT_EQ(kind_of_address("127.255.0.1"), AddressKind::kLoopback);
  EXPECT_EQ(kind_of_address("::1"), AddressKind::kLoopback);
  EXPECT_EQ(kind_of_address("::ffff:127.0.0.1"), AddressKind::kLoopback);
  EXPECT_EQ(kind_of_address("64:ff9b::7f00:1"), AddressKind::kLoopback);
  EXPECT_EQ(kind_of_address("2002:7f00:1::"), AddressKind::kLoopback);
  for (const char* text : {"10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.0.1", "100.64.0.1",
                           "fc00::1", "fdff::1", "::ffff:10.0.0.1"}) {
    EXPECT_EQ(kind_of_address(text), AddressKind::kPrivate) << text;
  }
  EXPECT_EQ(kind_of_address("169.254.169.254"), AddressKind::kLinkLocal);
  EXPECT_EQ(kind_of_address("fe80::1%eth0"), AddressKind::kLinkLocal);
  for (const char* text : {"0.0.0.0", "224.0.0.1", "255.255.255.255", "240.0.0.1", "::", "ff02::1",
                           "192.0.2.1", "2001:db8::1", "no address", ""}) {
    EXPECT_EQ(kind_of_address(text), AddressKind::kSpecial) << text;
  }
}

}  // namespace
}  // namespace iii::sources
