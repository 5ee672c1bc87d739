#include "bus/net/connection.h"

#include <csignal>

#include "bus/net/net_fixture_for_test.h"

namespace iii::net {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ws::EventKind;
using ws::Opcode;
using ws::RawFrame;
using ws::Seen;

class ConnectionTest : public NetTest {
 protected:
  // Of four messages that arrive together, and of what is posted while each is handled.
  std::string order_of_four() {
    std::string order;
    react = [&](Recorder&, Opcode, std::string_view payload) {
      loop.post([&] { order += "."; });
      order += payload;
    };
    RawPeer peer;
    upgrade(peer);
    std::string batch;
    for (const char* word : {"1", "2", "3", "4"}) batch += RawFrame{.payload = word}.bytes();
    peer.write(batch);
    run_until([&] { return order.size() == 8; }, "all messages");
    return order;
  }
};

TEST_F(ConnectionTest, CarriesMessagesBothWays) {
  serve();
  const auto client = dial_open();
  client->own->send(Opcode::kText, "grüße");
  client->own->send(Opcode::kBinary, std::string("\0\xff", 2));
  client->own->send(Opcode::kText, "");
  client->own->send(Opcode::kBinary, std::string(5'000'000, 'b'));
  run_until([&] { return client->heard.size() == 4; }, "four echoes");
  EXPECT_THAT(client->heard,
              ElementsAre("grüße", std::string("\0\xff", 2), "", std::string(5'000'000, 'b')));
  EXPECT_EQ(last_ip, "127.0.0.1");
}

TEST_F(ConnectionTest, SplitsLargeMessagesIntoFramesThePeerAllows) {
  ServerOptions options;
  options.connection.limits = {.max_frame = 1000, .max_message = 100'000};
  serve(options);
  ConnectOptions client_options;
  client_options.connection.limits = {.max_frame = 1000, .max_message = 100'000};
  const auto client = dial(url(), client_options);
  run_until([&] { return client->open(); }, "an open client");
  client->own->send(Opcode::kText, std::string(100'000, 'x'));
  run_until([&] { return client->heard.size() == 1; }, "the echo");
  EXPECT_EQ(client->heard[0].size(), 100'000u);
}

TEST_F(ConnectionTest, SendsSharedBytesWithoutACopyAndReleasesThem) {
  for (const size_t max_frame : {size_t{16} << 20, size_t{1000}}) {
    ServerOptions options;
    options.connection.limits.max_frame = max_frame;
    serve(options);
    const auto client = dial(url(), {.connection = options.connection});
    run_until([&] { return client->open(); }, "an open client");
    for (const size_t size : {0u, 1000u, 40'000u, 5'000'000u}) {
      const auto body = std::make_shared<const std::string>(std::string(size, 'b'));
      Connection& end = *accepted.back()->connection;
      end.send(Opcode::kText, "before");
      const SharedBytes parts[] = {{{}, "head"}, {body, *body}, {{}, "tail"}};
      end.send_parts(Opcode::kText, parts);
      end.send(Opcode::kText, "after");
      client->heard.clear();
      run_until([&] { return client->heard.size() == 3; }, "three messages");
      EXPECT_THAT(client->heard, ElementsAre("before", "head" + *body + "tail", "after"));
      EXPECT_EQ(body.use_count(), 2);  // `body` and `parts`
      // A client has to mask, so it copies.
      client->heard.clear();
      client->own->send_parts(Opcode::kText, parts);
      EXPECT_EQ(body.use_count(), 2);
      run_until([&] { return client->heard.size() == 1; }, "the echo");
      EXPECT_EQ(client->heard[0], "head" + *body + "tail");
    }
  }
}

TEST_F(ConnectionTest, HandsLargeMessagesOver) {
  greet = [](Recorder& recorder) { recorder.keep_large = true; };
  serve();
  const auto client = dial_open();
  const std::string small(kLargeMessage, 's');
  const std::string large(kLargeMessage + 1, 'l');
  client->own->send(Opcode::kText, small);
  client->own->send(Opcode::kText, large);
  client->own->send(Opcode::kText, "last");
  run_until([&] { return accepted[0]->heard.size() == 2; }, "the small ones");
  EXPECT_THAT(accepted[0]->heard, ElementsAre(small, "last"));
  ASSERT_EQ(accepted[0]->kept.size(), 1u);
  EXPECT_EQ(accepted[0]->kept[0].view(), large);
  const SharedBytes shared = std::move(accepted[0]->kept[0]).share();
  accepted[0]->connection->send_shared(Opcode::kText, shared);
  run_until([&] { return client->heard.size() == 3; }, "the echoes");
  EXPECT_EQ(client->heard[2], large);
}

// ---- every connection gets its turn ----

TEST_F(ConnectionTest, OneThatFloodsDoesNotHoldUpOthers) {
  std::string order;
  react = [&](Recorder&, Opcode, std::string_view payload) { order += payload; };
  ServerOptions options;
  options.connection.turn_budget = {};
  serve(options);
  RawPeer flooding;
  upgrade(flooding);
  RawPeer other;
  upgrade(other);
  std::string flood;
  for (int i = 0; i < 1000; ++i) flood += RawFrame{.payload = "f"}.bytes();
  flooding.write(flood);
  other.write(RawFrame{.payload = "o"}.bytes() + RawFrame{.payload = "o"}.bytes() +
              RawFrame{.payload = "o"}.bytes());
  run_until([&] { return order.size() == 1003; }, "all messages");
  // Three turns of the other one, and a few of the flood beside each.
  EXPECT_LT(order.rfind('o'), 30u) << order.substr(0, 200);
}

TEST_F(ConnectionTest, AMessageAfterTheBudgetWaitsForALaterTurn) {
  ServerOptions options;
  options.connection.turn_budget = {};
  serve(options);
  EXPECT_EQ(order_of_four(), "1.2.3.4.");
  EXPECT_EQ(loop.backlog(), 0u);
}

TEST_F(ConnectionTest, MessagesWithinTheBudgetAreHandledTogether) {
  ServerOptions options;
  options.connection.turn_budget = std::chrono::hours(1);
  serve(options);
  EXPECT_EQ(order_of_four(), "1234....");
  // Others that wait share the budget, here until nothing is left of it.
  loop.backlog() = size_t{1} << 40;
  EXPECT_EQ(order_of_four(), "1.2.3.4.");
  EXPECT_EQ(loop.backlog(), size_t{1} << 40) << "counted, and counted back";
}

TEST_F(ConnectionTest, TimersAndSignalsGetTheirTurnWhileSocketsAreAlwaysReady) {
  ServerOptions options;
  options.connection.turn_budget = {};
  serve(options);
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(dial_open());
    clients.back()->react = echo;  // each message comes back for ever
    clients.back()->connection = clients.back()->own;
    for (int j = 0; j < 100; ++j) clients.back()->own->send(Opcode::kText, "x");
  }
  bool signalled = false;
  loop.on_stop_signals([&] { signalled = true; });
  loop.after(Millis(1), [] { std::raise(SIGTERM); });
  run_until([&] { return signalled; }, "a timer and a signal");
  for (const auto& client : clients) client->react = nullptr;
}

TEST_F(ConnectionTest, ALargeAnswerDoesNotHoldUpOthers) {
  serve();
  RawPeer reading;
  upgrade(reading);
  const auto other = dial_open();
  const auto body = std::make_shared<const std::string>(std::string(20'000'000, 'b'));
  accepted[0]->connection->send_shared(Opcode::kBinary, {body, *body});
  EXPECT_GE(accepted[0]->connection->queued_bytes(), 18'000'000u) << "written in one turn";
  other->own->send(Opcode::kText, "hello");
  run_until([&] { return other->heard.size() == 1; }, "the other one's echo");
  run_until(
      [&] {
        reading.read_some();
        return reading.got.size() > body->size();
      },
      "everything");
}

TEST_F(ConnectionTest, KeepsTheOrderOfManySends) {
  serve();
  const auto client = dial_open();
  std::vector<std::string> sent;
  for (int i = 0; i < 10'000; ++i) {
    sent.push_back(std::to_string(i));
    client->own->send(Opcode::kText, sent.back());
  }
  run_until([&] { return client->heard.size() == sent.size(); }, "all echoes");
  EXPECT_EQ(client->heard, sent);
  EXPECT_EQ(client->own->queued_bytes(), 0u);
}

TEST_F(ConnectionTest, AnswersAPingWithOnePongBetweenFragments) {
  serve();
  RawPeer peer;
  upgrade(peer);
  peer.write(RawFrame{.payload = "fr", .fin = false}.bytes() +
             RawFrame{.opcode = 9, .payload = "hi"}.bytes() +
             RawFrame{.opcode = 0, .payload = "ag"}.bytes() + RawFrame{.payload = "end"}.bytes());
  run_until(
      [&] {
        peer.read_some();
        return peer.frames().size() >= 3;
      },
      "pong and echoes");
  EXPECT_THAT(peer.frames(),
              ElementsAre(Seen{EventKind::kPong, "hi", 0}, Seen{EventKind::kText, "frag", 0},
                          Seen{EventKind::kText, "end", 0}));
  EXPECT_EQ(accepted[0]->pings, 1);
}

TEST_F(ConnectionTest, PingsThePeer) {
  serve();
  const auto client = dial_open();
  client->own->ping("x");
  run_until([&] { return client->pongs == 1; }, "a pong");
  EXPECT_EQ(accepted[0]->pings, 1);
}

TEST_F(ConnectionTest, AnswersACloseWithItsCodeAndEndsTcp) {
  serve();
  RawPeer peer;
  upgrade(peer);
  peer.write(RawFrame{.opcode = 8, .payload = "\x0f\xa0reason"}.bytes());
  read_to_end(peer);
  EXPECT_THAT(peer.frames(), ElementsAre(Seen{EventKind::kClose, "reason", 4000}));
  EXPECT_TRUE(accepted[0]->closed);
  EXPECT_EQ(accepted[0]->end.code, 4000);
  EXPECT_EQ(accepted[0]->end.reason, "reason");
}

TEST_F(ConnectionTest, AnswersACloseWithoutCodeInKind) {
  serve();
  RawPeer peer;
  upgrade(peer);
  peer.write(RawFrame{.opcode = 8}.bytes());
  read_to_end(peer);
  EXPECT_THAT(peer.frames(), ElementsAre(Seen{EventKind::kClose, "", ws::kCloseNone}));
  EXPECT_EQ(accepted[0]->end.code, ws::kCloseNone);
}

TEST_F(ConnectionTest, MayLeaveACloseUnanswered) {
  ServerOptions options;
  options.connection.answer_close = false;
  serve(options);
  RawPeer peer;
  upgrade(peer);
  peer.write(RawFrame{.opcode = 8, .payload = "\x03\xe8"}.bytes());
  read_to_end(peer);
  EXPECT_THAT(peer.frames(), IsEmpty());
  EXPECT_EQ(accepted[0]->end.code, 1000);
}

TEST_F(ConnectionTest, ClosesWithAndWithoutACode) {
  for (const uint16_t code : {uint16_t{1012}, uint16_t{ws::kCloseNone}}) {
    serve();
    const auto client = dial_open();
    accepted.back()->connection->send(Opcode::kText, "last");
    accepted.back()->connection->close(code, code == 1012 ? "later" : "");
    accepted.back()->connection->send(Opcode::kText, "ignored");
    run_until([&] { return client->closed && accepted.back()->closed; }, "both ends closed");
    EXPECT_THAT(client->heard, ElementsAre("last"));
    EXPECT_EQ(client->end.code, code);
    EXPECT_EQ(client->end.reason, code == 1012 ? "later" : "");
    EXPECT_EQ(accepted.back()->end.code, code);
    run_until([&] { return server->connections() == 0; }, "no connection left");
  }
}

TEST_F(ConnectionTest, LastWordsArriveAlthoughInputIsUnread) {
  serve();
  RawPeer peer;
  react = [](Recorder& recorder, Opcode, std::string_view) {
    recorder.connection->pause_reading();
  };
  upgrade(peer);
  peer.write(RawFrame{.payload = "pause"}.bytes());
  run_until([&] { return accepted[0]->heard.size() == 1; }, "the pause");
  // Less than the socket buffers hold, so that writing does not block this thread.
  for (int i = 0; i < 20; ++i) peer.write(RawFrame{.payload = std::string(5000, 'x')}.bytes());
  accepted[0]->connection->send(Opcode::kText, "last");
  accepted[0]->connection->close(1013, "slow down");
  read_to_end(peer);
  EXPECT_FALSE(peer.reset);
  EXPECT_THAT(peer.frames(), ElementsAre(Seen{EventKind::kText, "last", 0},
                                         Seen{EventKind::kClose, "slow down", 1013}));
}

TEST_F(ConnectionTest, DropEndsTcpWithoutAClose) {
  serve();
  RawPeer peer;
  upgrade(peer);
  accepted[0]->connection->send(Opcode::kText, "last");
  accepted[0]->connection->drop();
  read_to_end(peer);
  EXPECT_FALSE(peer.reset);
  EXPECT_THAT(peer.frames(), ElementsAre(Seen{EventKind::kText, "last", 0}));
  EXPECT_EQ(accepted[0]->end.code, ws::kCloseAbnormal);
}

TEST_F(ConnectionTest, AViolationEndsTcpWithoutAClose) {
  const std::string violations[] = {
      RawFrame{.rsv = 4}.bytes(),
      RawFrame{.masked = false}.bytes(),
      RawFrame{.opcode = 5}.bytes(),
      RawFrame{.opcode = 0}.bytes(),
      RawFrame{.payload = "\xff"}.bytes(),
      RawFrame{.opcode = 9, .fin = false}.bytes(),
      RawFrame{.opcode = 9, .payload = std::string(126, 'x')}.bytes(),
  };
  serve();
  for (const std::string& violation : violations) {
    RawPeer peer;
    upgrade(peer);
    peer.write(RawFrame{.payload = "before"}.bytes() + violation +
               RawFrame{.payload = "after"}.bytes());
    read_to_end(peer);
    EXPECT_THAT(accepted.back()->heard, ElementsAre("before"));
    EXPECT_EQ(accepted.back()->end.code, ws::kCloseAbnormal);
    for (const Seen& seen : peer.frames()) EXPECT_EQ(seen.kind, EventKind::kText);
  }
}

TEST_F(ConnectionTest, APeerThatVanishesIsReportedOnce) {
  serve();
  RawPeer peer;
  upgrade(peer);
  peer.hang_up();
  run_until([&] { return accepted[0]->closed; }, "on_closed");
  EXPECT_EQ(accepted[0]->end.code, ws::kCloseAbnormal);
  accepted[0]->connection->send(Opcode::kText, "nobody hears this");
  accepted[0]->connection->close(1000, "");
  accepted[0]->connection->drop();
  run_a_while();
  EXPECT_EQ(server->connections(), 0u);
}

TEST_F(ConnectionTest, HandlersMayEndTheConnectionAndLetGoOfIt) {
  react = [](Recorder& recorder, Opcode, std::string_view payload) {
    const std::shared_ptr<Connection> connection = std::exchange(recorder.connection, nullptr);
    connection->send(Opcode::kText, "bye");
    if (payload == "close") connection->close(1000, "");
    if (payload == "drop") connection->drop();
  };
  serve();
  for (const std::string how : {"close", "drop"}) {
    RawPeer peer;
    upgrade(peer);
    peer.write(RawFrame{.payload = how}.bytes() + RawFrame{.payload = "not delivered"}.bytes());
    read_to_end(peer);
    EXPECT_THAT(accepted.back()->heard, ElementsAre(how));
    EXPECT_EQ(peer.frames().front(), (Seen{EventKind::kText, "bye", 0}));
    peer.hang_up();
    run_until([&] { return server->connections() == 0; }, "no connection left");
  }
}

TEST_F(ConnectionTest, PauseStopsDeliveryInTheMiddleOfABatch) {
  react = [](Recorder& recorder, Opcode, std::string_view payload) {
    if (payload == "2") recorder.connection->pause_reading();
  };
  serve();
  RawPeer peer;
  upgrade(peer);
  std::string batch;
  for (const char* word : {"1", "2", "3", "4"}) batch += RawFrame{.payload = word}.bytes();
  peer.write(batch);
  run_until([&] { return accepted[0]->heard.size() == 2; }, "the first two");
  peer.write(RawFrame{.payload = "5"}.bytes());
  run_a_while();
  EXPECT_THAT(accepted[0]->heard, ElementsAre("1", "2"));
  accepted[0]->connection->resume_reading();
  EXPECT_THAT(accepted[0]->heard, ElementsAre("1", "2"))
      << "delivered from inside resume_reading()";
  run_until([&] { return accepted[0]->heard.size() == 5; }, "the rest");
  EXPECT_THAT(accepted[0]->heard, ElementsAre("1", "2", "3", "4", "5"));
}

TEST_F(ConnectionTest, APausedConnectionStillWrites) {
  react = [](Recorder& recorder, Opcode, std::string_view) {
    recorder.connection->pause_reading();
    recorder.connection->send(Opcode::kText, "paused");
  };
  serve();
  const auto client = dial_open();
  client->own->send(Opcode::kText, "x");
  run_until([&] { return client->heard.size() == 1; }, "the answer");
}

TEST_F(ConnectionTest, ThrottlesTheSenderOfAPausedConnection) {
  react = [](Recorder& recorder, Opcode, std::string_view) {
    recorder.connection->pause_reading();
  };
  serve();
  const auto client = dial_open();
  client->own->send(Opcode::kText, "pause");
  run_until([&] { return accepted[0]->heard.size() == 1; }, "the pause");
  constexpr size_t kBytes = 50'000'000;
  client->own->send(Opcode::kBinary, std::string(kBytes / 5, 'x'));
  for (int i = 0; i < 4; ++i) client->own->send(Opcode::kBinary, std::string(kBytes / 5, 'x'));
  run_a_while();
  EXPECT_GT(client->own->queued_bytes(), kBytes / 2);
  accepted[0]->react = nullptr;
  accepted[0]->connection->resume_reading();
  run_until([&] { return accepted[0]->heard.size() == 6; }, "everything");
}

TEST_F(ConnectionTest, APausedPeerThatLeavesIsNoticed) {
  react = [](Recorder& recorder, Opcode, std::string_view payload) {
    if (payload == "pause") recorder.connection->pause_reading();
  };
  ServerOptions options;
  options.connection.hangup_check = Millis(5);
  serve(options);
  RawPeer peer;
  upgrade(peer);
  peer.write(RawFrame{.payload = "pause"}.bytes());
  run_until([&] { return accepted[0]->heard.size() == 1; }, "the pause");
  peer.write(RawFrame{.payload = "last words"}.bytes());
  peer.half_close();
  run_until([&] { return accepted[0]->half_closes == 1; }, "the half close");
  run_a_while();
  EXPECT_EQ(accepted[0]->half_closes, 1);
  EXPECT_FALSE(accepted[0]->closed) << "what it wrote can still be read";
  accepted[0]->connection->resume_reading();
  run_until([&] { return accepted[0]->closed; }, "the end");
  EXPECT_THAT(accepted[0]->heard, ElementsAre("pause", "last words"));

  RawPeer broken;
  upgrade(broken);
  broken.write(RawFrame{.payload = "pause"}.bytes());
  run_until([&] { return accepted[1]->heard.size() == 1; }, "the pause");
  accepted[1]->connection->send(Opcode::kText, "unread, so that closing resets the connection");
  run_a_while();
  broken.hang_up();
  run_until([&] { return accepted[1]->closed; }, "the end");
}

// The FIN waits in the peer's kernel behind bytes that nobody reads.
TEST_F(ConnectionTest, APausedPeerThatLeavesWithUnsentBytesIsNoticed) {
  react = [](Recorder& recorder, Opcode, std::string_view) {
    recorder.connection->pause_reading();
  };
  ServerOptions options;
  options.connection.hangup_check = Millis(5);
  serve(options);
  RawPeer peer;
  upgrade(peer);
  peer.write(RawFrame{.payload = "pause"}.bytes());
  run_until([&] { return accepted[0]->heard.size() == 1; }, "the pause");
  peer.write_until_full();
  peer.read_some();  // closing with unread bytes would reset the connection by itself
  peer.hang_up();
  run_until([&] { return accepted[0]->closed; }, "the end");
}

TEST_F(ConnectionTest, ReadsOfAnUnfinishedMessageNoMoreThanItsLimit) {
  serve();
  RawPeer peer;
  upgrade(peer);
  accepted[0]->connection->limit_unfinished(500'000);
  const auto client = dial_open();
  accepted[1]->connection->limit_unfinished(500'000);
  client->own->send(Opcode::kBinary, std::string(30'000'000, 'x'));
  run_a_while();
  EXPECT_GT(client->own->queued_bytes(), 15'000'000u) << "it was read all the same";
  accepted[1]->connection->limit_unfinished(SIZE_MAX);
  run_until([&] { return client->heard.size() == 1; }, "the echo");
}

}  // namespace
}  // namespace iii::net
