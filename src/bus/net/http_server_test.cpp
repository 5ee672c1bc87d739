#include <gmock/gmock.h>

#include "bus/net/http_fixture_for_test.h"
#include "foundation/base/discard.h"

namespace iii::net {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class HttpServerTest : public HttpTest {};

TEST_F(HttpServerTest, HandlerSeesTheRequest) {
  listen();
  RawPeer peer;
  peer.connect(http->port());
  const auto all =
      ask(peer, request("POST", "/echo?a=1&b=%20", "X-One: first\r\nx-one: second\r\n", "payload"));
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].status, 200);
  EXPECT_EQ(all[0].body, "payload");
  EXPECT_THAT(all[0].header("date"), HasSubstr(" GMT"));
  EXPECT_EQ(last.method, "POST");
  EXPECT_EQ(last.path, "/echo");
  EXPECT_EQ(last.query, "a=1&b=%20");
  EXPECT_EQ(last.peer, "127.0.0.1");
  ASSERT_NE(last.header("X-ONE"), nullptr);
  EXPECT_EQ(*last.header("X-ONE"), "first");
  EXPECT_EQ(last.header("X-Two"), nullptr);
}

TEST_F(HttpServerTest, ConnectionIsKeptForTheNextRequest) {
  listen();
  RawPeer peer;
  peer.connect(http->port());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ask(peer, request("GET", "/hello"))[0].body, "hello");
  }
  EXPECT_EQ(http->connections(), 1U);
  EXPECT_FALSE(peer.ended);
}

TEST_F(HttpServerTest, PipelinedRequestsAreAnsweredInOrder) {
  listen();
  router = {};
  std::string all_requests;
  for (int i = 0; i < 500; ++i) {
    const std::string target = i % 50 == 7 ? "/slow" : "/echo";
    all_requests += target == "/slow" ? request("GET", target)
                                      : request("POST", target, "", "body " + std::to_string(i));
  }
  RawPeer peer;
  dial(peer, all_requests);
  // Those that are answered later hold up the ones behind them.
  std::function<void()> answer_later = [&] {
    if (!waiting.empty()) {
      waiting.front()->send(200, {}, "late");
      waiting.clear();
    }
    loop.after(Millis(1), [&] { answer_later(); });
  };
  answer_later();
  const auto all = answers(peer, 500);
  ASSERT_THAT(all, SizeIs(500));
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].body, i % 50 == 7 ? "late" : "body " + std::to_string(i));
  }
}

TEST_F(HttpServerTest, HeadHasTheLengthAndNoBody) {
  listen();
  RawPeer peer;
  dial(peer, request("HEAD", "/hello") + request("GET", "/hello", "Connection: close\r\n"));
  read_to_end(peer);
  std::string_view bytes = peer.got;
  const auto head = take_response(bytes, true);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->status, 200);
  EXPECT_EQ(head->header("content-length"), "5");
  const auto get = take_response(bytes);
  ASSERT_TRUE(get);
  EXPECT_EQ(get->body, "hello");
  EXPECT_EQ(get->header("connection"), "close");
  EXPECT_THAT(bytes, IsEmpty());
}

TEST_F(HttpServerTest, OldVersionClosesUnlessAskedNotTo) {
  listen();
  const auto once = exchange("GET /hello HTTP/1.0\r\n\r\n");
  ASSERT_THAT(once, SizeIs(1));
  EXPECT_EQ(once[0].body, "hello");
  EXPECT_EQ(once[0].header("connection"), "close");
  RawPeer peer;
  peer.connect(http->port());
  const std::string kept = "GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
  EXPECT_EQ(ask(peer, kept)[0].header("connection"), "keep-alive");
  EXPECT_EQ(ask(peer, kept)[0].body, "hello");
}

