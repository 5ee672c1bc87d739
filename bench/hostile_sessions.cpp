// Attacks with sessions, subscriptions and streams of MCP.
#include <fmt/format.h>

#include <algorithm>

#include "hostile_client.h"
#include "http_peer.h"

namespace iii::bench {
namespace {

// `count` addresses as a JSON list.
std::string addresses(size_t count, std::string_view start, size_t length) {
  std::string list = "[";
  for (size_t i = 0; i < count; ++i) {
    std::string address = fmt::format("{}{}", start, i);
    address.resize(std::max(address.size(), length), 'x');
    list += fmt::format(R"({}"{}")", i == 0 ? "" : ",", address);
  }
  return list + "]";
}

void subscribe_large(Arena& arena) {
  HostileClient client(arena);
  const std::string text(arena.amount(4'000'000, 10'000), 'u');
  for (size_t i = 0; i < arena.amount(300, 10) && arena.in_time() && client.peer().open(); ++i) {
    check_settled(arena, client.peer(),
                  client.ask("resources/subscribe", fmt::format(R"("uri":"iii://{}{}")", i, text)));
  }
}

void initialize_large(Arena& arena) {
  const std::string capabilities = fmt::format(
      R"({{"experimental":{}}})", addresses(arena.amount(100'000, 100), "capability", 30));
  const std::string request = initialize_text(capabilities);
  for (size_t i = 0; i < arena.amount(100, 5) && arena.in_time(); ++i) {
    HostilePeer peer = arena.connect_http();
    check_settled(arena, peer, peer.ask(request));
  }
}

// Reads all of them until each stream has begun, or was refused.
bool all_respond(const Arena& arena, std::vector<HostilePeer>& streams) {
  const auto waits = [](const HostilePeer& peer) { return peer.open() && peer.received() == 0; };
  while (arena.in_time()) {
    size_t left = 0;
    for (HostilePeer& peer : streams) {
      if (waits(peer)) peer.listen(0.001);
      left += waits(peer) ? 1 : 0;
    }
    if (left == 0) return true;
  }
  return false;
}

std::vector<HostilePeer> open_streams(Arena& arena, size_t count, const std::string& wanted) {
  const std::string request = request_text(
      mcp_question("subscriptions/listen", "", fmt::format(R"("notifications":{},)", wanted)));
  std::vector<HostilePeer> streams;
  for (size_t i = 0; i < count && arena.in_time(); ++i) {
    streams.push_back(arena.connect_http());
    streams.back().send_bytes(request);
  }
  arena.check("every stream is opened or refused", all_respond(arena, streams));
  return streams;
}

void listen_large(Arena& arena) {
  const std::string list = addresses(arena.amount(10'000, 100), "iii://skill-", 300);
  const auto streams =
      open_streams(arena, arena.amount(100, 5), R"({"resourceSubscriptions":)" + list + "}");
}

void held_streams(Arena& arena) {
  const auto streams =
      open_streams(arena, arena.amount(1'024, 50), R"({"resourcesListChanged":true})");
  check_served(arena);
}

void initialize_flood(Arena& arena) {
  std::string requests;
  constexpr size_t kOnOne = 103;
  for (size_t i = 0; i < kOnOne; ++i) requests += initialize_text();
  std::vector<HostilePeer> peers;
  for (size_t i = 0; i < arena.amount(10, 1); ++i) {
    peers.push_back(arena.connect_http());
    peers.back().hear = [](std::string_view) { return true; };
    peers.back().send_bytes(requests);
  }
  for (HostilePeer& peer : peers) {
    while (peer.open() && peer.heard() < kOnOne && arena.in_time()) peer.listen(0.01);
    arena.check("everything is answered or refused", !peer.open() || peer.heard() == kOnOne);
  }
}

constexpr size_t kMoved = 10'000;  // skills

void movable_files(const std::filesystem::path& folder, bool quick) {
  for (size_t i = 0; i < (quick ? 50 : kMoved); ++i) {
    write_skill(folder, fmt::format("moved/s{}", i), "One of many.");
  }
}

// In batches, which one old version has.
void subscribe_to_all(Arena& arena, HostileClient& client, size_t count) {
  constexpr size_t kBatch = 100;
  const std::string head = fmt::format("Mcp-Session-Id: {}\r\n", client.session());
  for (size_t i = 0; i < count && arena.in_time() && client.peer().open();) {
    std::string batch = "[";
    for (const size_t end = std::min(count, i + kBatch); i < end; ++i) {
      batch += fmt::format(R"({}{{"jsonrpc":"2.0","id":{},"method":"resources/subscribe",)"
                           R"("params":{{"uri":"iii://moved/s{}"}}}})",
                           batch.size() > 1 ? "," : "", i, i);
    }
    check_settled(arena, client.peer(), client.peer().ask(post_text("/mcp", head, batch + "]")));
  }
}

void bulk_change(Arena& arena) {
  std::vector<HostileClient> clients;
  std::vector<HostilePeer> streams;
  for (size_t i = 0; i < arena.amount(100, 3) && arena.in_time(); ++i) {
    clients.emplace_back(arena, "{}", "2025-03-26");
    subscribe_to_all(arena, clients.back(), arena.amount(kMoved, 50));
    streams.push_back(clients.back().stream(arena));
    streams.back().listen(0.01);
  }
  size_t before = 0;
  for (const HostilePeer& stream : streams) before += stream.received();
  std::filesystem::rename(arena.skills() / "moved", arena.skills() / "elsewhere");
  const int64_t end = now_ns() + static_cast<int64_t>(arena.seconds(8, 1) * 1e9);
  while (now_ns() < end) {
    for (HostilePeer& stream : streams) stream.listen(0.002);
  }
  size_t after = 0;
  for (const HostilePeer& stream : streams) after += stream.received();
  arena.check(
      fmt::format("{} sessions hear of it in {} KB", streams.size(), (after - before) / 1'000),
      true);
}

}  // namespace

std::vector<Attack> session_attacks() {
  return {
      {"subscribe-4mb", "300 x resources/subscribe with addresses of 4 MB, one session",
       subscribe_large, few_files},
      {"initialize-3mb", "100 x initialize with 3.3 MB of capabilities", initialize_large,
       few_files},
      {"initialize-flood", "1 030 x initialize in a second", initialize_flood, few_files},
      {"listen-10000", "100 x subscriptions/listen with 10 000 addresses of 300 bytes",
       listen_large, few_files},
      {"held-streams", "1 024 held streams, then a new client", held_streams, few_files},
      {"bulk-change", "100 sessions x 10 000 subscriptions; all their files are moved", bulk_change,
       movable_files},
  };
}

}  // namespace iii::bench
