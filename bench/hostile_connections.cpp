// Attacks with sockets, WebSocket frames and channels.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "hostile.h"

namespace iii::bench {
namespace {

constexpr uint8_t kFirstPart = 0x01;   // text, more to come
constexpr uint8_t kMiddlePart = 0x00;  // continuation, more to come
constexpr uint8_t kPing = 0x89;
constexpr uint8_t kPong = 0x8a;

void unfinished(Arena& arena) {
  const std::string part(arena.amount(15 * kMiB + kMiB / 2, kMiB / 16), 'x');
  const std::string first = raw_frame(kFirstPart, part);
  const std::string more = raw_frame(kMiddlePart, part);
  std::vector<HostilePeer> peers;
  for (size_t i = 0; i < arena.amount(40, 4) && arena.in_time(); ++i) {
    peers.push_back(arena.connect());
    peers.back().send_bytes(first);
    for (int k = 0; k < 3; ++k) peers.back().send_bytes(more);
  }
  HostilePeer other = arena.worker("other");
  arena.check("another worker is answered", succeeded(other.call("engine::workers::list", "{}")));
}

void flood(Arena& arena, const std::string& start, const std::string& block, bool reads = true) {
  HostilePeer peer = arena.worker("hostile");
  peer.reads = reads;
  peer.hear = [](std::string_view) { return true; };
  peer.send_bytes(start);
  arena.flood(peer, block, 3);
  HostilePeer other = arena.worker("other");
  arena.check("another worker is answered", succeeded(other.call("engine::workers::list", "{}")));
}

std::string repeated(size_t count, const std::string& frame) {
  std::string block;
  for (size_t i = 0; i < count; ++i) block += frame;
  return block;
}

void pings(Arena& arena) {
  flood(arena, "", repeated(2'000, raw_frame(kPing, std::string(125, 'p'))));
}
void pongs(Arena& arena) { flood(arena, "", repeated(2'000, raw_frame(kPong, "p"))); }
void pings_unread(Arena& arena) {
  flood(arena, "", repeated(2'000, raw_frame(kPing, std::string(125, 'p'))), false);
}
void json_pings(Arena& arena) {
  flood(arena, "", many(2'000, [](size_t) { return R"({"type":"ping"})"; }));
}
void empty_fragments(Arena& arena) {
  flood(arena, raw_frame(kFirstPart, ""), repeated(4'000, raw_frame(kMiddlePart, "")));
}
void small_fragments(Arena& arena) {
  flood(arena, raw_frame(kFirstPart, "\""), repeated(4'000, raw_frame(kMiddlePart, "x")));
}

void slow_handshakes(Arena& arena) {
  std::vector<HostilePeer> peers;
  for (size_t i = 0; i < arena.amount(2'000, 50) && arena.in_time(); ++i) {
    peers.push_back(arena.connect_tcp());
    peers.back().reads = false;
    peers.back().send_bytes("GET / HTTP/1.1\r\nX-A: ");
  }
  for (size_t round = 0; round < arena.amount(10, 2); ++round) {
    for (HostilePeer& peer : peers) peer.send_bytes("a");
  }
  HostilePeer other = arena.worker("other");
  arena.check("another worker is answered", succeeded(other.call("engine::workers::list", "{}")));
}

void long_handshakes(Arena& arena) {
  const std::string line = "X-A: " + std::string(1'000'000, 'a');
  for (size_t i = 0; i < arena.amount(50, 3) && arena.in_time(); ++i) {
    HostilePeer peer = arena.connect_tcp();
    peer.send_bytes("GET / HTTP/1.1\r\n");
    peer.send_bytes(line);
  }
}

void storm(Arena& arena) {
  size_t connected = 0;
  for (size_t i = 0; i < arena.amount(5'000, 50) && arena.in_time(); ++i) {
    connected += arena.connect().open() ? 1 : 0;
  }
  arena.check("connections are accepted", connected > 0);
}

void leave_together(Arena& arena) {
  std::vector<HostilePeer> peers;
  for (size_t i = 0; i < arena.amount(2'000, 20) && arena.in_time(); ++i) {
    peers.push_back(arena.worker(fmt::format("w{}", i)));
    peers.back().send_bytes(
        many(5, [&](size_t k) { return function_text(fmt::format("w{}::f{}", i, k)); }) +
        many(5, [&](size_t k) { return bind_text(fmt::format("w{}-{}", i, k), "state", "x"); }));
  }
  peers.clear();
}

void channels(Arena& arena) {
  HostilePeer peer = arena.worker("hostile");
  const size_t before = arena.descriptors();
  std::vector<HostilePeer> writers;
  const std::string item = message_frames(std::string(arena.amount(60 * kMiB, kMiB / 4), 'i'));
  for (size_t i = 0; i < arena.amount(10, 2) && arena.in_time(); ++i) {
    const std::string made = peer.call("engine::channels::create", "{}");
    writers.push_back(
        arena.connect(fmt::format("/ws/channels/{}?key={}&dir=write", text_of(made, "channel_id"),
                                  text_of(made, "access_key"))));
    // It is not read to the end, as there is no reader.
    writers.back().send_bytes(item, now_ns() + 300'000'000);
    writers.back().reads = true;
  }
  peer.listen(0.5);
  writers.clear();
  // A connection that is not read is looked at once a second.
  size_t after = arena.descriptors();
  for (int tenths = 0; after > before && tenths < 30; ++tenths) {
    peer.listen(0.1);
    after = arena.descriptors();
  }
  arena.check(fmt::format("{} descriptors are open before, {} afterwards", before, after),
              after <= before);
}

void channel_flood(Arena& arena) {
  HostilePeer peer = arena.worker("hostile");
  const std::string made = peer.call("engine::channels::create", R"({"buffer_size":1024})");
  const auto end = [&](const char* direction) {
    return arena.connect(fmt::format("/ws/channels/{}?key={}&dir={}", text_of(made, "channel_id"),
                                     text_of(made, "access_key"), direction));
  };
  HostilePeer writer = end("write");
  HostilePeer reader = end("read");
  size_t received = 0;
  size_t sent = 0;
  reader.hear = [&](std::string_view) { return ++received > 0; };
  const std::string block = many(1'000, [](size_t) { return "item"; });
  for (size_t i = 0; i < arena.amount(500, 5) && writer.send_bytes(block); ++i) {
    sent += 1'000;
    while (sent - received > 10'000 && arena.in_time() && reader.open()) reader.listen(0.001);
  }
  while (received < sent && arena.in_time() && reader.open()) reader.listen(0.01);
  arena.check(fmt::format("{} of {} items arrive", received, sent), received == sent && sent > 0);
}

void many_channels(Arena& arena) {
  HostilePeer peer = arena.worker("hostile");
  peer.calls(arena.amount(12'000, 100), 500, "engine::channels::create",
             [](size_t) { return "{}"; });
}

// Half a frame, and silence.
void half_frames(Arena& arena) {
  std::vector<HostilePeer> peers;
  const std::string frame = raw_frame(0x81, std::string(1'000'000, 'x'));
  for (size_t i = 0; i < arena.amount(1'000, 20) && arena.in_time(); ++i) {
    peers.push_back(arena.connect());
    peers.back().send_bytes(frame.substr(0, 100'000));
  }
}

}  // namespace

std::vector<Attack> connection_attacks() {
  return {
      {"unfinished", "40 connections with unfinished messages of 62 MiB", unfinished},
      {"half-frames", "1 000 connections with 100 KB of a frame of 1 MB", half_frames},
      {"pings", "a flood of WebSocket pings", pings},
      {"pings-unread", "the same, and the pongs are never read", pings_unread},
      {"pongs", "a flood of WebSocket pongs", pongs},
      {"json-pings", "a flood of ping messages", json_pings},
      {"empty-fragments", "a message of empty frames without an end", empty_fragments},
      {"small-fragments", "a message of frames of one byte without an end", small_fragments},
      {"slow-handshakes", "2 000 upgrade requests that never end", slow_handshakes},
      {"long-handshakes", "50 upgrade requests with a header of 1 MB", long_handshakes},
      {"connect-storm", "5 000 connections are made and dropped", storm},
      {"leave-together", "2 000 workers with 5 functions and 5 bindings leave at once",
       leave_together},
      {"channel-60mib", "10 channels with an item of 60 MiB and no reader", channels},
      {"channel-flood", "a flood of small items through a channel", channel_flood},
      {"many-channels", "12 000 channels that nobody uses", many_channels},
  };
}

}  // namespace iii::bench
