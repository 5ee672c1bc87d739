#include "bus/net/http_server.h"

#include <sys/socket.h>

#include <unordered_map>
#include <utility>
#include <vector>

#include "bus/net/http_connection.h"
#include "bus/net/listener.h"
#include "bus/net/socket_options.h"
#include "foundation/base/log.h"

namespace iii::net {
namespace {

constexpr std::string_view kFull =
    "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n"
    "Connection: close\r\n\r\n";

// What the HttpServer object owns.
class HttpHub : public std::enable_shared_from_this<HttpHub> {
 public:
  HttpHub(Loop& loop, HttpServerOptions options, HttpRouter router)
      : loop_(loop),
        site_(std::make_shared<HttpSite>()),
        listener_(std::make_shared<Listener>(
            loop, [this](Socket socket) { accept(std::move(socket)); })) {
    options.access.hosts.push_back(options.host);
    site_->memory =
        options.memory ? options.memory : std::make_shared<MemoryBudget>(options.max_total_bytes);
    site_->wrong_tokens =
        options.wrong_tokens ? options.wrong_tokens : std::make_shared<WrongTokens>(loop);
    site_->options = std::move(options);
    site_->router = std::move(router);
  }

  Result<void> listen() {
    const HttpServerOptions& options = site_->options;
    if (auto listening = listener_->listen(options.host, options.port); !listening) {
      return listening;
    }
    listener_->accept();
    return {};
  }

  uint16_t port() const { return listener_->port(); }
  size_t connections() const { return connections_.size(); }
  void drain(Millis patience, std::move_only_function<void()> done);
  void abandon();

 private:
  void accept(Socket socket);
  void forget(HttpConnection* connection);
  void drained();

  Loop& loop_;
  const std::shared_ptr<HttpSite> site_;
  const std::shared_ptr<Listener> listener_;
  // Until their sockets are closed, so that abandon() reaches them all.
  std::unordered_map<HttpConnection*, std::shared_ptr<HttpConnection>> connections_;
  std::move_only_function<void()> when_drained_;
  TimerId patience_ = 0;
  LogOnce full_;
};

void HttpHub::accept(Socket socket) {
  const HttpServerOptions& options = site_->options;
  if (connections_.size() >= options.max_connections) {
    full_.warn("HTTP connections are refused: {} are open, which is the limit",
               connections_.size());
    // As far as it gets there: nobody waits for this client.
    ::send(socket.native_handle(), kFull.data(), kFull.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    ErrorCode ignored;
    socket.close(ignored);
    return;
  }
  prepare_socket(socket.native_handle(), options.dead_peer_timeout);
  std::string peer = ip_text(socket);
  const auto connection =
      std::make_shared<HttpConnection>(loop_, std::move(socket), site_, std::move(peer));
  connection->when_over([weak = weak_from_this(), key = connection.get()] {
    if (const auto hub = weak.lock()) hub->forget(key);
  });
  connections_.emplace(connection.get(), connection);
  connection->start();
}

void HttpHub::forget(HttpConnection* connection) {
  connections_.erase(connection);
  if (connections_.empty() && when_drained_) drained();
}

void HttpHub::drain(Millis patience, std::move_only_function<void()> done) {
  listener_->close();
  when_drained_ = std::move(done);
  for (const auto& [key, connection] : std::vector(connections_.begin(), connections_.end())) {
    connection->drain();
  }
  patience_ = loop_.after(connections_.empty() ? Millis(0) : patience, [weak = weak_from_this()] {
    if (const auto hub = weak.lock()) hub->drained();
  });
}

void HttpHub::drained() {
  loop_.cancel(std::exchange(patience_, 0));
  auto done = std::exchange(when_drained_, {});
  for (const auto& [key, connection] : std::vector(connections_.begin(), connections_.end())) {
    connection->drop();
  }
  if (done) done();
}

void HttpHub::abandon() {
  listener_->close();
  loop_.cancel(patience_);
  when_drained_ = {};
  for (const auto& [key, connection] : std::vector(connections_.begin(), connections_.end())) {
    connection->abandon();
  }
}

class HubHttpServer final : public HttpServer {
 public:
  explicit HubHttpServer(std::shared_ptr<HttpHub> hub) : hub_(std::move(hub)) {}
  ~HubHttpServer() override { hub_->abandon(); }
  uint16_t port() const override { return hub_->port(); }
  size_t connections() const override { return hub_->connections(); }
  void drain(Millis patience, std::move_only_function<void()> done) override {
    hub_->drain(patience, std::move(done));
  }

 private:
  const std::shared_ptr<HttpHub> hub_;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::listen(Loop& loop, HttpServerOptions options,
                                                       HttpRouter router) {
  auto hub = std::make_shared<HttpHub>(loop, std::move(options), std::move(router));
  if (auto listening = hub->listen(); !listening) return std::unexpected(listening.error());
  return std::make_unique<HubHttpServer>(std::move(hub));
}

}  // namespace iii::net
