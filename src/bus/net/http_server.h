// An HTTP/1.1 server on the loop: keep-alive, pipelining, streams; every resource that a client can
// use is limited.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "bus/net/http_access.h"
#include "bus/net/http_message.h"
#include "bus/net/http_router.h"
#include "bus/net/loop.h"
#include "bus/net/memory_budget.h"
#include "bus/net/wrong_tokens.h"
#include "foundation/base/result.h"

namespace iii::net {

struct HttpServerOptions {
  std::string host = "127.0.0.1";
  uint16_t port = 0;  // 0: chosen by the OS
  HttpAccess access = {};

  size_t max_connections = 4'096;
  // Beyond these: 431, and 413.
  size_t max_head_bytes = 32 * 1024;
  size_t max_headers = 100;
  size_t max_body_bytes = 4 * 1024 * 1024;

  // A client may take this long to send a head, from its first byte (or from connecting) on.
  std::chrono::milliseconds head_timeout{10'000};
  // While a body arrives, each such period has to bring that many bytes (or the rest).
  std::chrono::milliseconds body_period{10'000};
  size_t min_body_bytes_per_period = 16 * 1024;
  // A connection without a request is closed after this time.
  std::chrono::milliseconds idle_timeout{75'000};
  // A client that takes nothing of what waits for it is disconnected after this time …
  std::chrono::milliseconds stall_timeout{30'000};
  // … and the reader of a stream when more than this waits for it, besides its largest message.
  size_t max_stream_bytes = 1024 * 1024;
  // While more than this waits for a client, its next request is not looked at.
  size_t high_water = 1024 * 1024;
  // How long the requests of one connection are handled before others get their turn.
  std::chrono::microseconds turn_budget{500};
  // See ConnectionOptions.
  std::chrono::milliseconds dead_peer_timeout{30'000};
  std::chrono::milliseconds linger{2'000};

  // What all connections hold together; above it the one that holds most is ended.
  size_t max_total_bytes = size_t{256} * 1024 * 1024;
  // For others to share; null: the server's own.
  std::shared_ptr<MemoryBudget> memory = nullptr;
  std::shared_ptr<WrongTokens> wrong_tokens = nullptr;
};

class HttpServer {
 public:
  // Binds and listens at once; a busy port is an Error with code `address_in_use`.
  static Result<std::unique_ptr<HttpServer>> listen(Loop& loop, HttpServerOptions options,
                                                    HttpRouter router);
  // Whatever is still open is dropped; no callback of a response comes any more.
  virtual ~HttpServer() = default;

  virtual uint16_t port() const = 0;
  virtual size_t connections() const = 0;
  // Stops accepting, closes idle connections, ends streams (their on_closed comes), finishes the
  // requests that are running; then, or after `patience`, drops the rest and calls `done` once.
  virtual void drain(std::chrono::milliseconds patience, std::move_only_function<void()> done) = 0;
};

}  // namespace iii::net
