// What happens to a peer that takes less than is sent to it.
#include "bus/net/net_fixture_for_test.h"

namespace iii::net {
namespace {

using ws::EventKind;
using ws::Opcode;
using ws::RawFrame;

// A peer that does not read, and one that does and must not notice.
class SlowPeerTest : public NetTest {
 protected:
  void flood_and_expect_disconnect(size_t bytes) {
    RawPeer slow;
    upgrade(slow);
    const auto end = accepted.back();
    const auto other = dial_open();
    const std::string block(1'000'000, 'x');
    for (size_t sent = 0; sent < bytes; sent += block.size()) {
      end->connection->send(Opcode::kBinary, block);
    }
    other->own->send(Opcode::kText, "are you fine?");
    run_until([&] { return other->heard.size() == 1; }, "the other peer's echo");
    run_until([&] { return end->closed; }, "the disconnect");
    EXPECT_EQ(end->end.code, ws::kCloseAbnormal);
    other->own->send(Opcode::kText, "and now?");
    run_until([&] { return other->heard.size() == 2; }, "the other peer's echo");
    EXPECT_FALSE(other->closed);
  }
};

TEST_F(SlowPeerTest, IsDisconnectedWhenTooMuchWaitsForIt) {
  ServerOptions options;
  options.connection.max_queued_bytes = 5'000'000;
  serve(options);
  flood_and_expect_disconnect(30'000'000);
}

TEST_F(SlowPeerTest, IsDisconnectedWhenItTakesNothingForTooLong) {
  ServerOptions options;
  options.connection.stall_timeout = Millis(50);
  serve(options);
  flood_and_expect_disconnect(30'000'000);
}

TEST_F(SlowPeerTest, IsKeptAtTheLimitAndWhileItReads) {
  ServerOptions options;
  options.connection.max_queued_bytes = 30'000'000;
  options.connection.stall_timeout = Millis(2000);
  serve(options);
  RawPeer peer;
  upgrade(peer);
  for (int i = 0; i < 20; ++i)
    accepted[0]->connection->send(Opcode::kBinary, std::string(1'000'000, 'x'));
  run_until(
      [&] {
        peer.read_some();
        return peer.got.size() > 20'000'000;
      },
      "everything");
  EXPECT_FALSE(accepted[0]->closed);
  EXPECT_EQ(accepted[0]->connection->queued_bytes(), 0u);
}

// It asks for more than may ever wait for it, but takes one after the other.
TEST_F(SlowPeerTest, ThatReadsGetsFourLargeAnswers) {
  const auto body = std::make_shared<const std::string>(std::string(58'000'000, 'x'));
  react = [&](Recorder& recorder, Opcode, std::string_view) {
    EXPECT_TRUE(recorder.connection->accepts(body->size()));
    recorder.connection->send_shared(Opcode::kBinary, {body, *body});
  };
  serve();
  RawPeer peer;
  upgrade(peer);
  const std::string question = RawFrame{.payload = "get"}.bytes();
  peer.write(question + question + question + question);
  size_t got = 0;
  run_until(
      [&] {
        peer.read_some();
        got += peer.got.size();
        peer.got.clear();
        return got > 4 * body->size() || accepted[0]->closed;
      },
      "four answers");
  EXPECT_FALSE(accepted[0]->closed);
  EXPECT_EQ(accepted[0]->heard.size(), 4u);
  EXPECT_EQ(body.use_count(), 1);
}

TEST_F(SlowPeerTest, IsNotReadWhileMuchWaitsForIt) {
  react = [](Recorder& recorder, Opcode kind, std::string_view) {
    recorder.connection->send(kind, std::string(1'000'000, 'x'));
  };
  ServerOptions options;
  options.connection.high_water = 8'000'000;
  options.connection.hold_patience = std::chrono::hours(1);
  serve(options);
  RawPeer peer;
  upgrade(peer);
  std::string questions;
  for (int i = 0; i < 100; ++i) questions += RawFrame{.payload = "get"}.bytes();
  peer.write(questions);
  run_a_while();
  EXPECT_LT(accepted[0]->heard.size(), 25u);
  EXPECT_LE(accepted[0]->connection->queued_bytes(), 9'100'000u);
  run_until(
      [&] {
        peer.read_some();
        peer.got.clear();
        return accepted[0]->heard.size() == 100;
      },
      "all answers");
}

// A peer may write everything before it reads anything: if nobody read it, both would wait.
TEST_F(SlowPeerTest, IsReadAgainWhenItTakesNothing) {
  react = [](Recorder& recorder, Opcode kind, std::string_view) {
    recorder.connection->send(kind, std::string(1'000'000, 'x'));
  };
  ServerOptions options;
  options.connection.high_water = 2'000'000;
  options.connection.hold_patience = Millis(5);
  serve(options);
  RawPeer peer;
  upgrade(peer);
  std::string questions;
  for (int i = 0; i < 50; ++i) questions += RawFrame{.payload = "get"}.bytes();
  peer.write(questions);
  run_until([&] { return accepted[0]->heard.size() == 50; }, "all questions");
  EXPECT_FALSE(accepted[0]->closed);
}

TEST_F(SlowPeerTest, RefusesWhatDoesNotFit) {
  ServerOptions options;
  options.connection.max_queued_bytes = 20'000'000;
  serve(options);
  RawPeer peer;
  upgrade(peer);
  Connection& end = *accepted[0]->connection;
  end.send(Opcode::kBinary, std::string(15'000'000, 'x'));
  run_a_while();
  const size_t room = 20'000'000 - end.queued_bytes();
  EXPECT_TRUE(end.accepts(room));
  EXPECT_FALSE(end.accepts(room + 1));
}

// A channel's reader takes its time: what its writer sent before the end must still arrive.
TEST_F(SlowPeerTest, ThatMayStallGetsEverythingThatWasSentBeforeTheClose) {
  ServerOptions options;
  options.connection.linger = Millis(20);
  serve(options);
  RawPeer peer;
  upgrade(peer);
  Connection& end = *accepted[0]->connection;
  end.allow_stalls();
  for (int i = 0; i < 20; ++i) end.send(Opcode::kBinary, std::string(1'000'000, 'x'));
  end.close(ws::kCloseNone, "");
  const auto start = loop.now();
  run_until([&] { return loop.now() - start > Millis(100); }, "many lingering times");
  read_to_end(peer);
  EXPECT_FALSE(peer.reset);
  const auto frames = peer.frames();
  ASSERT_EQ(frames.size(), 21u);
  EXPECT_EQ(frames.back().kind, EventKind::kClose);
}

TEST_F(SlowPeerTest, QueueLimitIsInclusive) {
  ServerOptions options;
  options.connection.max_queued_bytes = 20'000'000;
  serve(options);
  RawPeer peer;
  upgrade(peer);
  Connection& connection = *accepted[0]->connection;
  // Fill the socket first: after that every byte waits.
  connection.send(Opcode::kBinary, std::string(16'000'000, 'x'));
  run_a_while();
  ASSERT_GT(connection.queued_bytes(), 1'000'000u);
  const size_t room = 20'000'000 - connection.queued_bytes();
  connection.send(Opcode::kBinary, std::string(room - 10, 'x'));
  ASSERT_EQ(connection.queued_bytes(), 20'000'000u);
  run_a_while();
  EXPECT_FALSE(accepted[0]->closed);
  connection.ping("");
  run_until([&] { return accepted[0]->closed; }, "the disconnect");
}

}  // namespace
}  // namespace iii::net
