// Accepts TCP connections, reads the HTTP upgrade, and hands WebSocket connections to a router.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "bus/net/connection.h"
#include "bus/net/loop.h"
#include "bus/net/memory_budget.h"
#include "bus/net/wrong_tokens.h"
#include "foundation/base/result.h"

namespace iii::net {

// Chosen by the router for an upgrade it accepts: gets the connection right after the 101 was
// queued and returns the object that will hear its events (which keeps `connection` as long as it
// likes).
using Accept =
    std::move_only_function<std::unique_ptr<ConnectionEvents>(std::shared_ptr<Connection>)>;
// A null pointer drops the connection.
using RouteDecision = std::variant<Accept, ws::Refusal>;
// `remote_ip` is without port. Called on the loop thread for every well-formed or malformed upgrade
// whose path the router knows; check_upgrade() is the router's to call, so that 404 can win over
// 400.
using Router =
    std::function<RouteDecision(const ws::UpgradeRequest&, const std::string& remote_ip)>;

struct ServerOptions {
  std::string host = "127.0.0.1";
  uint16_t port = 0;  // 0: chosen by the OS
  size_t max_connections = 20'000;
  std::chrono::milliseconds handshake_timeout{10'000};
  ConnectionOptions connection = {};
  std::vector<ws::Header> upgrade_headers = {};  // added to every 101 answer
  // What all connections hold together: input that is not complete, output that is not taken, and
  // what charge() adds. Above it the connection that holds most is ended.
  size_t max_total_bytes = size_t{1024} * 1024 * 1024;
  // For others to share; null: the server's own.
  std::shared_ptr<MemoryBudget> memory = nullptr;
  std::shared_ptr<WrongTokens> wrong_tokens = nullptr;
};

class Server {
 public:
  // Binds and listens at once; a busy port is an Error with code `address_in_use`.
  static Result<std::unique_ptr<Server>> listen(Loop& loop, ServerOptions options, Router router);
  virtual ~Server() = default;

  virtual uint16_t port() const = 0;
  virtual size_t connections() const = 0;
  // Stops accepting and drops every connection without a Close frame (clients see 1006 and come
  // back). Their on_closed comes on the loop; none comes after the server was destroyed.
  virtual void stop() = 0;
};

}  // namespace iii::net
