#include "bus/net/server.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bus/net/asio.h"
#include "bus/net/listener.h"
#include "bus/net/socket_connection.h"
#include "bus/net/socket_options.h"
#include "foundation/base/log.h"

namespace iii::net {
namespace {

class Hub;

// A TCP connection whose request has not been read yet.
class Arrival : public std::enable_shared_from_this<Arrival> {
 public:
  Arrival(Hub& hub, Socket socket) : hub_(&hub), socket_(std::move(socket)) {}
  void start();
  void end();  // without a Close frame

 private:
  void wait();
  void on_readable();
  void answer(ws::RequestReader::Status status, std::string_view rest);

  Hub* hub_;  // null once ended
  Socket socket_;
  ws::RequestReader reader_;
  TimerId deadline_ = 0;
};

// What the Server object owns.
class Hub : public std::enable_shared_from_this<Hub> {
 public:
  Hub(Loop& loop, ServerOptions options, Router router)
      : loop_(loop),
        options_(std::move(options)),
        router_(std::move(router)),
        memory_(options_.memory ? options_.memory
                                : std::make_shared<MemoryBudget>(options_.max_total_bytes)),
        wrong_tokens_(options_.wrong_tokens ? options_.wrong_tokens
                                            : std::make_shared<WrongTokens>(loop)),
        listener_(std::make_shared<Listener>(
            loop, [this](Socket socket) { accept(std::move(socket)); })) {}

  Listener& listener() { return *listener_; }
  void stop();
  void abandon();
  void take_over(Arrival& arrival, Socket socket, const ws::UpgradeRequest* request,
                 std::string_view rest);
  void forget(Arrival& arrival);

  Loop& loop() { return loop_; }
  const ServerOptions& options() const { return options_; }
  uint16_t port() const { return listener_->port(); }
  size_t connections() const { return arrivals_.size() + connections_.size(); }

 private:
  void accept(Socket socket);
  void route(const std::shared_ptr<SocketConnection>& connection,
             const ws::UpgradeRequest& request);

  Loop& loop_;
  const ServerOptions options_;
  const Router router_;
  const std::shared_ptr<MemoryBudget> memory_;
  const std::shared_ptr<WrongTokens> wrong_tokens_;
  const std::shared_ptr<Listener> listener_;
  std::unordered_set<std::shared_ptr<Arrival>> arrivals_;
  // Until they are gone and their users have heard of it, so that abandon() reaches them all.
  std::unordered_map<SocketConnection*, std::shared_ptr<SocketConnection>> connections_;
  LogOnce full_;
};

void Arrival::start() {
  deadline_ = hub_->loop().after(hub_->options().handshake_timeout,
                                 [self = shared_from_this()] { self->end(); });
  wait();
}

void Arrival::end() {
  if (hub_ == nullptr) return;
  const auto self = shared_from_this();
  Hub& hub = *std::exchange(hub_, nullptr);
  hub.loop().cancel(deadline_);
  hub.forget(*this);
  hub.loop().spread([self] {
    ErrorCode ignored;
    self->socket_.close(ignored);
  });
}

void Arrival::wait() {
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](ErrorCode) {
    if (self->hub_ != nullptr) self->on_readable();
  });
}

