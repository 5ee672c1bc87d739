#include "bus/net/client.h"

#include "bus/net/net_fixture_for_test.h"

namespace iii::net {
namespace {

using ::testing::HasSubstr;
using ws::Opcode;

TEST(Url, ReadsWhatPeopleWrite) {
  struct Case {
    const char* text;
    const char* host;
    uint16_t port;
    const char* target;
    const char* authority;
  };
  const Case cases[] = {
      {"ws://127.0.0.1:49134", "127.0.0.1", 49134, "/", "127.0.0.1:49134"},
      {"WS://host", "host", 80, "/", "host"},
      {"ws://host:80/", "host", 80, "/", "host"},
      {"ws://host:/p", "host", 80, "/p", "host"},
      {"ws://h:1/a/b?c=d&e#f", "h", 1, "/a/b?c=d&e", "h:1"},
      {"ws://h:1?c=d", "h", 1, "/?c=d", "h:1"},
      {"ws://[::1]:9/x", "::1", 9, "/x", "[::1]:9"},
      {"ws://[::1]", "::1", 80, "/", "[::1]"},
      {"wss://host", "host", 443, "/", "host"},
      {"WSS://host:80/x", "host", 80, "/x", "host:80"},
  };
  for (const Case& c : cases) {
    const Result<Url> url = Url::parse(c.text);
    ASSERT_TRUE(url) << c.text;
    EXPECT_EQ(url->host, c.host) << c.text;
    EXPECT_EQ(url->port, c.port) << c.text;
    EXPECT_EQ(url->target, c.target) << c.text;
    EXPECT_EQ(url->authority(), c.authority) << c.text;
    EXPECT_EQ(url->secure, c.text[2] == 's' || c.text[2] == 'S') << c.text;
  }
}

TEST(Url, RefusesWithAReason) {
  for (const char* text : {"", "host:1", "http://h", "ws://", "ws://:1", "ws://h:0", "ws://h:65536",
                           "ws://h:1x", "ws://h:-1", "ws://[::1", "ws://[::1]x", "ws://u:p@h/",
                           "ws://h/a b", "ws://h/\r\nx: y", "ws://h/ü"}) {
    const Result<Url> url = Url::parse(text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().code, "bad_url");
  }
}

class ClientTest : public NetTest {};

TEST_F(ClientTest, ResolvesNames) {
  serve();
  Url named = url();
  named.host = "localhost";
  const auto client = dial(named);
  run_until([&] { return client->open(); }, "an open client");
}

TEST_F(ClientTest, SaysWhyTheUpgradeWasRefused) {
  serve();
  const auto client = dial(url("/nope"));
  run_until([&] { return client->failed(); }, "the refusal");
  EXPECT_EQ(client->error.code, "upgrade_refused");
  EXPECT_THAT(client->error.message, HasSubstr("404 Not Found"));
}

TEST_F(ClientTest, SaysThatNobodyListens) {
  serve();
  const Url nobody = url();
  server.reset();
  const auto client = dial(nobody);
  EXPECT_FALSE(client->failed()) << "done was called from inside connect()";
  run_until([&] { return client->failed(); }, "the refusal");
  EXPECT_EQ(client->error.code, kConnectRefused);
}

TEST_F(ClientTest, APlainServerAtASecureAddressIsToldApart) {
  serve();
  Url secure = url();
  secure.secure = true;
  const auto client = dial(secure);
  run_until([&] { return client->failed(); }, "the refusal");
  EXPECT_EQ(client->error.code, "tls_failed");
  EXPECT_THAT(client->error.message, HasSubstr("Next:"));
}

TEST(TlsTrust, AFileWithoutCertificatesIsRefused) {
  for (const char* file : {"/dev/null", "/nowhere/at/all.pem"}) {
    EXPECT_EQ(make_tls_trust(file).error().code, "bad_ca_file");
  }
  EXPECT_TRUE(make_tls_trust(""));
}

TEST_F(ClientTest, RefusesHeadersThatHttpCannotCarry) {
  serve();
  ConnectOptions options;
  options.headers = {{"x-token", "a\r\nb: c"}};
  const auto client = dial(url(), options);
  run_until([&] { return client->failed(); }, "the refusal");
  EXPECT_EQ(client->error.code, "bad_header");
}

// A listener whose connections are completed by the kernel and then ignored, or answered by hand.
class SilentServer {
 public:
  SilentServer() : listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listener_, 4), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port = ntohs(address.sin_port);
  }
  ~SilentServer() {
    ::close(listener_);
    if (peer_ >= 0) ::close(peer_);
  }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;