TEST_F(HttpServerTest, ChunkedBodyArrivesWholeHoweverItIsCut) {
  listen();
  const std::string bytes = request("POST", "/echo", "Transfer-Encoding: chunked\r\n") +
                            "5;ext=1\r\nhello\r\n1\r\n \r\n05\r\nworld\r\n0\r\nTrailer: x\r\n\r\n";
  RawPeer whole;
  whole.connect(http->port());
  EXPECT_EQ(ask(whole, bytes)[0].body, "hello world");
  EXPECT_EQ(last.header("Trailer"), nullptr);
  RawPeer slow;
  slow.connect(http->port());
  for (const char byte : bytes) {
    slow.write({&byte, 1});
    run_until([] { return true; }, "a turn");
  }
  EXPECT_EQ(answers(slow)[0].body, "hello world");
  EXPECT_EQ(ask(slow, request("GET", "/hello"))[0].body, "hello");
}

TEST_F(HttpServerTest, ClientThatAsksFirstIsToldToContinue) {
  listen();
  RawPeer peer;
  dial(peer, request("POST", "/echo", "Content-Length: 4\r\nExpect: 100-continue\r\n"));
  read_until(peer, [&] { return peer.got == "HTTP/1.1 100 Continue\r\n\r\n"; }, "the permission");
  EXPECT_EQ(ask(peer, "body")[0].body, "body");
}

TEST_F(HttpServerTest, ClientThatAsksFirstIsRefusedBeforeItSendsTheBody) {
  listen({.max_body_bytes = 10});
  const auto all =
      exchange(request("POST", "/echo", "Content-Length: 11\r\nExpect: 100-continue\r\n"));
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].status, 413);
  EXPECT_EQ(status_of(request("GET", "/hello", "Expect: something\r\n")), 417);
}

TEST_F(HttpServerTest, UnknownPathsAndMethods) {
  listen();
  RawPeer peer;
  peer.connect(http->port());
  EXPECT_EQ(ask(peer, request("GET", "/nothing"))[0].status, 404);
  const auto wrong = ask(peer, request("DELETE", "/hello"))[0];
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.header("allow"), "GET, HEAD, OPTIONS");
  EXPECT_THAT(wrong.body, HasSubstr("\"code\":\"method_not_allowed\""));
  const auto options = ask(peer, request("OPTIONS", "/echo"))[0];
  EXPECT_EQ(options.status, 204);
  EXPECT_EQ(options.header("allow"), "POST, OPTIONS");
  EXPECT_EQ(ask(peer, request("OPTIONS", "*"))[0].status, 204);
  EXPECT_EQ(ask(peer, request("get", "/hello"))[0].status, 405);
  EXPECT_EQ(ask(peer, request("GET", "/hello"))[0].status, 200);
  // A body that nobody reads ends the connection.
  EXPECT_EQ(exchange(request("POST", "/nothing", "", "body"))[0].header("connection"), "close");
}

TEST_F(HttpServerTest, AbsoluteTargetNamesTheHost) {
  listen();
  const auto get = [](std::string_view target) {
    return "GET " + std::string(target) + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
  };
  EXPECT_EQ(status_of(get("http://localhost:1/hello?x")), 200);
  EXPECT_EQ(status_of(get("http://evil.example/hello")), 403);
}

struct Malformed {
  const char* what;
  std::string bytes;
  int status;
};
class HttpMalformedTest : public HttpTest, public ::testing::WithParamInterface<Malformed> {};

// Answered, then closed: where the next request would begin is not known.
TEST_P(HttpMalformedTest, IsRefusedAndTheConnectionIsClosed) {
  listen();
  const auto all = exchange(GetParam().bytes);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].status, GetParam().status) << all[0].body;
  EXPECT_EQ(all[0].header("connection"), "close");
  EXPECT_EQ(echoed, 0);
}

std::string post(std::string_view headers, std::string_view rest) {
  return request("POST", "/echo", headers) + std::string(rest);
}
const std::string kSmuggled = "GET /hello HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";

