// A Transport over a WebSocket to an engine somewhere.
#pragma once

#include <memory>

#include "bus/net/client.h"
#include "bus/sdk/transport.h"

namespace iii::sdk {

class WebSocketTransport final : public Transport, private net::ConnectionEvents {
 public:
  WebSocketTransport(net::Loop& loop, net::Url url, net::ConnectOptions options)
      : loop_(loop), url_(std::move(url)), options_(std::move(options)) {}

  void open(TransportEvents& events) override;
  void send(std::string_view text) override;
  SharedBytes encode(std::string text) const override;  // masked, in WebSocket frames
  void send_encoded(SharedBytes frame) override;
  void ping() override;
  void close() override;
  void drop() override;

 private:
  void on_message(ws::Opcode kind, std::string_view payload) override;
  void on_ping() override { events_->on_alive(); }
  void on_pong() override { events_->on_alive(); }
  void on_closed(const net::CloseInfo& info) override;

  net::Loop& loop_;
  const net::Url url_;
  const net::ConnectOptions options_;
  TransportEvents* events_ = nullptr;
  std::unique_ptr<net::Connecting> connecting_;
  std::shared_ptr<net::ClientConnection> connection_;
};

}  // namespace iii::sdk
