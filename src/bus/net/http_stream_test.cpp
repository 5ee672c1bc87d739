#include <gmock/gmock.h>

#include "bus/net/http_fixture_for_test.h"
#include "foundation/base/discard.h"

namespace iii::net {
namespace {

using ::testing::SizeIs;

class HttpStreamTest : public HttpTest {
 protected:
  Response open_stream(RawPeer& peer) {
    const size_t before = streams.size();
    dial(peer, request("GET", "/stream"));
    run_until([&] { return streams.size() > before; }, "the stream");
    return streams.back();
  }
};

TEST_F(HttpStreamTest, WritesArriveAndTheConnectionStays) {
  listen();
  RawPeer peer;
  const Response stream = open_stream(peer);
  read_until(
      peer, [&] { return !responses(peer.got).empty(); }, "the head, before anything is written");
  EXPECT_EQ(responses(peer.got)[0].header("content-type"), "text/event-stream");
  stream->write("data: 1\n\n");
  read_until(peer, [&] { return responses(peer.got)[0].body == "data: 1\n\n"; }, "an event");
  EXPECT_TRUE(stream->is_open());
  stream->write("data: 2\n\n");
  stream->write("");  // an empty chunk would end the stream
  const auto large = shared_text(std::string(100'000, 'x'));
  stream->write(SharedBytes{large, *large});
  stream->end();
  EXPECT_FALSE(stream->is_open());
  stream->write("ignored");
  const auto all = answers(peer);
  EXPECT_EQ(all[0].body, "data: 1\n\ndata: 2\n\n" + *large);
  EXPECT_EQ(ask(peer, request("GET", "/hello"))[0].body, "hello");
  EXPECT_EQ(closed, 0);
}

TEST_F(HttpStreamTest, OldVersionReadsUntilTheEnd) {
  listen();
  RawPeer peer;
  dial(peer, "GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  run_until([&] { return !streams.empty(); }, "the stream");
  streams[0]->write("one");
  streams[0]->write("two");
  streams[0]->end();
  read_to_end(peer);
  const auto all = responses(peer.got);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].body, "onetwo");
  EXPECT_EQ(all[0].header("transfer-encoding"), "");
}

TEST_F(HttpStreamTest, HeadOfAStreamEndsAtOnce) {
  listen();
  RawPeer peer;
  dial(peer, request("HEAD", "/stream") + request("GET", "/hello"));
  read_until(
      peer, [&] { return peer.got.ends_with("hello"); }, "the answer to the request behind it");
  EXPECT_FALSE(streams[0]->is_open());
  EXPECT_EQ(closed, 1);
}

TEST_F(HttpStreamTest, ReaderThatLeavesIsNoticedWithoutAWrite) {
  listen();
  RawPeer peer;
  const Response stream = open_stream(peer);
  peer.hang_up();
  run_until([&] { return closed == 1; }, "the news");
  EXPECT_FALSE(stream->is_open());
  run_until([&] { return http->connections() == 0; }, "the end");
}

TEST_F(HttpStreamTest, ForgottenStreamIsEnded) {
  listen();
  RawPeer peer;
  dial(peer, request("GET", "/stream"));
  run_until([&] { return !streams.empty(); }, "the stream");
  streams.clear();
  EXPECT_TRUE(answers(peer)[0].complete);
}

TEST_F(HttpStreamTest, SlowReaderIsBoundedAndDelaysNobody) {
  listen({.max_stream_bytes = 256 * 1024});
  RawPeer slow;
  RawPeer quick;
  const Response to_slow = open_stream(slow);
  const Response to_quick = open_stream(quick);
  const std::string event(16 * 1024, 'x');
  size_t written = 0;
  size_t most = 0;
  run_until(
      [&] {
        to_slow->write(event);
        to_quick->write(event);
        written += event.size();
        most = std::max(most, to_slow->queued_bytes());
        quick.read_some();
        quick.got.clear();
        return closed == 1;
      },
      "the end of the slow one");
  EXPECT_FALSE(to_slow->is_open());
  EXPECT_LE(most, 256U * 1024 + event.size());
  EXPECT_TRUE(to_quick->is_open());
  EXPECT_EQ(http->connections(), 1U);
}

// The answer to a request may be larger than the limit for slow readers.
TEST_F(HttpStreamTest, OneLargeMessageArrivesWhole) {
  listen({.max_stream_bytes = 64 * 1024});
  RawPeer peer;
  const Response response = open_stream(peer);
  const std::string large(8 * 1024 * 1024, 'x');
  response->write(large);
  ASSERT_TRUE(response->is_open());
  response->write("and a small one");
  response->end();
  run_until(
      [&] {
        peer.read_some();
        return peer.got.size() > large.size() && peer.got.ends_with("0\r\n\r\n");
      },
      "the whole message");
  // Whoever does not read cannot make that a habit.
  RawPeer slow;
  const Response to_slow = open_stream(slow);
  for (int i = 0; i < 4 && to_slow->is_open(); ++i) to_slow->write(large);
  EXPECT_FALSE(to_slow->is_open());
}

TEST_F(HttpStreamTest, WriterHearsWhenTheReaderHasCaughtUp) {
  listen({.max_stream_bytes = size_t{64} * 1024 * 1024});
  RawPeer peer;
  const Response stream = open_stream(peer);
  int drained = 0;
  stream->on_drained([&] { ++drained; });
  for (int round = 1; round <= 2; ++round) {
    stream->write(std::string(size_t{16} * 1024 * 1024, 'x'));
    run_a_while();
    EXPECT_EQ(drained, round - 1);
    EXPECT_GT(stream->queued_bytes(), 0U);
    read_until(peer, [&] { return drained == round; }, "the news");
    EXPECT_EQ(stream->queued_bytes(), 0U);
  }
}

// The callback owns what it belongs to, which is how handlers are written.
TEST_F(HttpStreamTest, CallbacksMayHoldAndReleaseTheStream) {
  std::weak_ptr<HttpResponse> seen;
  router.get("/self", [&](HttpRequest, Response response) {
    seen = response;
    response->begin_stream(200, {});
    response->on_drained([response] { response->end(); });
    response->on_closed([response] { response->write("to nobody"); });
    response->write(std::string(700'000, 'x'));
  });
  listen();
  RawPeer reads;
  dial(reads, request("GET", "/self"));
  read_until(reads, [&] { return reads.got.size() > 700'000; }, "the bytes");
  reads.hang_up();
  run_until([&] { return seen.expired(); }, "the release");
  RawPeer leaves;
  dial(leaves, request("GET", "/self"));
  run_until([&] { return !seen.expired(); }, "another one");
  leaves.hang_up();
  run_until([&] { return seen.expired(); }, "the release");
}

TEST_F(HttpStreamTest, RequestsBehindAStreamWait) {
  listen();
  RawPeer peer;
  dial(peer, request("GET", "/stream") + request("GET", "/hello"));
  run_until([&] { return !streams.empty(); }, "the stream");
  run_a_while();
  streams[0]->write("event");
  streams[0]->end();
  const auto all = answers(peer, 2);
  EXPECT_EQ(all[0].body, "event");
  EXPECT_EQ(all[1].body, "hello");
}

TEST_F(HttpStreamTest, ManyStreams) {
  listen();
  constexpr size_t kStreams = 300;  // two descriptors each; the e2e test opens 1 000
  std::vector<RawPeer> peers(kStreams);
  for (RawPeer& peer : peers) dial(peer, request("GET", "/stream"));
  run_until([&] { return streams.size() == kStreams; }, "all streams");
  for (const Response& stream : streams) stream->write("data: all\n\n");
  for (RawPeer& peer : peers) {
    read_until(
        peer, [&] { return responses(peer.got).at(0).body == "data: all\n\n"; }, "the event");
  }
  for (RawPeer& peer : peers) peer.hang_up();
  run_until([&] { return closed == static_cast<int>(kStreams); }, "the news of all");
}

}  // namespace
}  // namespace iii::net