INSTANTIATE_TEST_SUITE_P(
    Forms, HttpMalformedTest,
    ::testing::Values(
        Malformed{"not HTTP", "\x16\x03\x01\x02 TLS hello\r\n\r\n", 400},
        Malformed{"no version", "GET /hello\r\n\r\n", 400},
        Malformed{"HTTP/2", "GET /hello HTTP/2.0\r\nHost: x\r\n\r\n", 505},
        Malformed{"no Host", "GET /hello HTTP/1.1\r\n\r\n", 400},
        Malformed{"two Hosts", request("GET", "/hello", "Host: 127.0.0.1\r\n"), 400},
        Malformed{"space before colon", request("GET", "/hello", "X : y\r\n"), 400},
        Malformed{"bare line feed", "GET /hello HTTP/1.1\nHost: 127.0.0.1\n\n", 505},
        Malformed{"NUL in a value", request("GET", "/hello", std::string("X: a\0b\r\n", 8)), 400},
        Malformed{"two lengths", post("Content-Length: 1\r\nContent-Length: 2\r\n", "x"), 400},
        Malformed{"negative length", post("Content-Length: -1\r\n", ""), 400},
        Malformed{"huge length", post("Content-Length: 99999999999999999999999\r\n", ""), 400},
        Malformed{"length and coding",
                  post("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), 400},
        Malformed{"coding and length",
                  post("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", "0\r\n\r\n"), 400},
        Malformed{"unknown coding", post("Transfer-Encoding: gzip\r\n", kSmuggled), 501},
        Malformed{"identity with length",
                  post("Transfer-Encoding: identity\r\nContent-Length: 3\r\n", "abc"), 501},
        Malformed{"chunked is not last", post("Transfer-Encoding: chunked, gzip\r\n", kSmuggled),
                  501},
        Malformed{"coding in HTTP/1.0",
                  "POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
        Malformed{"bad chunk size", post("Transfer-Encoding: chunked\r\n", "zz\r\nx\r\n0\r\n\r\n"),
                  400},
        Malformed{"chunk longer than said",
                  post("Transfer-Encoding: chunked\r\n", "1\r\nxyz\r\n0\r\n\r\n"), 400}),
    [](const auto& info) {
      std::string name = info.param.what;
      for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
      return name;
    });

TEST_F(HttpServerTest, EmptyLinesBeforeARequestAreIgnored) {
  listen();
  EXPECT_EQ(status_of("\r\n\r\n" + request("GET", "/hello")), 200);
}

TEST_F(HttpServerTest, ResponseHeadersCannotBeForged) {
  router.get("/headers", [](HttpRequest, Response response) {
    response->send(200,
                   {{"X-Good", "yes"},
                    {"X-Bad", "a\r\nSet-Cookie: b"},
                    {"Content-Length", "1000"},
                    {"Connection", "upgrade"}},
                   "body");
  });
  listen();
  RawPeer peer;
  peer.connect(http->port());
  const auto seen = ask(peer, request("GET", "/headers"))[0];
  EXPECT_EQ(seen.header("x-good"), "yes");
  EXPECT_EQ(seen.header("set-cookie"), "");
  EXPECT_EQ(seen.header("content-length"), "4");
  EXPECT_EQ(seen.header("connection"), "");
  EXPECT_EQ(seen.body, "body");
}

TEST_F(HttpServerTest, LargeBodyIsSharedAndNotCopied) {
  const auto text = shared_text(std::string(8 * 1024 * 1024, 'x'));
  router.get("/large", [&](HttpRequest, Response response) {
    response->send(200, {}, SharedBytes{text, *text});
  });
  listen();
  RawPeer peer;
  dial(peer, request("GET", "/large"));
  run_until([&] { return text.use_count() > 1; }, "the answer in the queue");
  const auto seen = answers(peer);
  EXPECT_EQ(seen[0].body, *text);
  run_until([&] { return text.use_count() == 1; }, "the end of its use");
}

TEST_F(HttpServerTest, StatusWithoutBodyHasNoLength) {
  router.get("/none", [](HttpRequest, Response response) { response->send(204, {}, "ignored"); });
  listen();
  RawPeer peer;
  peer.connect(http->port());
  const auto all = ask(peer, request("GET", "/none") + request("GET", "/hello"), 2);
  EXPECT_EQ(all[0].status, 204);
  EXPECT_EQ(all[0].header("content-length"), "");
  EXPECT_EQ(all[1].body, "hello");
}

TEST_F(HttpServerTest, ForgottenRequestIsAnsweredWith500) {
  router.get("/forgets", [](HttpRequest, Response) {});
  listen();
  RawPeer peer;
  peer.connect(http->port());
  EXPECT_EQ(ask(peer, request("GET", "/forgets"))[0].status, 500);
  EXPECT_EQ(ask(peer, request("GET", "/hello"))[0].status, 200);
}

TEST_F(HttpServerTest, OnlyTheFirstAnswerCounts) {
  listen();
  RawPeer peer;
  dial(peer, request("GET", "/slow"));
  run_until([&] { return !waiting.empty(); }, "the request");
  EXPECT_TRUE(waiting[0]->is_open());
  waiting[0]->send(200, {}, "first");
  EXPECT_FALSE(waiting[0]->is_open());
  waiting[0]->send(200, {}, "second");
  waiting[0]->begin_stream(200, {});
  waiting[0]->write("third");
  EXPECT_EQ(answers(peer)[0].body, "first");
  EXPECT_EQ(ask(peer, request("GET", "/hello"))[0].body, "hello");
  EXPECT_EQ(closed, 0);
}

TEST_F(HttpServerTest, ClientThatLeavesIsNoticedBeforeTheAnswer) {
  listen();
  RawPeer peer;
  dial(peer, request("GET", "/slow"));
  run_until([&] { return !waiting.empty(); }, "the request");
  peer.hang_up();
  run_until([&] { return closed == 1; }, "the news");
  waiting[0]->send(200, {}, "too late");
  run_until([&] { return http->connections() == 0; }, "the end");
  EXPECT_EQ(closed, 1);
}

TEST_F(HttpServerTest, ClientThatClosesItsSideStillGetsItsAnswers) {
  listen();
  RawPeer peer;
  dial(peer, request("GET", "/hello") + request("GET", "/slow") + request("GET", "/hello"));
  peer.half_close();
  run_until([&] { return closed == 1; }, "the news");
  waiting[0]->send(200, {}, "late");
  read_to_end(peer);
  const auto all = responses(peer.got);
  ASSERT_THAT(all, SizeIs(3));
  EXPECT_EQ(all[1].body, "late");
  EXPECT_EQ(all[2].body, "hello");
}

// The news of the end came before the second request was looked at.
TEST_F(HttpServerTest, EveryRequestOfAClientThatHasLeftIsTold) {
  listen();
  RawPeer peer;
  dial(peer, request("GET", "/slow") + request("GET", "/slow") + request("GET", "/stream"));
  peer.half_close();
  run_until([&] { return closed == 1; }, "the news");
  waiting[0]->send(200, {}, "one");
  run_until([&] { return closed == 2; }, "the news of the second");
  waiting[1]->send(200, {}, "two");
  run_until([&] { return closed == 3; }, "the news of the stream");
  read_to_end(peer);
}

TEST_F(HttpServerTest, LargeAnswersComeOneAfterTheOther) {
  router.get("/large", [this](HttpRequest, Response response) { waiting.push_back(response); });
  listen({.high_water = 1'000});
  RawPeer peer;
  peer.connect(http->port());
  for (int i = 0; i < 3; ++i) {
    peer.got.clear();
    peer.write(request("GET", "/large"));
    run_until([&] { return !waiting.empty(); }, "the request");
    waiting.front()->send(200, {}, std::string(size_t{16} * 1024 * 1024, 'x'));
    waiting.clear();
    peer.write(request("GET", "/hello"));  // while most of it waits for the client
    run_a_while();
    EXPECT_EQ(answers(peer, 2)[1].body, "hello");
  }
}

TEST_F(HttpServerTest, ClientThatLeavesWhileItPipelinesTooMuchIsNoticed) {
  listen();
  RawPeer peer;
  dial(peer, request("GET", "/slow"));
  run_until([&] { return !waiting.empty(); }, "the request");
  peer.write(std::string(80'000, 'x'));  // more than is read, less than the kernel holds
  peer.hang_up();
  run_until([&] { return closed == 1; }, "the news");
}

TEST_F(HttpServerTest, RouteSeesTheHeadBeforeTheBody) {
  router.post(
      "/json", [](HttpRequest, Response response) { response->send(200, {}, "ok"); },
      {.max_body_bytes = 4, .check = [](const HttpRequest& head) -> std::optional<HttpAnswer> {
         const std::string* type = head.header("Content-Type");
         if (type != nullptr && *type == "application/json") return std::nullopt;
         return http_error(415, "unsupported", "JSON only.");
       }});
  listen();
  EXPECT_EQ(status_of(request("POST", "/json", "", "12345")), 415);
  EXPECT_EQ(status_of(request("POST", "/json", "Content-Type: application/json\r\n", "12345")),
            413);
  EXPECT_EQ(status_of(request("POST", "/json", "Content-Type: application/json\r\n", "1234")), 200);
}

TEST_F(HttpServerTest, PortInUseIsAnError) {
  listen();
  const auto second = HttpServer::listen(loop, {.port = http->port()}, {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, "address_in_use");
}

TEST_F(HttpServerTest, DestroyedServerTellsNobody) {
  listen();
  RawPeer peer;
  RawPeer streaming;
  dial(peer, request("GET", "/slow"));
  dial(streaming, request("GET", "/stream"));
  run_until([&] { return !waiting.empty() && !streams.empty(); }, "the requests");
  http.reset();
  EXPECT_FALSE(waiting[0]->is_open());
  waiting[0]->send(200, {}, "to nobody");
  streams[0]->write("to nobody");
  read_to_end(peer);
  EXPECT_EQ(closed, 0);
}

TEST_F(HttpServerTest, DrainFinishesWhatRuns) {
  listen();
  RawPeer idle;
  RawPeer busy;
  RawPeer streaming;
  idle.connect(http->port());
  ask(idle, request("GET", "/hello"));
  dial(busy, request("GET", "/slow") + request("GET", "/hello"));
  dial(streaming, request("GET", "/stream"));
  run_until([&] { return !waiting.empty() && !streams.empty(); }, "the requests");
  bool done = false;
  http->drain(Millis(60'000), [&] { done = true; });
  read_to_end(idle);
  read_to_end(streaming);
  EXPECT_TRUE(responses(streaming.got).at(0).complete);
  EXPECT_EQ(closed, 1);
  EXPECT_FALSE(done);
  waiting[0]->send(200, {}, "the last");
  read_to_end(busy);
  const auto all = responses(busy.got);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].body, "the last");
  EXPECT_EQ(all[0].header("connection"), "close");
  for (RawPeer* peer : {&idle, &busy, &streaming}) peer->hang_up();
  run_until([&] { return done; }, "the end of the drain");
}

TEST_F(HttpServerTest, DrainDoesNotWaitForEver) {
  listen();
  RawPeer busy;
  dial(busy, request("GET", "/slow"));
  run_until([&] { return !waiting.empty(); }, "the request");
  bool done = false;
  http->drain(Millis(5), [&] { done = true; });
  run_until([&] { return done && closed == 1; }, "the end of the drain");
  EXPECT_FALSE(waiting[0]->is_open());
  read_to_end(busy);
}

}  // namespace
}  // namespace iii::net