  // Accepts and reads the request; true when it is whole.
  bool has_request() {
    if (peer_ < 0) peer_ = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK);
    if (peer_ < 0) return false;
    char piece[4096];
    const ssize_t count = ::recv(peer_, piece, sizeof piece, MSG_DONTWAIT);
    if (count > 0) request_.append(piece, static_cast<size_t>(count));
    size_t consumed = 0;
    ws::RequestReader reader;
    if (reader.feed(request_, consumed) != ws::RequestReader::Status::kDone) return false;
    request = reader.request();
    return true;
  }
  void answer(const std::string& bytes) {
    EXPECT_EQ(::send(peer_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }

  uint16_t port = 0;
  ws::UpgradeRequest request;

 private:
  int listener_;
  int peer_ = -1;
  std::string request_;
};

// A handshake that waits leaves the loop to others.
TEST_F(ClientTest, AServerThatNeverAnswersTheTlsHandshakeTimesOut) {
  const SilentServer silent;
  ConnectOptions options;
  options.timeout = Millis(20);
  const Url secure{.host = "127.0.0.1", .port = silent.port, .target = "/", .secure = true};
  const auto client = dial(secure, std::move(options));
  run_until([&] { return client->failed(); }, "the time-out");
  EXPECT_EQ(client->error.code, "connect_timeout");
}

TEST_F(ClientTest, GivesUpAfterItsTimeout) {
  SilentServer silent;
  ConnectOptions options;
  options.timeout = Millis(30);
  const auto client = dial({.host = "127.0.0.1", .port = silent.port}, options);
  run_until([&] { return client->failed(); }, "the timeout");
  EXPECT_EQ(client->error.code, "connect_timeout");
}

TEST_F(ClientTest, CancelsWhenTheAttemptIsDestroyed) {
  SilentServer silent;
  const auto client = dial({.host = "127.0.0.1", .port = silent.port});
  run_until([&] { return silent.has_request(); }, "the request");
  client->connecting.reset();
  run_a_while();
  EXPECT_FALSE(client->failed());
  EXPECT_FALSE(client->open());
}

TEST_F(ClientTest, SendsItsHeadersAndHearsFramesThatCameWithTheAnswer) {
  SilentServer silent;
  ConnectOptions options;
  options.headers = {{"authorization", "Bearer t"}};
  const auto client = dial({.host = "127.0.0.1", .port = silent.port, .target = "/x?y"}, options);
  run_until([&] { return silent.has_request(); }, "the request");
  EXPECT_EQ(*silent.request.header("authorization"), "Bearer t");
  EXPECT_EQ(silent.request.target, "/x?y");
  silent.answer(ws::switching_protocols(silent.request) +
                ws::RawFrame{.payload = "first", .masked = false}.bytes());
  run_until([&] { return client->heard.size() == 1; }, "the first message");
  EXPECT_EQ(client->heard[0], "first");
}

TEST_F(ClientTest, RefusesAServerThatProvesNothing) {
  SilentServer silent;
  const auto client = dial({.host = "127.0.0.1", .port = silent.port});
  run_until([&] { return silent.has_request(); }, "the request");
  silent.answer("HTTP/1.1 101 Switching\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n");
  run_until([&] { return client->failed(); }, "the refusal");
  EXPECT_EQ(client->error.code, "bad_answer");
}

TEST_F(ClientTest, RefusesMaskedFrames) {
  SilentServer silent;
  const auto client = dial({.host = "127.0.0.1", .port = silent.port});
  run_until([&] { return silent.has_request(); }, "the request");
  silent.answer(ws::switching_protocols(silent.request) +
                ws::RawFrame{.payload = "masked"}.bytes());
  run_until([&] { return client->closed; }, "the end");
  EXPECT_TRUE(client->heard.empty());
}

TEST_F(ClientTest, LettingGoEndsTheConnectionWithoutEvents) {
  serve();
  auto client = dial_open();
  client->own->send(Opcode::kText, "last");
  client->own.reset();
  run_until([&] { return accepted[0]->closed; }, "the server's end");
  EXPECT_EQ(accepted[0]->heard.size(), 1u);
  EXPECT_EQ(accepted[0]->end.code, ws::kCloseAbnormal);
  EXPECT_FALSE(client->closed);
}

TEST_F(ClientTest, MayLetGoInsideItsHandlers) {
  serve();
  const auto client = dial_open();
  client->react = [c = client.get()](Recorder&, Opcode, std::string_view) { c->own.reset(); };
  client->own->send(Opcode::kText, "1");
  client->own->send(Opcode::kText, "2");
  run_until([&] { return accepted[0]->closed; }, "the server's end");
  EXPECT_EQ(client->heard.size(), 1u);
}

}  // namespace
}  // namespace iii::net
