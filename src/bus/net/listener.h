// Accepts TCP connections for a server, one per loop turn. Internal to this room.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "bus/net/asio.h"
#include "bus/net/loop.h"
#include "foundation/base/log.h"
#include "foundation/base/result.h"

namespace iii::net {

// Handlers of the acceptor hold it, so that they may come late.
class Listener : public std::enable_shared_from_this<Listener> {
 public:
  Listener(Loop& loop, std::function<void(Socket)> on_socket)
      : loop_(loop), on_socket_(std::move(on_socket)), acceptor_(loop.context()) {}

  // An address, or a name of this machine. A busy port is an Error with code `address_in_use`.
  Result<void> listen(const std::string& host, uint16_t port);
  void accept();
  // `on_socket` is not called any more.
  void close();
  uint16_t port() const { return port_; }

 private:
  void on_accept(ErrorCode error, Socket socket);

  Loop& loop_;
  const std::function<void(Socket)> on_socket_;
  Acceptor acceptor_;
  uint16_t port_ = 0;
  TimerId retry_ = 0;
  LogOnce out_of_descriptors_;
};

// The address of the peer, without port.
std::string ip_text(const Socket& socket);

}  // namespace iii::net
