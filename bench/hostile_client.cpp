#include "hostile_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "http_peer.h"

namespace iii::bench {

namespace {

std::string members(std::string_view method, std::string_view params) {
  return fmt::format(R"("method":"{}","params":{{{}}}}})", method, params);
}

// Of the response to `initialize`; header names of ours are spelled as we spell them.
std::string session_of(std::string_view response) {
  constexpr std::string_view kHeader = "Mcp-Session-Id: ";
  const size_t at = response.find(kHeader);
  if (at == std::string_view::npos) return {};
  const size_t begin = at + kHeader.size();
  return std::string(response.substr(begin, response.find('\r', begin) - begin));
}

}  // namespace

std::string post_text(std::string_view path, std::string_view headers, std::string_view body) {
  return request_text({fmt::format("POST {} HTTP/1.1\r\nContent-Type: application/json\r\nAccept: "
                                   "application/json, text/event-stream\r\n{}",
                                   path, headers),
                       std::string(body),
                       {}});
}

std::string initialize_text(std::string_view capabilities, std::string_view version) {
  return post_text(
      "/mcp", "",
      R"({"jsonrpc":"2.0","id":0,)" +
          members("initialize", fmt::format(R"("protocolVersion":"{}","capabilities":{},)"
                                            R"("clientInfo":{{"name":"hostile","version":"1"}})",
                                            version, capabilities)));
}

HostileClient::HostileClient(const Arena& arena, std::string_view capabilities,
                             std::string_view version)
    : peer_(arena.connect_http()) {
  session_ = session_of(peer_.ask(initialize_text(capabilities, version)));
  if (!session_.empty()) notify("notifications/initialized");
}

void HostileClient::notify(std::string_view method) {
  peer_.ask(post_text("/mcp", fmt::format("Mcp-Session-Id: {}\r\n", session_),
                      R"({"jsonrpc":"2.0",)" + members(method, "")));
}

std::string HostileClient::request(std::string_view method, std::string_view params) {
  return post_text(
      "/mcp", fmt::format("Mcp-Session-Id: {}\r\n", session_),
      fmt::format(R"({{"jsonrpc":"2.0","id":{},)", ++asked_) + members(method, params));
}

std::string HostileClient::ask(std::string_view method, std::string_view params, double seconds) {
  return peer_.ask(request(method, params), seconds);
}

std::string HostileClient::call_text(std::string_view tool, std::string_view arguments) {
  return request("tools/call", fmt::format(R"("name":"{}","arguments":{})", tool, arguments));
}

std::string HostileClient::call(std::string_view tool, std::string_view arguments, double seconds) {
  return peer_.ask(call_text(tool, arguments), seconds);
}

HostilePeer HostileClient::stream(const Arena& arena) const {
  HostilePeer peer = arena.connect_http();
  peer.send_bytes(
      fmt::format("GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n"
                  "Mcp-Session-Id: {}\r\n\r\n",
                  session_));
  return peer;
}

void check_settled(Arena& arena, const HostilePeer& peer, const std::string& answer) {
  // Nothing of a smoke test is so large that a connection has to end.
  const bool may_end = !arena.quick();
  arena.check("everything is answered or refused", !answer.empty() || (may_end && !peer.open()));
}

std::string text_input(std::string_view key, size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += "skill-1/";
  return fmt::format(R"({{"{}":"{}x"}})", key, text);
}

void many_names(const std::filesystem::path& folder, bool quick) {
  std::filesystem::create_directories(folder / "prompts");
  for (size_t i = 0; i < (quick ? 20 : 2'000); ++i) {
    write_skill(folder, fmt::format("skill-{}", i), "One of many.");
    std::ofstream(folder / "prompts" / fmt::format("prompt-{}.md", i))
        << fmt::format("---\nname: prompt-{}\ndescription: One of many.\n---\nDo it.\n", i);
  }
}

bool call_at_once(const Arena& arena, size_t count, std::string_view tool,
                  std::string_view arguments, const std::function<void()>& meanwhile) {
  std::vector<HostileClient> clients;
  for (size_t i = 0; i < count && arena.in_time(); ++i) clients.emplace_back(arena);
  std::vector<size_t> before;
  for (HostileClient& client : clients) {
    HostilePeer& peer = client.peer();
    before.push_back(peer.heard());
    peer.hear = [](std::string_view) { return true; };
    peer.keeps_bodies = false;
    peer.send_bytes(client.call_text(tool, arguments));
  }
  const auto waits = [&](size_t i) {
    return clients[i].peer().open() && clients[i].peer().heard() == before[i];
  };
  while (arena.in_time()) {
    size_t left = 0;
    for (size_t i = 0; i < clients.size(); ++i) {
      if (waits(i)) clients[i].peer().listen(0.002);
      left += waits(i) ? 1 : 0;
    }
    if (left == 0) {
      return !arena.quick() || std::ranges::all_of(clients, [](HostileClient& client) {
        return client.peer().open();
      });
    }
    if (meanwhile) meanwhile();
  }
  return false;
}

void check_served(Arena& arena) {
  HostileClient client(arena);
  const std::string read = client.call("read", R"({"id":"known"})");
  arena.check("a new client is served", read.find("What is known.") != std::string::npos);
}

}  // namespace iii::bench
