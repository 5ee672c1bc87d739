// MCP over HTTP for attacks: sessions of the handshake dialect, which any request fits into.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "hostile.h"

namespace iii::bench {

// A POST with a JSON body. `headers` end with a line end each.
std::string post_text(std::string_view path, std::string_view headers, std::string_view body);
// The request `initialize` of one client.
std::string initialize_text(std::string_view capabilities = "{}",
                            std::string_view version = "2025-11-25");

// A client with a session, on a connection of its own.
class HostileClient {
 public:
  explicit HostileClient(const Arena& arena, std::string_view capabilities = "{}",
                         std::string_view version = "2025-11-25");

  HostilePeer& peer() { return peer_; }
  const std::string& session() const { return session_; }  // empty: it was refused
  // Members of `params`. The text of a request, and the response to one.
  std::string request(std::string_view method, std::string_view params);
  std::string ask(std::string_view method, std::string_view params, double seconds = 1e6);
  // Of a tool.
  std::string call(std::string_view tool, std::string_view arguments, double seconds = 1e6);
  std::string call_text(std::string_view tool, std::string_view arguments);
  // The session's own stream, on another connection.
  HostilePeer stream(const Arena& arena) const;
  // A message of the client that has no answer.
  void notify(std::string_view method);

 private:
  HostilePeer peer_;
  std::string session_;
  size_t asked_ = 0;
};

// Must hold: nobody is left waiting. The answer came, or the server ended the connection.
void check_settled(Arena& arena, const HostilePeer& peer, const std::string& answer);
// An object with one long text, which resembles ids.
std::string text_input(std::string_view key, size_t bytes);
// 2 000 skills and as many prompts.
void many_names(const std::filesystem::path& folder, bool quick);
// `count` clients call a tool at once. False when one of them is left waiting. `meanwhile` is
// called again and again until then.
bool call_at_once(const Arena& arena, size_t count, std::string_view tool,
                  std::string_view arguments, const std::function<void()>& meanwhile = {});
// A new client gets a session and reads a skill.
void check_served(Arena& arena);

}  // namespace iii::bench
