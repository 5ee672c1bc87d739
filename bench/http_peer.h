// A client that sends one HTTP request again and again on one connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "peers.h"

namespace iii::bench {

struct HttpQuestion {
  std::string head;  // request line and headers, without Host and Content-Length
  std::string body;
  std::string expect;  // what every answer contains
};
std::string request_text(const HttpQuestion& question);
// In the stateless dialect of MCP: a request is complete in itself. `params` are members, each with
// a comma behind it; `name` is what the header repeats of them.
HttpQuestion mcp_question(std::string_view method, std::string_view name, std::string_view params,
                          std::string expect = "");

struct HttpReply {
  int status = 0;
  std::string body = {};
};
// Takes a whole response from the front of `bytes`; nothing while it is not complete.
std::optional<HttpReply> next_reply(std::string_view& bytes);

// Bytes of the response whose head `bytes` begin with; nothing while the head is not complete or
// does not tell.
std::optional<size_t> announced_size(std::string_view bytes);

// One request, one answer, on a connection of its own. Nothing when the connection ended before.
std::optional<HttpReply> ask_once(uint16_t port, const HttpQuestion& question);

// The next request goes out when the answer to the one before has come.
std::unique_ptr<Peer> http_client(uint16_t port, const HttpQuestion& question, Tally& tally);

}  // namespace iii::bench
