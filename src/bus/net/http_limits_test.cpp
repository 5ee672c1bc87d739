// What a client may use, at each limit and beyond it.
#include <gmock/gmock.h>

#include "bus/net/http_fixture_for_test.h"

namespace iii::net {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class HttpLimitsTest : public HttpTest {};

std::string head_of_size(size_t bytes) {
  const std::string without = request("GET", "/hello", "X: \r\n");
  return request("GET", "/hello", "X: " + std::string(bytes - without.size(), 'x') + "\r\n");
}

TEST_F(HttpLimitsTest, HeadBytes) {
  listen({.max_head_bytes = 2'000});
  EXPECT_EQ(status_of(head_of_size(2'000)), 200);
  EXPECT_EQ(status_of(head_of_size(2'001)), 431);
  EXPECT_EQ(exchange("GET /" + std::string(5'000, 'x')).at(0).status, 431);
  // In pieces, each of which is small.
  RawPeer slow;
  slow.connect(http->port());
  const std::string head = head_of_size(2'001);
  for (size_t at = 0; at < head.size(); at += 100) {
    slow.write(std::string_view(head).substr(at, 100));
    run_until([] { return true; }, "a turn");
  }
  EXPECT_EQ(answers(slow)[0].status, 431);
}

TEST_F(HttpLimitsTest, NumberOfHeaders) {
  listen({.max_headers = 10});
  std::string headers;
  for (int i = 1; i < 10; ++i) headers += "X: y\r\n";  // and Host
  EXPECT_EQ(status_of(request("GET", "/hello", headers)), 200);
  EXPECT_EQ(exchange(request("GET", "/hello", headers + "X: y\r\n")).at(0).status, 431);
}

TEST_F(HttpLimitsTest, BodyBytes) {
  listen({.max_body_bytes = 1'000});
  const auto chunked = [](size_t bytes) {
    std::string text = request("POST", "/echo", "Transfer-Encoding: chunked\r\n");
    for (size_t i = 0; i < bytes; ++i) text += "1\r\nx\r\n";
    return text + "0\r\n\r\n";
  };
  EXPECT_EQ(status_of(request("POST", "/echo", "", std::string(1'000, 'x'))), 200);
  EXPECT_EQ(status_of(chunked(1'000)), 200);
  EXPECT_EQ(echoed, 2);
  EXPECT_EQ(exchange(request("POST", "/echo", "", std::string(1'001, 'x'))).at(0).status, 413);
  EXPECT_EQ(exchange(chunked(1'001)).at(0).status, 413);
  EXPECT_EQ(exchange(request("POST", "/echo", "Transfer-Encoding: chunked\r\n") + "fffffff\r\n")
                .at(0)
                .status,
            413);
  EXPECT_EQ(echoed, 2);
}

TEST_F(HttpLimitsTest, LineOfAChunk) {
  listen();
  const std::string head = request("POST", "/echo", "Transfer-Encoding: chunked\r\n");
  EXPECT_EQ(exchange(head + "1;" + std::string(40'000, 'x')).at(0).status, 400);
  EXPECT_EQ(exchange(head + "0\r\nX: " + std::string(40'000, 'x')).at(0).status, 400);
}

TEST_F(HttpLimitsTest, TimeForAHead) {
  listen({.head_timeout = Millis(20)});
  const auto all = exchange("GET /hello HTTP/1.1\r\nHost");
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].status, 408);
  EXPECT_THAT(exchange(""), IsEmpty()) << "who says nothing gets nothing";
}

TEST_F(HttpLimitsTest, TimeForAHeadBeginsWithItsFirstByte) {
  listen({.head_timeout = Millis(20), .idle_timeout = Millis(60'000)});
  RawPeer peer;
  peer.connect(http->port());
  ask(peer, request("GET", "/hello"));
  for (int i = 0; i < 3; ++i) run_a_while();
  EXPECT_EQ(ask(peer, request("GET", "/hello"))[0].status, 200);
  peer.got.clear();
  peer.write("GET ");
  read_to_end(peer);
  EXPECT_EQ(responses(peer.got).at(0).status, 408);
}

TEST_F(HttpLimitsTest, RateOfABody) {
  listen({.body_period = Millis(50), .min_body_bytes_per_period = 100});
  EXPECT_EQ(exchange(request("POST", "/echo", "Content-Length: 1000\r\n") + "some").at(0).status,
            408);
  // Slow, but fast enough: at least 100 bytes in each period.
  RawPeer steady;
  dial(steady, request("POST", "/echo", "Content-Length: 20000\r\n"));
  for (int i = 0; i < 100; ++i) {
    steady.write(std::string(200, 'x'));
    run_until([] { return true; }, "a turn");
  }
  EXPECT_EQ(answers(steady)[0].status, 200);
}

TEST_F(HttpLimitsTest, TimeWithoutARequest) {
  listen({.idle_timeout = Millis(20)});
  RawPeer peer;
  dial(peer, request("GET", "/hello"));
  read_to_end(peer);
  EXPECT_THAT(responses(peer.got), SizeIs(1));
  EXPECT_FALSE(peer.reset);
}

TEST_F(HttpLimitsTest, NoLimitOfTimeForTheAnswer) {
  listen({.head_timeout = Millis(5), .body_period = Millis(5), .idle_timeout = Millis(5)});
  RawPeer peer;
  dial(peer, request("GET", "/slow"));
  run_until([&] { return !waiting.empty(); }, "the request");
  for (int i = 0; i < 5; ++i) run_a_while();
  waiting[0]->send(200, {}, "late");
  EXPECT_EQ(answers(peer)[0].body, "late");
}

TEST_F(HttpLimitsTest, ClientThatStopsReadingIsDisconnected) {
  router.get("/large", [](HttpRequest, Response response) {
    response->send(200, {}, std::string(size_t{32} * 1024 * 1024, 'x'));
  });
  listen({.stall_timeout = Millis(30)});
  RawPeer peer;
  dial(peer, request("GET", "/large"));
  run_until([&] { return http->connections() == 1; }, "the connection");
  run_until([&] { return http->connections() == 0; }, "the end");
}

TEST_F(HttpLimitsTest, Connections) {
  listen({.max_connections = 2});
  RawPeer first;
  RawPeer second;
  first.connect(http->port());
  second.connect(http->port());
  run_until([&] { return http->connections() == 2; }, "two connections");
  RawPeer third;
  third.connect(http->port());
  read_to_end(third);
  EXPECT_EQ(responses(third.got).at(0).status, 503);
  first.hang_up();
  run_until([&] { return http->connections() == 1; }, "a free place");
  EXPECT_EQ(status_of(request("GET", "/hello")), 200);
}

TEST_F(HttpLimitsTest, AnswersThatNobodyTakesHoldTheNextRequestsUp) {
  int handled = 0;
  router.get("/64k", [&](HttpRequest, Response response) {
    ++handled;
    response->send(200, {}, std::string(65'536, 'x'));
  });
  listen({.high_water = 128 * 1024});
  RawPeer peer;
  std::string flood;
  for (int i = 0; i < 1'000; ++i) flood += request("GET", "/64k");
  dial(peer, flood);
  run_a_while();
  const int before = handled;
  EXPECT_LT(before, 500) << "64 MiB wait for a client that takes nothing";
  read_until(
      peer,
      [&] {
        peer.got.clear();
        return handled == 1'000;
      },
      "all of them");
}

TEST_F(HttpLimitsTest, MemoryOfAllConnections) {
  listen({.max_body_bytes = 8 * 1024 * 1024, .max_total_bytes = 1024 * 1024});
  RawPeer small;
  dial(small, request("POST", "/echo", "Content-Length: 1000\r\n") + "part");
  RawPeer greedy;
  dial(greedy, request("POST", "/echo", "Content-Length: 4000000\r\n"));
  const std::string piece(100'000, 'x');
  run_until(
      [&] {
        greedy.try_write(piece);
        greedy.read_some();
        return greedy.ended;
      },
      "the end of the one that holds most");
  small.write(std::string(996, 'y'));
  EXPECT_EQ(answers(small)[0].status, 200);
}

TEST_F(HttpLimitsTest, ManyWhoPipelineDoNotHoldUpOthers) {
  listen({.turn_budget = std::chrono::microseconds(0)});
  RawPeer flood;
  std::string requests;
  for (int i = 0; i < 500; ++i) requests += request("POST", "/echo", "", "x");
  dial(flood, requests);
  run_until([&] { return echoed > 0; }, "the first of many");
  EXPECT_LT(echoed, 400) << "one connection used a whole turn";
  EXPECT_EQ(status_of(request("GET", "/hello")), 200);
  EXPECT_THAT(answers(flood, 500), SizeIs(500));
}

}  // namespace
}  // namespace iii::net
