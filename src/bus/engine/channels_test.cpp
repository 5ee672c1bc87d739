// Stream channels between two fake connections (wire §12).
#include "bus/engine/channels.h"

#include "bus/engine/testing.h"

namespace iii::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A socket that takes as much as the test lets it take, and calls back only when told to.
class FakeConnection final : public net::Connection {
 public:
  struct Message {
    ws::Opcode kind;
    std::string payload;
    bool operator==(const Message&) const = default;
  };

  void send(ws::Opcode kind, std::string_view payload) override {
    EXPECT_FALSE(over()) << "sent to a connection that is over";
    sent.push_back({kind, std::string(payload)});
    if (is_slow) queued += payload.size();
  }
  void send_parts(ws::Opcode kind, std::span<const SharedBytes> parts) override {
    std::string payload;
    for (const SharedBytes& part : parts) payload += part.bytes;
    send(kind, payload);
  }
  void ping(std::string_view) override {}
  void close(uint16_t code, std::string_view) override {
    EXPECT_FALSE(over());
    closed_with = code;
  }
  void drop() override {
    EXPECT_FALSE(over());
    dropped = true;
  }
  void pause_reading() override { paused = true; }
  void resume_reading() override { paused = false; }
  void allow_stalls() override { may_stall = true; }
  void limit_unfinished(size_t bytes) override { most_unfinished = bytes; }
  bool is_open() const override { return true; }
  size_t queued_bytes() const override { return queued; }
  bool accepts(size_t) const override { return true; }
  void charge(ptrdiff_t bytes) override { charged += bytes; }
  const std::string& remote_ip() const override { return ip; }

  bool over() const { return dropped || closed_with != 0; }

  std::vector<Message> sent;
  bool is_slow = false;
  size_t queued = 0;
  uint16_t closed_with = 0;
  bool dropped = false;
  bool paused = false;
  bool may_stall = false;
  size_t most_unfinished = SIZE_MAX;
  ptrdiff_t charged = 0;
  std::string ip = "127.0.0.1";
};

// A connection and whoever listens to it.
struct End {
  std::shared_ptr<FakeConnection> socket = std::make_shared<FakeConnection>();
  std::unique_ptr<net::ConnectionEvents> events;

  void write(std::string_view payload, ws::Opcode kind = ws::Opcode::kText) {
    events->on_message(kind, payload);
  }
  void drain() {
    socket->queued = 0;
    events->on_drained();
  }
  void hang_up() { events->on_closed({}); }

  std::vector<std::string> heard() const {
    std::vector<std::string> out;
    for (const auto& message : socket->sent) out.push_back(message.payload);
    return out;
  }
};

class Channels : public ::testing::Test {
 protected:
  explicit Channels(ChannelLimits limits = {}, std::shared_ptr<net::MemoryBudget> shared = {})
      : table_(timers_, ids_, limits, std::move(shared)) {}

  void create(size_t items = ChannelTable::kDefaultItems) {
    ref_ = table_.create(items).value();
    channel_ = table_.find(ref_.channel_id, ref_.access_key);
    ASSERT_NE(channel_, nullptr);
  }
  End attach(ChannelSide side) {
    End end;
    end.events = table_.attach(channel_, side, end.socket);
    return end;
  }
  End reader() { return attach(ChannelSide::kRead); }
  End writer() { return attach(ChannelSide::kWrite); }

  FakeTimers timers_;
  CountingIds ids_;
  ChannelTable table_;
  ChannelTable::Ref ref_;
  std::shared_ptr<Channel> channel_;
};

TEST_F(Channels, IdAndKeyAreDifferentUuids) {
  create();
  EXPECT_TRUE(Uuid::parse(ref_.channel_id));
  EXPECT_TRUE(Uuid::parse(ref_.access_key));
  EXPECT_NE(ref_.channel_id, ref_.access_key);
}

