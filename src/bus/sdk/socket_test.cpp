// Rows W01, W12, W18 and W19 over real sockets: a worker, and a server that plays the engine.
#include <map>

#include "bus/net/server.h"
#include "bus/sdk/fake_engine.h"
#include "bus/sdk/worker.h"

namespace iii::sdk {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

// Keeps what arrives on one connection.
struct Seen {
  ws::UpgradeRequest request;
  std::shared_ptr<net::Connection> connection;
  std::vector<std::pair<ws::Opcode, std::string>> messages;
  std::optional<net::CloseInfo> closed;
  int pings = 0;
};

class Listener final : public net::ConnectionEvents {
 public:
  Listener(Seen& seen, std::function<void(Seen&, std::string_view)> on_message)
      : seen_(seen), on_message_(std::move(on_message)) {}
  void on_message(ws::Opcode kind, std::string_view payload) override {
    seen_.messages.emplace_back(kind, payload);
    on_message_(seen_, payload);
  }
  void on_ping() override { ++seen_.pings; }
  void on_closed(const net::CloseInfo& info) override {
    seen_.closed = info;
    seen_.connection.reset();
  }

 private:
  Seen& seen_;
  std::function<void(Seen&, std::string_view)> on_message_;
};

class SocketTest : public testing::Test {
 protected:
  SocketTest() : pump(loop) {
    auto router = [this](const ws::UpgradeRequest& request,
                         const std::string&) -> net::RouteDecision {
      if (auto bad = ws::check_upgrade(request)) return *bad;
      if (request.path() == "/ws/channels/unknown")
        return ws::Refusal{404, "Channel not found", {}};
      return net::Accept([this, request](std::shared_ptr<net::Connection> connection) {
        auto& seen = connections.emplace_back(std::make_unique<Seen>());
        seen->request = request;
        seen->connection = std::move(connection);
        return std::make_unique<Listener>(
            *seen, [this](Seen& where, std::string_view text) { received(where, text); });
      });
    };
    server = net::Server::listen(loop, {}, router).value();
    options.url = "ws://127.0.0.1:" + std::to_string(server->port());
    options.name = "socket-test";
  }

  ~SocketTest() override {
    worker.reset();
    connections.clear();
    server.reset();
  }

  void start() {
    worker.emplace(options, loop);
    ASSERT_TRUE(worker->start());
    pump.run_until([this] { return worker->state() == SessionState::kReady; });
  }
  void received(Seen& where, std::string_view text) {
    if (text.find("engine::workers::register") == std::string_view::npos) return;
    const json::Value frame = json::parse(text).value();
    where.connection->send(ws::Opcode::kBinary,  // JSON in a binary frame counts too
                           R"({"type":"invocationresult","function_id":"x","invocation_id":")" +
                               *frame.find("invocation_id")->as_string() + R"("})");
  }

  net::Loop loop;
  FakeEngine pump;  // only for its way of running the loop
  std::vector<std::unique_ptr<Seen>> connections;
  std::unique_ptr<net::Server> server;
  WorkerOptions options;
  std::optional<Worker> worker;
};

TEST_F(SocketTest, ConnectsToTheRootWithoutSubprotocolAndWithTheHeadersAskedFor) {
  options.token = "secret";
  options.headers = {{"x-demo", "1"}};
  start();
  const ws::UpgradeRequest& request = connections.at(0)->request;
  EXPECT_EQ(request.target, "/");
  EXPECT_EQ(*request.header("authorization"), "Bearer secret");
  EXPECT_EQ(*request.header("x-demo"), "1");
  EXPECT_EQ(request.header("sec-websocket-protocol"), nullptr);
  EXPECT_EQ(request.header("sec-websocket-extensions"), nullptr);
  EXPECT_EQ(request.header("origin"), nullptr);
}

TEST_F(SocketTest, KeepsThePathAndQueryOfItsAddress) {
  options.url += "/?t=x";
  start();
  EXPECT_EQ(connections.at(0)->request.target, "/?t=x");
}

TEST_F(SocketTest, SaysGoodbyeWithACloseFrameWithoutACode) {
  start();
  bool stopped = false;
  worker->stop([&] { stopped = true; });
  pump.run_until([&] { return stopped && connections.at(0)->closed; });
  EXPECT_EQ(connections.at(0)->closed->code, ws::kCloseNone);
  EXPECT_EQ(connections.size(), 1u);
}

