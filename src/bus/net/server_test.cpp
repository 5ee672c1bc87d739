#include "bus/net/server.h"

#include <sys/resource.h>

#include "bus/net/net_fixture_for_test.h"
#include "foundation/base/fake_timers.h"

namespace iii::net {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using ws::Opcode;

class ServerTest : public NetTest {
 protected:
  void read_until_ended(RawPeer& peer) {
    run_until(
        [&] {
          peer.read_some();
          return peer.ended;
        },
        "the end of the stream");
  }
  std::string answer_to(const std::string& request) {
    RawPeer peer;
    peer.connect(server->port());
    peer.write(request);
    read_until_ended(peer);
    return peer.got;
  }
};

TEST_F(ServerTest, AnswersWhatIsNotAnUpgrade) {
  serve();
  EXPECT_EQ(answer_to("GET /nope HTTP/1.1\r\n\r\n"),
            "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
  EXPECT_THAT(answer_to("GET / HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 400 Bad Request\r\n"));
  const std::string not_http =
      "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
  EXPECT_EQ(answer_to("hello\r\n\r\n"), not_http);
  EXPECT_EQ(answer_to("\x16\x03\x01"), not_http);
  EXPECT_EQ(answer_to("GET / HTTP/1.1\r\nx: " + std::string(20'000, 'x')), not_http);
  run_until([&] { return server->connections() == 0; }, "no connection left");
}

TEST_F(ServerTest, WrongTokensAreAnsweredLater) {
  FakeTimers time;
  const auto tokens = std::make_shared<WrongTokens>(time, WrongTokenLimits{.free = 0});
  ServerOptions options;
  options.wrong_tokens = tokens;
  auto listening = Server::listen(loop, std::move(options), [](const auto& request, const auto&) {
    return ws::Refusal{.status = 401, .wrong_token = request.path() == "/wrong"};
  });
  ASSERT_TRUE(listening);
  server = std::move(*listening);
  RawPeer peer;
  peer.connect(server->port());
  peer.upgrade("/wrong");
  run_until([&] { return tokens->waiting() == 1; }, "an answer that waits");
  EXPECT_THAT(answer_to("GET / HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 401 ")) << "at once";
  peer.read_some();
  EXPECT_EQ(peer.got, "");
  time.advance(Millis(250));
  read_until_ended(peer);
  EXPECT_THAT(peer.got, StartsWith("HTTP/1.1 401 "));
  RawPeer late;
  late.connect(server->port());
  late.upgrade("/wrong");
  run_until([&] { return tokens->waiting() == 1; }, "another one");
  server.reset();
  time.advance(Millis(500));
}

TEST_F(ServerTest, ReadsARequestByteByByteAndFramesBehindIt) {
  serve();
  RawPeer peer;
  peer.connect(server->port());
  const std::string bytes =
      ws::upgrade_request({.host = "h", .target = "/", .key = "dGhlIHNhbXBsZSBub25jZQ=="}) +
      ws::RawFrame{.payload = "early"}.bytes();
  const size_t most = bytes.size() - 15;
  for (size_t i = 0; i < most; ++i) {
    peer.write(bytes.substr(i, 1));
    if (i % 16 == 0) run_a_while();
  }
  peer.write(bytes.substr(most));
  run_until(
      [&] {
        peer.read_some();
        return !peer.frames().empty();
      },
      "the echo");
  EXPECT_EQ(peer.frames().front().payload, "early");
}

TEST_F(ServerTest, GreetsBeforeItHears) {
  greet = [](Recorder& recorder) { recorder.connection->send(Opcode::kText, "welcome"); };
  serve();
  const auto client = dial_open();
  run_until([&] { return client->heard.size() == 1; }, "the greeting");
  EXPECT_EQ(client->heard[0], "welcome");
}

TEST_F(ServerTest, MayCloseWhileItAccepts) {
  greet = [](Recorder& recorder) {
    recorder.connection->send(Opcode::kText, "no");
    recorder.connection->close(ws::kCloseNone, "");
  };
  serve();
  const auto client = dial(url());
  run_until([&] { return client->closed; }, "the close");
  EXPECT_EQ(client->end.code, ws::kCloseNone);
  EXPECT_EQ(client->heard.size(), 1u);
}

TEST_F(ServerTest, EndsASilentHandshakeWithoutAWord) {
  ServerOptions options;
  options.handshake_timeout = Millis(30);
  serve(options);
  RawPeer peer;
  peer.connect(server->port());
  peer.write("GET / HTTP/1.1\r\nHost: x\r\n");
  read_until_ended(peer);
  EXPECT_EQ(peer.got, "");
  EXPECT_EQ(server->connections(), 0u);
}

TEST_F(ServerTest, HandshakeTimeoutDoesNotTouchOpenConnections) {
  ServerOptions options;
  options.handshake_timeout = Millis(20);
  serve(options);
  const auto client = dial_open();
  RawPeer silent;
  silent.connect(server->port());
  read_until_ended(silent);
  client->own->send(Opcode::kText, "still here");
  run_until([&] { return client->heard.size() == 1; }, "the echo");
}

TEST_F(ServerTest, ConnectionLimitIsInclusive) {
  ServerOptions options;
  options.max_connections = 2;
  serve(options);
  const auto first = dial_open();
  const auto second = dial_open();
  const auto third = dial(url());
  run_until([&] { return third->failed(); }, "the refusal");
  EXPECT_EQ(third->error.code, "connect_failed");
  EXPECT_EQ(server->connections(), 2u);
  first->own->drop();
  run_until([&] { return server->connections() == 1; }, "a free place");
  dial_open();
}

TEST_F(ServerTest, ComesBackWhenDescriptorsAreFreeAgain) {
  // The undefined-behaviour sanitizer needs a descriptor to look at a class for the first time, so
  // everything that the silent part below does is done once before: a connection, an error.
  serve();
  dial_open()->own->drop();
  run_until([&] { return server->connections() == 0; }, "no connection left");
  const Url old = url();
  serve();
  const auto refused = dial(old);
  run_until([&] { return refused->failed(); }, "the refusal");
  accepted.clear();
  const uint16_t port = server->port();
  RawPeer peer;  // its descriptor exists before there are no more
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const int highest = ::dup(0);
  ::close(highest);
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(highest);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  peer.connect(port);
  peer.upgrade();
  run_a_while();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(accepted.size(), 0u);
  run_until([&] { return accepted.size() == 1; }, "the late upgrade");
}

TEST_F(ServerTest, StopDropsEveryConnection) {
  serve();
  const auto client = dial_open();
  RawPeer silent;
  silent.connect(server->port());
  run_until([&] { return server->connections() == 2; }, "both connections");
  const uint16_t port = server->port();
  accepted[0]->connection->send(Opcode::kText, "last");
  server->stop();
  run_until([&] { return client->closed && accepted[0]->closed; }, "both ends closed");
  EXPECT_EQ(client->end.code, ws::kCloseAbnormal);
  EXPECT_EQ(client->heard.size(), 1u);
  read_until_ended(silent);
  const auto late = dial({.host = "127.0.0.1", .port = port});
  run_until([&] { return late->failed(); }, "the refusal");
}

TEST_F(ServerTest, DestroyingItSilencesItsConnections) {
  serve();
  const auto client = dial_open();
  server.reset();
  run_until([&] { return client->closed; }, "the client's end");
  EXPECT_FALSE(accepted[0]->closed);
  accepted[0]->connection->send(Opcode::kText, "nobody hears this");
}

TEST_F(ServerTest, DestroyingItSilencesConnectionsThatEndedInTheSameTurn) {
  ServerOptions options;
  options.connection.max_queued_bytes = 1'000'000;
  serve(options);
  RawPeer peer;
  peer.connect(server->port());
  peer.upgrade();
  run_until([&] { return accepted.size() == 1; }, "the upgrade");
  loop.post([&] {
    accepted[0]->connection->send(Opcode::kBinary, std::string(30'000'000, 'x'));  // ends it
    server.reset();
  });
  run_a_while();
  EXPECT_FALSE(accepted[0]->closed);
}

TEST_F(ServerTest, SaysWhenThePortIsTaken) {
  serve();
  ServerOptions options;
  options.port = server->port();
  const auto second =
      Server::listen(loop, options, [](const auto&, const auto&) { return ws::Refusal{}; });
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, "address_in_use");
  EXPECT_THAT(second.error().message, HasSubstr(std::to_string(options.port)));
}

TEST_F(ServerTest, ListensOnANamedHostAndOnAllAddresses) {
  for (const std::string host : {"localhost", "0.0.0.0", "::"}) {
    ServerOptions options;
    options.host = host;
    serve(options);
    const auto client = dial_open();
    client->own->send(Opcode::kText, "x");
    run_until([&] { return client->heard.size() == 1; }, "the echo");
    EXPECT_EQ(last_ip, "127.0.0.1") << host;
  }
}

TEST_F(ServerTest, RefusesAHostThatIsNotOfThisMachine) {
  ServerOptions options;
  options.host = "192.0.2.1";  // kept free for documentation
  const auto listening =
      Server::listen(loop, options, [](const auto&, const auto&) { return ws::Refusal{}; });
  ASSERT_FALSE(listening);
  EXPECT_EQ(listening.error().code, "listen_failed");
}

}  // namespace
}  // namespace iii::net