void Arrival::on_readable() {
  std::array<char, 4096> piece;
  const ssize_t count = ::recv(socket_.native_handle(), piece.data(), piece.size(), MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return wait();
  if (count <= 0) return end();
  const std::string_view bytes(piece.data(), static_cast<size_t>(count));
  size_t consumed = 0;
  const ws::RequestReader::Status status = reader_.feed(bytes, consumed);
  if (status == ws::RequestReader::Status::kNeedMore) return wait();
  answer(status, bytes.substr(consumed));
}

void Arrival::answer(ws::RequestReader::Status status, std::string_view rest) {
  const auto self = shared_from_this();
  Hub& hub = *std::exchange(hub_, nullptr);
  hub.loop().cancel(deadline_);
  const bool done = status == ws::RequestReader::Status::kDone;
  hub.take_over(*this, std::move(socket_), done ? &reader_.request() : nullptr, rest);
}

void Hub::accept(Socket socket) {
  if (connections() >= options_.max_connections) {
    full_.warn("connections are refused: {} are open, which is the limit", connections());
    ErrorCode ignored;
    socket.close(ignored);
    return;
  }
  prepare_socket(socket.native_handle(), options_.connection.dead_peer_timeout);
  const auto arrival = std::make_shared<Arrival>(*this, std::move(socket));
  arrivals_.insert(arrival);
  arrival->start();
}

void Hub::forget(Arrival& arrival) { arrivals_.erase(arrival.shared_from_this()); }

void Hub::take_over(Arrival& arrival, Socket socket, const ws::UpgradeRequest* request,
                    std::string_view rest) {
  std::string ip = ip_text(socket);
  const auto connection = std::make_shared<SocketConnection>(
      loop_, std::move(socket), ws::Role::kServer, options_.connection, std::move(ip), memory_);
  connection->when_over([weak = weak_from_this(), key = connection.get()] {
    if (const auto hub = weak.lock()) hub->connections_.erase(key);
  });
  connections_.emplace(connection.get(), connection);
  forget(arrival);
  if (request == nullptr) {
    connection->write_raw(
        ws::refusal_response({.status = 400, .body = {}, .headers = {}}, nullptr));
    return connection->drop();
  }
  connection->feed(rest);
  route(connection, *request);
}

void Hub::route(const std::shared_ptr<SocketConnection>& connection,
                const ws::UpgradeRequest& request) {
  RouteDecision decision = router_(request, connection->remote_ip());
  if (const auto* refusal = std::get_if<ws::Refusal>(&decision)) {
    auto answer = [weak = std::weak_ptr(connection),
                   text = ws::refusal_response(*refusal, &request)] {
      const auto refused = weak.lock();
      if (!refused) return;
      refused->write_raw(text);
      refused->drop();
    };
    if (!refusal->wrong_token) return answer();
    return wrong_tokens_->refuse(connection->remote_ip(), std::move(answer));
  }
  connection->write_raw(ws::switching_protocols(request, options_.upgrade_headers));
  std::unique_ptr<ConnectionEvents> events = std::get<Accept>(decision)(connection);
  if (events == nullptr) return connection->abandon();
  connection->open(std::move(events));
}

void Hub::stop() {
  listener_->close();
  for (const auto& arrival : std::vector(arrivals_.begin(), arrivals_.end())) arrival->end();
  for (const auto& [key, connection] : std::vector(connections_.begin(), connections_.end())) {
    connection->drop();
  }
}

void Hub::abandon() {
  stop();
  for (const auto& [key, connection] : std::vector(connections_.begin(), connections_.end())) {
    connection->abandon();
  }
}

class HubServer final : public Server {
 public:
  explicit HubServer(std::shared_ptr<Hub> hub) : hub_(std::move(hub)) {}
  ~HubServer() override { hub_->abandon(); }
  uint16_t port() const override { return hub_->port(); }
  size_t connections() const override { return hub_->connections(); }
  void stop() override { hub_->stop(); }

 private:
  const std::shared_ptr<Hub> hub_;
};

}  // namespace

Result<std::unique_ptr<Server>> Server::listen(Loop& loop, ServerOptions options, Router router) {
  auto hub = std::make_shared<Hub>(loop, std::move(options), std::move(router));
  Listener& listener = hub->listener();
  const ServerOptions& given = hub->options();
  if (Result<void> listening = listener.listen(given.host, given.port); !listening) {
    return std::unexpected(listening.error());
  }
  listener.accept();
  return std::make_unique<HubServer>(std::move(hub));
}

}  // namespace iii::net
