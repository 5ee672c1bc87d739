// Stream channels between real sockets: what is read, held and let go.
#include "bus/engine/channels.h"
#include "bus/net/net_fixture_for_test.h"
#include "foundation/base/fake_timers.h"

namespace iii::engine {
namespace {

using ::testing::ElementsAre;
using ws::Opcode;
using ws::RawFrame;

constexpr size_t kMiB = 1024 * 1024;

// Clients of `/write` and `/read` are attached to the two ends of one channel.
class ChannelSockets : public net::NetTest {
 protected:
  ChannelSockets() {
    const ChannelTable::Ref ref = table_.create(ChannelTable::kMostItems).value();
    channel_ = table_.find(ref.channel_id, ref.access_key);
    net::ServerOptions options;
    options.memory = memory_;
    options.connection.hangup_check = Millis(5);
    const auto route = [this](const ws::UpgradeRequest& request,
                              const std::string&) -> net::RouteDecision {
      const ChannelSide side = request.path() == "/read" ? ChannelSide::kRead : ChannelSide::kWrite;
      return net::Accept([this, side](std::shared_ptr<net::Connection> connection) {
        return table_.attach(channel_, side, std::move(connection));
      });
    };
    server = net::Server::listen(loop, options, route).value();
  }

  std::unique_ptr<Client> attach(const std::string& path) {
    auto client = dial(url(path));
    run_until([&] { return client->open(); }, "an open client");
    return client;
  }

  const std::shared_ptr<net::MemoryBudget> memory_ =
      std::make_shared<net::MemoryBudget>(1024 * kMiB);
  RandomIds ids_;
  FakeTimers timers_;
  ChannelTable table_{timers_, ids_, {}, memory_};
  std::shared_ptr<Channel> channel_;
};

TEST_F(ChannelSockets, ALargeItemIsNotReadBeforeItsReaderComes) {
  const auto in = attach("/write");
  const std::string item(50 * kMiB, 'x');
  in->own->send(Opcode::kBinary, item);
  run_a_while();
  EXPECT_LE(memory_->total(), 2 * kMiB);
  EXPECT_GT(in->own->queued_bytes(), 30 * kMiB);
  const auto out = attach("/read");
  size_t most = 0;
  run_until(
      [&] {
        most = std::max(most, memory_->total());
        return out->heard.size() == 1;
      },
      "the item");
  EXPECT_LE(most, item.size() + 2 * kMiB) << "it was held more than once";
  EXPECT_TRUE(out->heard[0] == item);
  EXPECT_EQ(memory_->total(), 0u);
}

TEST_F(ChannelSockets, ASlowReaderCostsOneItemAtATime) {
  net::RawPeer out;
  out.connect(server->port());
  out.upgrade("/read");
  const auto in = attach("/write");
  for (int i = 0; i < 3; ++i) in->own->send(Opcode::kBinary, std::string(30 * kMiB, 'x'));
  size_t most = 0;
  for (int i = 0; i < 10; ++i) {
    run_a_while();
    most = std::max(most, memory_->total());
  }
  EXPECT_LE(most, 32 * kMiB);
  size_t got = 0;
  run_until(
      [&] {
        out.read_some();
        got += out.got.size();
        out.got.clear();
        return got > 90 * kMiB;
      },
      "everything");
}

TEST_F(ChannelSockets, AWriterThatLeftWhileItWasNotReadKeepsNoSocket) {
  net::RawPeer in;
  in.connect(server->port());
  in.upgrade("/write");
  const std::string item(64 * 1024, 'x');
  const std::string frame = RawFrame{.opcode = 2, .payload = item}.bytes();
  for (int i = 0; i < 18; ++i) {  // more than a channel holds
    in.write(frame);
    run_a_while();
  }
  EXPECT_EQ(server->connections(), 1u);
  in.read_some();  // closing with unread input would be a reset
  in.hang_up();
  run_until([&] { return server->connections() == 0; }, "no connection left");
  const auto out = attach("/read");
  run_until([&] { return out->closed; }, "the end");
  EXPECT_TRUE(out->heard == std::vector<std::string>(18, item)) << out->heard.size();
  run_until([&] { return server->connections() == 0; }, "no connection left");
  EXPECT_EQ(memory_->total(), 0u);
}

TEST_F(ChannelSockets, NothingIsLeftWhenBothEndsAreGone) {
  net::RawPeer out;
  out.connect(server->port());
  out.upgrade("/read");
  net::RawPeer in;
  in.connect(server->port());
  in.upgrade("/write");
  const std::string frame = RawFrame{.opcode = 2, .payload = std::string(64 * 1024, 'x')}.bytes();
  for (int i = 0; i < 40; ++i) {
    in.write(frame);
    run_a_while();
  }
  in.hang_up();
  out.hang_up();
  run_until([&] { return server->connections() == 0; }, "no connection left");
  EXPECT_EQ(memory_->total(), 0u);
}

}  // namespace
}  // namespace iii::engine
