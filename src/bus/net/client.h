// Opens a WebSocket to somebody else's server.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bus/net/connection.h"
#include "bus/net/loop.h"
#include "bus/net/tls.h"
#include "foundation/base/result.h"

namespace iii::net {

struct Url {
  std::string host;
  uint16_t port = 80;
  std::string target = "/";  // path and query
  bool secure = false;       // wss: TLS

  // `ws://host[:port][/path][?query]` or `wss://…`, IPv6 in brackets.
  static Result<Url> parse(std::string_view text);
  std::string authority() const;  // host[:port], as for the Host header
};

// Code of an attempt where nobody listens on the port.
inline constexpr const char* kConnectRefused = "connect_refused";

struct ConnectOptions {
  std::vector<ws::Header> headers = {};
  std::chrono::milliseconds timeout{10'000};  // resolve, connect, TLS and upgrade together
  ConnectionOptions connection = {};
  std::shared_ptr<const TlsTrust> trust = {};  // for wss; none: whom the system trusts
};

// A text message as a client sends it, masked and in frames, for ClientConnection::send_encoded.
// From any thread.
SharedBytes encode_message(std::string_view text, const ws::Limits& limits);

// A connection attempt; destroying it cancels.
class Connecting {
 public:
  virtual ~Connecting() = default;
};

// `done` is called once on the loop thread, never from inside connect(), with the open connection
// or with why not: `resolve_failed`, `connect_refused`, `connect_failed`, `connect_timeout`,
// `upgrade_refused`, `bad_answer`, `bad_header`, and for wss `tls_untrusted`, `tls_failed`. Whoever
// gets the connection must call `start` on it with the object that hears its events. Letting go of
// the last shared_ptr ends the connection and its events.
class ClientConnection : public Connection {
 public:
  virtual void start(ConnectionEvents& events) = 0;
  // One message that a ws::Encoder of a client has already written. It is not copied.
  virtual void send_encoded(SharedBytes message) = 0;
};
using Connected = std::move_only_function<void(Result<std::shared_ptr<ClientConnection>>)>;
std::unique_ptr<Connecting> connect(Loop& loop, const Url& url, ConnectOptions options,
                                    Connected done);

}  // namespace iii::net
