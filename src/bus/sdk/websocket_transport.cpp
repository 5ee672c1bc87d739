#include "bus/sdk/websocket_transport.h"

#include <fmt/format.h>

#include <utility>

namespace iii::sdk {

namespace {

// For the log: which engine it is about. A path or query may hold what is nobody's business.
std::string about(const net::Url& url, std::string_view what) {
  return fmt::format("{}://{}: {}", url.secure ? "wss" : "ws", url.authority(), what);
}

}  // namespace

void WebSocketTransport::open(TransportEvents& events) {
  drop();
  events_ = &events;
  auto done = [this](Result<std::shared_ptr<net::ClientConnection>> opened) {
    connecting_.reset();
    if (!opened) {
      const std::string why = about(url_, opened.error().message);
      const bool refused = opened.error().code == net::kConnectRefused;
      return refused ? events_->on_refused(why) : events_->on_closed(why);
    }
    connection_ = std::move(*opened);
    connection_->start(*this);
    events_->on_open();
  };
  connecting_ = net::connect(loop_, url_, options_, std::move(done));
}

void WebSocketTransport::send(std::string_view text) {
  if (connection_) connection_->send(ws::Opcode::kText, text);
}

SharedBytes WebSocketTransport::encode(std::string text) const {
  return net::encode_message(text, options_.connection.limits);
}

void WebSocketTransport::send_encoded(SharedBytes frame) {
  if (connection_) connection_->send_encoded(std::move(frame));
}

void WebSocketTransport::ping() {
  if (connection_) connection_->ping({});
}

void WebSocketTransport::close() {
  if (connection_) connection_->close(ws::kCloseNone, {});
}

void WebSocketTransport::drop() {
  connecting_.reset();
  connection_.reset();
}

// JSON in a binary frame counts like text, as in the other SDKs.
void WebSocketTransport::on_message(ws::Opcode /*kind*/, std::string_view payload) {
  events_->on_text(payload);
}

void WebSocketTransport::on_closed(const net::CloseInfo& info) {
  connection_.reset();
  events_->on_closed(about(
      url_, info.reason.empty() ? fmt::format("closed with code {}", info.code)
                                : fmt::format("closed with code {}: {}", info.code, info.reason)));
}

}  // namespace iii::sdk