TEST_F(Channels, AreFoundOnlyByTheRightIdAndKey) {
  create();
  EXPECT_EQ(table_.find(ref_.channel_id, uuid(1)), nullptr);
  EXPECT_EQ(table_.find(ref_.channel_id, ""), nullptr);
  EXPECT_EQ(table_.find(ref_.channel_id, ref_.access_key + "x"), nullptr);
  EXPECT_EQ(table_.find(ref_.channel_id, ref_.access_key.substr(1)), nullptr);
  EXPECT_EQ(table_.find(ref_.access_key, ref_.access_key), nullptr);
}

TEST_F(Channels, KeepOrderKindAndBoundaries) {
  create();
  End in = writer();
  End out = reader();
  in.write("a");
  in.write("", ws::Opcode::kBinary);
  in.write("bc", ws::Opcode::kBinary);
  in.write("");
  using M = FakeConnection::Message;
  EXPECT_THAT(out.socket->sent,
              ElementsAre(M{ws::Opcode::kText, "a"}, M{ws::Opcode::kBinary, ""},
                          M{ws::Opcode::kBinary, "bc"}, M{ws::Opcode::kText, ""}));
  EXPECT_THAT(in.socket->sent, IsEmpty());
}

TEST_F(Channels, ALateReaderGetsWhatWasWritten) {
  create();
  End in = writer();
  in.write("a");
  in.write("b");
  End out = reader();
  EXPECT_THAT(out.heard(), ElementsAre("a", "b"));
  EXPECT_FALSE(out.socket->over());
}

TEST_F(Channels, AWriterMayFinishBeforeTheReaderComes) {
  create();
  End in = writer();
  in.write("a");
  in.hang_up();
  End out = reader();
  EXPECT_THAT(out.heard(), ElementsAre("a"));
  EXPECT_EQ(out.socket->closed_with, ws::kCloseNone);
}

TEST_F(Channels, TheReaderIsClosedWithoutACodeAfterTheLastItem) {
  create();
  End in = writer();
  End out = reader();
  out.socket->is_slow = true;
  in.write(std::string(2 * 1024 * 1024, 'x'));
  in.write("last");
  in.hang_up();
  EXPECT_EQ(out.heard().size(), 1U);
  EXPECT_FALSE(out.socket->over());
  out.drain();
  EXPECT_EQ(out.heard().back(), "last");
  EXPECT_EQ(out.socket->closed_with, ws::kCloseNone);
}

TEST_F(Channels, ASecondAttachIsClosedAndTheFirstNotDisturbed) {
  create();
  End in = writer();
  End out = reader();
  End second_in = writer();
  End second_out = reader();
  EXPECT_EQ(second_in.socket->closed_with, ws::kCloseNone);
  EXPECT_EQ(second_out.socket->closed_with, ws::kCloseNone);
  second_in.write("stray");
  second_in.hang_up();
  second_out.hang_up();
  in.write("a");
  EXPECT_THAT(out.heard(), ElementsAre("a"));
  in.hang_up();
  out.hang_up();
  End after = reader();
  EXPECT_EQ(after.socket->closed_with, ws::kCloseNone) << "also after the end";
}

TEST_F(Channels, WhatAReaderSaysGoesNowhere) {
  create();
  End in = writer();
  End out = reader();
  out.write("hello?");
  EXPECT_THAT(in.socket->sent, IsEmpty());
}

TEST_F(Channels, OnlyReadersMayStall) {
  create();
  End in = writer();
  End out = reader();
  EXPECT_TRUE(out.socket->may_stall);
  EXPECT_FALSE(in.socket->may_stall);
}

// ---- back-pressure ----

TEST_F(Channels, TheWriterIsPausedAtTheLimitOfItemsAndNothingIsLost) {
  create(3);
  End in = writer();
  in.write("1");
  in.write("2");
  EXPECT_FALSE(in.socket->paused);
  in.write("3");
  EXPECT_TRUE(in.socket->paused);
  in.write("4");  // had been read already
  End out = reader();
  EXPECT_FALSE(in.socket->paused);
  EXPECT_THAT(out.heard(), ElementsAre("1", "2", "3", "4"));
}

