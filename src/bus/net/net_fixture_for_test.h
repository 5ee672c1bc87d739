// For tests: a loop with an echo server, clients on the same loop, and raw TCP peers that
// misbehave.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bus/net/client.h"
#include "bus/net/loop.h"
#include "bus/net/server.h"
#include "bus/ws/frames_for_test.h"

namespace iii::net {

// Hears a connection and writes down what it hears; `react` may answer each message.
class Recorder : public ConnectionEvents {
 public:
  using React = std::function<void(Recorder&, ws::Opcode, std::string_view)>;

  void on_message(ws::Opcode kind, std::string_view payload) override {
    heard.emplace_back(payload);
    if (React now = react) now(*this, kind, payload);  // a copy: it may replace itself
  }
  void on_large_message(ws::Opcode kind, ws::OwnedMessage&& message) override {
    if (!keep_large) return on_message(kind, message.view());
    kept.push_back(std::move(message));
  }
  void on_ping() override { ++pings; }
  void on_pong() override { ++pongs; }
  void on_half_closed() override { ++half_closes; }
  void on_closed(const CloseInfo& info) override {
    EXPECT_FALSE(closed) << "on_closed came twice";
    closed = true;
    end = info;
  }

  std::shared_ptr<Connection> connection;
  std::vector<std::string> heard;
  std::vector<ws::OwnedMessage> kept;
  bool keep_large = false;
  React react;
  int pings = 0;
  int pongs = 0;
  int half_closes = 0;
  bool closed = false;
  CloseInfo end;
};

// The server owns its events; the test keeps the record.
class Forward final : public ConnectionEvents {
 public:
  explicit Forward(std::shared_ptr<Recorder> to) : to_(std::move(to)) {}
  void on_message(ws::Opcode kind, std::string_view payload) override {
    to_->on_message(kind, payload);
  }
  void on_large_message(ws::Opcode kind, ws::OwnedMessage&& message) override {
    to_->on_large_message(kind, std::move(message));
  }
  void on_ping() override { to_->on_ping(); }
  void on_pong() override { to_->on_pong(); }
  void on_half_closed() override { to_->on_half_closed(); }
  void on_closed(const CloseInfo& info) override { to_->on_closed(info); }

 private:
  const std::shared_ptr<Recorder> to_;
};

// A plain blocking TCP socket.
class RawPeer {
 public:
  RawPeer() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {}
  ~RawPeer() { hang_up(); }
  RawPeer(const RawPeer&) = delete;
  RawPeer& operator=(const RawPeer&) = delete;

  void connect(uint16_t port, uint32_t host = INADDR_LOOPBACK) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(host);
    ASSERT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  void upgrade(const std::string& target = "/") {
    write(ws::upgrade_request({.host = "h", .target = target, .key = "dGhlIHNhbXBsZSBub25jZQ=="}));
  }
  void write(std::string_view bytes) {
    ASSERT_EQ(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  // False when the other end is gone.
  bool try_write(std::string_view bytes) {
    return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }
  // Writes until the other end takes no more.
  void write_until_full() {
    const std::string piece(65536, 'x');
    while (::send(socket_, piece.data(), piece.size(), MSG_NOSIGNAL | MSG_DONTWAIT) > 0) continue;
  }
  // Takes what has arrived. `ended` and `reset` tell how the stream ended, if it did.
  void read_some() {
    char piece[65536];
    for (;;) {
      const ssize_t count = ::recv(socket_, piece, sizeof piece, MSG_DONTWAIT);
      if (count > 0) {
        got.append(piece, static_cast<size_t>(count));
        continue;
      }
      if (count == 0) ended = true;
      if (count < 0 && errno == ECONNRESET) ended = reset = true;
      return;
    }
  }
  // The frames behind the head of the 101 answer.
  std::vector<ws::Seen> frames() const {
    const size_t head = got.find("\r\n\r\n");
    if (head == std::string::npos) return {};
    return ws::decode(ws::Role::kClient, {}, std::string_view(got).substr(head + 4));
  }
  void half_close() { ::shutdown(socket_, SHUT_WR); }
  void hang_up() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }

  std::string got;
  bool ended = false;
  bool reset = false;

 private:
  int socket_;
};

class NetTest : public ::testing::Test {
 protected:
  // Runs the loop until `done`; a test that gets stuck fails instead of hanging.
  void run_until(const std::function<bool()>& done, const char* what) {
    bool reached = false;
    std::function<void(int)> look = [&](int left) {
      reached = done();
      if (reached || left == 0) return loop.stop();
      loop.after(Millis(1), [&look, left] { look(left - 1); });
    };
    loop.post([&] { look(20'000); });
    loop.run();
    ASSERT_TRUE(reached) << "waited in vain for: " << what;
  }
  // Everything that is already under way gets its chance.
  void run_a_while() {
    int turns = 0;
    run_until([&] { return ++turns > 30; }, "thirty turns");
  }

  void serve(ServerOptions options = {}) {
    const auto route = [this](const ws::UpgradeRequest& request,
                              const std::string& ip) -> RouteDecision {
      last_ip = ip;
      if (request.path() != "/") return ws::Refusal{};
      if (auto refusal = ws::check_upgrade(request)) return *std::move(refusal);
      return Accept([this](std::shared_ptr<Connection> connection) {
        auto recorder = std::make_shared<Recorder>();
        recorder->connection = std::move(connection);
        recorder->react = react;
        accepted.push_back(recorder);
        if (greet) greet(*recorder);
        return std::make_unique<Forward>(recorder);
      });
    };
    auto listening = Server::listen(loop, std::move(options), route);
    ASSERT_TRUE(listening) << listening.error().message;
    server = std::move(*listening);
  }

  Url url(std::string target = "/") const {
    return {.host = "127.0.0.1", .port = server->port(), .target = std::move(target)};
  }

  struct Client : Recorder {
    std::unique_ptr<Connecting> connecting;
    std::shared_ptr<ClientConnection> own;
    Error error;
    bool open() const { return own != nullptr; }
    bool failed() const { return !error.code.empty(); }
  };
  std::unique_ptr<Client> dial(const Url& to, ConnectOptions options = {}) {
    auto client = std::make_unique<Client>();
    client->connecting = connect(loop, to, std::move(options), [c = client.get()](auto result) {
      if (!result) {
        c->error = result.error();
        return;
      }
      c->own = *result;
      c->own->start(*c);
    });
    return client;
  }
  std::unique_ptr<Client> dial_open() {
    auto client = dial(url());
    run_until([&] { return client->open(); }, "an open client");
    return client;
  }

  // The server's end of a raw peer that is upgraded.
  std::shared_ptr<Recorder> upgrade(RawPeer& peer) {
    const size_t before = accepted.size();
    peer.connect(server->port());
    peer.upgrade();
    run_until([&] { return accepted.size() > before; }, "the upgrade");
    return accepted.back();
  }
  void read_to_end(RawPeer& peer) {
    run_until(
        [&] {
          peer.read_some();
          return peer.ended;
        },
        "the end of the stream");
  }

  static void echo(Recorder& recorder, ws::Opcode kind, std::string_view payload) {
    recorder.connection->send(kind, payload);
  }

  Loop loop;
  std::vector<std::shared_ptr<Recorder>> accepted;
  Recorder::React react = echo;
  std::function<void(Recorder&)> greet;
  std::string last_ip;
  std::unique_ptr<Server> server;
};

}  // namespace iii::net