Task<void> write_and_close(Worker* worker, ChannelRef ref, std::string bytes,
                           std::string* outcome) {
  ChannelWriter writer = worker->open_writer(ref);
  Result<void> sent = co_await writer.send_text("hello");
  if (sent) sent = co_await writer.write(std::move(bytes));
  *outcome = sent ? "sent" : sent.error().code;
}

Task<void> read_to_end(Worker* worker, ChannelRef ref, std::string* outcome) {
  ChannelReader reader = worker->open_reader(ref);
  const Result<std::string> all = co_await reader.read_all(10);
  *outcome = all ? "read " + *all : all.error().code + ": " + all.error().message;
}

TEST_F(SocketTest, AWriterSendsChunksOfAtMost64KiBAndClosesNormally) {
  options.token = "secret";
  options.headers = {{"x-demo", "1"}};
  start();
  std::string outcome;
  worker->spawn(write_and_close(&*worker, {"c", "k/y", ChannelDirection::kWrite},
                                std::string(70'000, 'x'), &outcome));
  pump.run_until([&] { return connections.size() == 2 && connections[1]->closed; });
  const Seen& seen = *connections[1];
  EXPECT_EQ(outcome, "sent");
  EXPECT_EQ(seen.request.target, "/ws/channels/c?key=k%2Fy&dir=write");
  EXPECT_EQ(*seen.request.header("authorization"), "Bearer secret");
  EXPECT_EQ(seen.request.header("x-demo"), nullptr);
  ASSERT_EQ(seen.messages.size(), 3u);
  EXPECT_EQ(seen.messages[0], std::pair(ws::Opcode::kText, std::string("hello")));
  EXPECT_EQ(seen.messages[1].first, ws::Opcode::kBinary);
  EXPECT_EQ(seen.messages[1].second.size(), 65'536u);
  EXPECT_EQ(seen.messages[2].second.size(), 4'464u);
  EXPECT_EQ(seen.closed->code, ws::kCloseNormal);
  EXPECT_EQ(seen.closed->reason, "channel_close");
}

TEST_F(SocketTest, AWriterThatWroteNothingStillEndsTheStream) {
  start();
  {
    ChannelWriter writer = worker->open_writer({"c", "k", ChannelDirection::kWrite});
  }
  pump.run_until([&] { return connections.size() == 2 && connections[1]->closed; });
  EXPECT_THAT(connections[1]->messages, IsEmpty());
}

TEST_F(SocketTest, AReaderReadsToTheEndAndIsSilentItself) {
  start();
  std::string outcome;
  worker->spawn(read_to_end(&*worker, {"c", "k", ChannelDirection::kRead}, &outcome));
  pump.run_until([&] { return connections.size() == 2; });
  net::Connection& connection = *connections[1]->connection;
  connection.send(ws::Opcode::kBinary, "abc");
  connection.send(ws::Opcode::kText, "control");
  connection.send(ws::Opcode::kBinary, "def");
  connection.close(ws::kCloseNone, {});
  pump.run_until([&] { return !outcome.empty(); });
  EXPECT_EQ(outcome, "read abcdef");
  EXPECT_THAT(connections[1]->messages, IsEmpty());
  EXPECT_EQ(connections[1]->pings, 0);
}

TEST_F(SocketTest, AReaderThatHasEnoughDropsTheConnection) {
  start();
  std::string outcome;
  worker->spawn(read_to_end(&*worker, {"c", "k", ChannelDirection::kRead}, &outcome));
  pump.run_until([&] { return connections.size() == 2; });
  connections[1]->connection->send(ws::Opcode::kBinary, "more than ten bytes");
  pump.run_until([&] { return connections[1]->closed.has_value(); });
  EXPECT_THAT(outcome, testing::StartsWith("channel_too_long"));
  EXPECT_EQ(connections[1]->closed->code, ws::kCloseAbnormal);
}

TEST_F(SocketTest, AnUnknownChannelIsAnError) {
  start();
  std::string outcome;
  worker->spawn(read_to_end(&*worker, {"unknown", "k", ChannelDirection::kRead}, &outcome));
  pump.run_until([&] { return !outcome.empty(); });
  EXPECT_THAT(outcome, testing::StartsWith("channel_failed"));
}

}  // namespace
}  // namespace iii::sdk