TEST_F(Channels, TheNumberOfItemsIsBroughtInto1To1024) {
  create(0);
  End one = writer();
  one.write("1");
  EXPECT_TRUE(one.socket->paused);
  create(1'000'000'000);
  End many = writer();
  for (int i = 0; i < 1023; ++i) many.write("x");
  EXPECT_FALSE(many.socket->paused);
  many.write("x");
  EXPECT_TRUE(many.socket->paused);
}

class SmallChannels : public Channels {
 protected:
  SmallChannels() : Channels(ChannelLimits{.max_channels = 2, .max_held_bytes = 10}) {}
};

TEST_F(SmallChannels, TheWriterIsPausedAtTheLimitOfBytes) {
  create();
  End in = writer();
  in.write("123456789");
  EXPECT_FALSE(in.socket->paused);
  in.write("0");
  EXPECT_TRUE(in.socket->paused);
}

TEST_F(SmallChannels, OneMessageOfAnySizeFits) {
  create();
  End in = writer();
  in.write(std::string(1000, 'x'));
  EXPECT_TRUE(in.socket->paused);
  End out = reader();
  EXPECT_EQ(out.heard().front().size(), 1000U);
  EXPECT_FALSE(in.socket->paused);
}

TEST_F(SmallChannels, ASlowReaderSlowsTheWriterDown) {
  create();
  End in = writer();
  End out = reader();
  out.socket->is_slow = true;
  const std::string large(1024 * 1024, 'x');
  in.write(large);         // fills the reader's queue
  in.write("abcdefghij");  // fills the channel
  EXPECT_TRUE(in.socket->paused);
  EXPECT_THAT(out.heard(), ElementsAre(large));
  out.drain();
  EXPECT_THAT(out.heard(), ElementsAre(large, "abcdefghij"));
  EXPECT_FALSE(in.socket->paused);
}

// A connection reports that it has drained only when its socket had been full, and a socket that is
// never full is never asked for less than 256 KiB at a time.
TEST_F(SmallChannels, AReaderThatTakesEverythingInTimeIsNeverWaitedFor) {
  create();
  End in = writer();
  End out = reader();
  out.socket->queued = 256 * 1024;  // leaves at the end of this turn, without a word
  in.write("abcdefghijklm");
  EXPECT_THAT(out.heard(), ElementsAre("abcdefghijklm"));
  EXPECT_FALSE(in.socket->paused);
}

TEST_F(SmallChannels, TheNumberOfChannelsIsLimited) {
  create();
  create();
  const auto third = table_.create(1);
  ASSERT_FALSE(third.has_value());
  EXPECT_EQ(third.error().code, "too_many_channels");
  End in = writer();
  End out = reader();
  in.hang_up();
  out.hang_up();
  EXPECT_TRUE(table_.create(1).has_value()) << "finished ones make room at once";
}

TEST_F(SmallChannels, OfAMessageThatNobodyIsReadyForNotMuchIsRead) {
  create();
  End in = writer();
  EXPECT_EQ(in.socket->most_unfinished, 10U);
  in.write("1234");
  EXPECT_EQ(in.socket->most_unfinished, 6U);
  End out = reader();
  EXPECT_EQ(in.socket->most_unfinished, SIZE_MAX);
  out.socket->queued = 1024 * 1024;
  in.write("x");
  EXPECT_EQ(in.socket->most_unfinished, 9U);
  out.drain();
  EXPECT_EQ(in.socket->most_unfinished, SIZE_MAX);
}

TEST_F(SmallChannels, AWriterThatHasLeftIsReadToItsEnd) {
  create();
  End in = writer();
  in.write("0123456789");
  EXPECT_TRUE(in.socket->paused);
  in.events->on_half_closed();
  EXPECT_FALSE(in.socket->paused);
  EXPECT_EQ(in.socket->most_unfinished, SIZE_MAX);
  in.write("what its socket still had");
  EXPECT_FALSE(in.socket->paused);
  in.hang_up();
  End out = reader();
  EXPECT_THAT(out.heard(), ElementsAre("0123456789", "what its socket still had"));
  EXPECT_EQ(out.socket->closed_with, ws::kCloseNone);
}

// ---- what they cost ----

struct Counted {
  std::shared_ptr<net::MemoryBudget> memory = std::make_shared<net::MemoryBudget>(1'000'000);
};

class CountedChannels : protected Counted, public Channels {
 protected:
  CountedChannels()
      : Channels(ChannelLimits{.max_channels = 4, .max_channels_per_worker = 2}, memory) {}
  Result<ChannelTable::Ref> create_for(uint64_t owner) {
    return table_.create(1, Uuid::parse(uuid(owner)));
  }
};

TEST_F(CountedChannels, CountWhatTheyHold) {
  create();
  End in = writer();
  in.write("12345");
  EXPECT_EQ(memory->total(), 5U);
  End out = reader();
  EXPECT_EQ(memory->total(), 0U);
  out.socket->queued = 1024 * 1024;
  in.write("123");
  EXPECT_EQ(memory->total(), 3U);
  out.hang_up();
  EXPECT_EQ(memory->total(), 0U);
}

TEST_F(CountedChannels, TheOneThatHoldsMostIsEndedWhenMemoryIsShort) {
  create();
  End small = writer();
  small.write(std::string(400'000, 'x'));
  create();
  End large = writer();
  large.write(std::string(700'000, 'x'));
  EXPECT_TRUE(large.socket->dropped);
  EXPECT_FALSE(small.socket->dropped);
  EXPECT_EQ(memory->total(), 400'000U);
  large.hang_up();
}

TEST_F(CountedChannels, BelongToTheWorkerThatMadeThem) {
  ASSERT_TRUE(create_for(1));
  const auto second = create_for(1);
  ASSERT_TRUE(second);
  const auto third = create_for(1);
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, "too_many_channels");
  EXPECT_TRUE(create_for(2)) << "another worker has channels of its own";
  channel_ = table_.find(second->channel_id, second->access_key);
  End in = writer();
  End out = reader();
  in.hang_up();
  out.hang_up();
  EXPECT_TRUE(create_for(1)) << "one that is over does not count";
}

TEST_F(CountedChannels, UnusedOnesOfAWorkerThatLeftMakeRoom) {
  const auto used = create_for(1);
  const auto unused = create_for(1);
  ASSERT_TRUE(create_for(2) && create_for(2));
  EXPECT_FALSE(create_for(3));
  channel_ = table_.find(used->channel_id, used->access_key);
  End in = writer();
  table_.owner_gone(*Uuid::parse(uuid(1)));
  EXPECT_NE(table_.find(unused->channel_id, unused->access_key), nullptr)
      << "whoever was given it may still come";
  EXPECT_TRUE(create_for(3));
  EXPECT_FALSE(create_for(3)) << "the other one is used";
  EXPECT_FALSE(in.socket->dropped);
}

// ---- who leaves ----

TEST_F(Channels, WhenTheReaderIsGoneTheWriterIsDroppedAtItsNextMessage) {
  create();
  End in = writer();
  End out = reader();
  out.hang_up();
  EXPECT_FALSE(in.socket->over());
  in.write("a");
  EXPECT_TRUE(in.socket->dropped);
  in.write("still on its way");
  in.hang_up();
}

TEST_F(Channels, APausedWriterIsReadAgainWhenTheReaderLeavesSoThatItNotices) {
  create(1);
  End in = writer();
  End out = reader();
  out.socket->is_slow = true;
  out.socket->queued = 10 * 1024 * 1024;
  in.write("a");
  EXPECT_TRUE(in.socket->paused);
  out.hang_up();
  EXPECT_FALSE(in.socket->paused);
}

TEST_F(Channels, AWriterThatComesAfterTheReaderLeftIsDropped) {
  create();
  End out = reader();
  out.hang_up();
  End in = writer();
  EXPECT_TRUE(in.socket->dropped);
}

// ---- sweep ----

TEST_F(Channels, UnattachedOnesAreSweptAfterFiveMinutes) {
  create();
  timers_.advance(std::chrono::minutes(5));
  EXPECT_EQ(table_.size(), 1U);
  timers_.advance(std::chrono::minutes(1));
  EXPECT_EQ(table_.size(), 0U);
}

TEST_F(Channels, CompleteOnesLiveAsLongAsTheirEnds) {
  create();
  End in = writer();
  End out = reader();
  timers_.advance(std::chrono::hours(2));
  EXPECT_EQ(table_.size(), 1U);
  in.write("a");
  EXPECT_THAT(out.heard(), ElementsAre("a"));
  in.hang_up();
  out.hang_up();
  timers_.advance(std::chrono::minutes(1));
  EXPECT_EQ(table_.size(), 0U);
}

TEST_F(Channels, AnEndThatWaitedInVainIsDroppedBySweep) {
  create(1);
  End in = writer();
  in.write("a");
  EXPECT_TRUE(in.socket->paused);
  timers_.advance(std::chrono::minutes(6));
  EXPECT_EQ(table_.size(), 0U);
  EXPECT_TRUE(in.socket->dropped);
  in.hang_up();
  create();
  End out = reader();
  timers_.advance(std::chrono::minutes(6));
  EXPECT_TRUE(out.socket->dropped);
  out.hang_up();
}

TEST(ChannelTableEnd, CancelsItsSweep) {
  FakeTimers timers;
  CountingIds ids;
  {
    ChannelTable table(timers, ids, {});
  }
  EXPECT_EQ(timers.pending(), 0U);
}

// ---- engine::channels::create ----

TEST(CreateChannel, NamesBothEndsOfOneChannel) {
  TestBus bus;
  Peer a(bus, "a");
  const json::Value made = a.result_of("engine::channels::create", R"({"buffer_size":16})");
  const json::Value& in = *made.find("writer");
  const json::Value& out = *made.find("reader");
  EXPECT_EQ(text_at(in, "direction"), "write");
  EXPECT_EQ(text_at(out, "direction"), "read");
  EXPECT_EQ(text_at(in, "channel_id"), text_at(out, "channel_id"));
  EXPECT_EQ(text_at(in, "access_key"), text_at(out, "access_key"));
  EXPECT_NE(bus.channels.find(text_at(in, "channel_id"), text_at(in, "access_key")), nullptr);
}

TEST(CreateChannel, TheSizeIsOptionalAndUnsigned) {
  TestBus bus;
  Peer a(bus, "a");
  for (const char* ok :
       {"{}", R"({"buffer_size":null})", R"({"buffer_size":0})", R"({"buffer_size":1000000000})"}) {
    EXPECT_NE(a.result_of("engine::channels::create", ok).find("writer"), nullptr) << ok;
  }
  for (const char* bad :
       {"null", R"({"buffer_size":-1})", R"({"buffer_size":1.5})", R"({"buffer_size":"8"})"}) {
    EXPECT_THAT(a.refusal_of("engine::channels::create", bad),
                ::testing::HasSubstr("deserialization_error"))
        << bad;
  }
}

TEST(CreateChannel, CountsForTheWorkerThatAsksUntilItLeaves) {
  TestBus bus({}, {.max_channels = 2, .max_channels_per_worker = 2});
  Peer a(bus, "a");
  a.result_of("engine::channels::create");
  a.result_of("engine::channels::create");
  EXPECT_THAT(a.refusal_of("engine::channels::create", "{}"),
              ::testing::HasSubstr("too_many_channels"));
  Peer b(bus, "b");
  EXPECT_THAT(b.refusal_of("engine::channels::create", "{}"),
              ::testing::HasSubstr("too_many_channels"));
  a.leave();
  b.result_of("engine::channels::create");
}

TEST(CreateChannel, SurvivesTheConnectionThatAskedForIt) {
  TestBus bus;
  Peer a(bus, "a");
  a.result_of("engine::channels::create");
  a.leave();
  EXPECT_EQ(bus.channels.size(), 1U);
}

}  // namespace
}  // namespace iii::engine
