#include "bus/net/listener.h"

#include <fmt/format.h>

#include <utility>

namespace iii::net {
namespace {

// When the process is out of descriptors, accepting again at once would only spin.
constexpr Millis kAcceptPause{100};
constexpr int kBacklog = 4096;

Result<asio::ip::address> address_of(Loop& loop, const std::string& host) {
  ErrorCode error;
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  asio::ip::address address =
      asio::ip::make_address(bracketed ? host.substr(1, host.size() - 2) : host, error);
  if (!error) return address;
  Resolver resolver(loop.context());
  const auto found = resolver.resolve(host, "0", Tcp::resolver::passive, error);
  if (error || found.empty()) {
    return fail("listen_failed", "the host to listen on is not an address of this machine");
  }
  address = found.begin()->endpoint().address();
  // `localhost` is both: most clients try the older family first.
  for (const auto& entry : found) {
    if (entry.endpoint().address().is_v4()) address = entry.endpoint().address();
  }
  return address;
}

}  // namespace

std::string ip_text(const Socket& socket) {
  ErrorCode error;
  const Tcp::endpoint peer = socket.remote_endpoint(error);
  if (error) return "unknown";
  const asio::ip::address address = peer.address();
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
  }
  return address.to_string();
}

Result<void> Listener::listen(const std::string& host, uint16_t port) {
  const Result<asio::ip::address> address = address_of(loop_, host);
  if (!address) return std::unexpected(address.error());
  const Tcp::endpoint endpoint(*address, port);
  ErrorCode error;
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(Acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(kBacklog, error);
  if (error == asio::error::address_in_use) {
    return fail("address_in_use",
                fmt::format("port {} is already in use: stop the program that uses it, or choose "
                            "another port (0: chosen by the system)",
                            port));
  }
  if (error == asio::error::access_denied) {
    return fail("listen_failed",
                fmt::format("this user may not listen on port {}. Next: choose a port of 1024 or "
                            "more, or give the program the capability CAP_NET_BIND_SERVICE.",
                            port));
  }
  if (error) {
    return fail("listen_failed",
                fmt::format("cannot listen on port {}: {}", port, error.message()));
  }
  port_ = acceptor_.local_endpoint(error).port();
  return {};
}

void Listener::accept() {
  acceptor_.async_accept([self = shared_from_this()](ErrorCode error, Socket socket) {
    self->on_accept(error, std::move(socket));
  });
}

void Listener::on_accept(ErrorCode error, Socket socket) {
  if (!acceptor_.is_open()) return;
  if (error) {
    out_of_descriptors_.warn("cannot accept connections at the moment: {}", error.message());
    retry_ = loop_.after(kAcceptPause, [self = shared_from_this()] { self->accept(); });
    return;
  }
  on_socket_(std::move(socket));
  if (acceptor_.is_open()) accept();
}

void Listener::close() {
  ErrorCode ignored;
  acceptor_.close(ignored);
  loop_.cancel(retry_);
}

}  // namespace iii::net
