#include "bus/net/client.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include "bus/net/asio.h"
#include "bus/net/socket_connection.h"
#include "bus/net/socket_options.h"
#include "bus/net/tls_session.h"
#include "foundation/base/discard.h"

namespace iii::net {
namespace {

// Resolve, connect to one address after the other, speak TLS if asked, send the request, read the
// answer.
class Attempt : public std::enable_shared_from_this<Attempt> {
 public:
  Attempt(Loop& loop, Url url, ConnectOptions options, Connected done)
      : loop_(loop),
        url_(std::move(url)),
        options_(std::move(options)),
        done_(std::move(done)),
        resolver_(loop.context()),
        socket_(loop.context()),
        key_(ws::random_key()),
        reader_(key_) {}

  void start();
  void cancel();

 private:
  void resolve();
  void connect_next(ErrorCode last_error);
  void start_tls();
  void shake_hands();
  void send_request();
  void write(size_t from);
  void wait_answer();
  void on_readable();
  void upgraded(std::string_view rest);
  void finish(Result<std::shared_ptr<ClientConnection>> result);
  void give_up(std::string code, std::string message) {
    finish(fail(std::move(code), std::move(message)));
  }
  bool over() const { return !done_; }

  Loop& loop_;
  const Url url_;
  const ConnectOptions options_;
  Connected done_;
  Resolver resolver_;
  Socket socket_;
  std::unique_ptr<TlsSession> tls_;  // none: plain
  std::vector<Tcp::endpoint> endpoints_;
  size_t next_endpoint_ = 0;
  const std::string key_;
  std::string request_;
  ws::ResponseReader reader_;
  TimerId deadline_ = 0;
};

void Attempt::start() {
  deadline_ = loop_.after(options_.timeout, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self) self->give_up("connect_timeout", "no answer in time");
  });
  // Never from inside connect(), not even when the answer is known at once.
  loop_.post([self = shared_from_this()] {
    if (!self->over()) self->resolve();
  });
}

void Attempt::resolve() {
  for (const ws::Header& header : options_.headers) {
    if (!ws::sendable(header)) {
      return give_up("bad_header", "a header has a name or value that is not valid in HTTP");
    }
  }
  ErrorCode error;
  const asio::ip::address address = asio::ip::make_address(url_.host, error);
  if (!error) {
    endpoints_.emplace_back(address, url_.port);
    return connect_next({});
  }
  resolver_.async_resolve(
      url_.host, std::to_string(url_.port),
      [self = shared_from_this()](ErrorCode failed, const Resolver::results_type& found) {
        if (self->over()) return;
        if (failed) return self->give_up("resolve_failed", "the host name could not be resolved");
        for (const auto& entry : found) self->endpoints_.push_back(entry.endpoint());
        self->connect_next({});
      });
}

void Attempt::connect_next(ErrorCode last_error) {
  if (next_endpoint_ == endpoints_.size()) {
    const std::string why = last_error ? last_error.message() : "the host name has no address";
    return give_up(
        last_error == asio::error::connection_refused ? kConnectRefused : "connect_failed",
        fmt::format("cannot connect: {}", why));
  }
  ErrorCode ignored;
  socket_.close(ignored);
  socket_.async_connect(endpoints_[next_endpoint_++], [self = shared_from_this()](ErrorCode error) {
    if (self->over()) return;
    if (error) return self->connect_next(error);
    prepare_socket(self->socket_.native_handle(), self->options_.connection.dead_peer_timeout);
    if (self->url_.secure) return self->start_tls();
    self->send_request();
  });
}

void Attempt::start_tls() {
  std::shared_ptr<const TlsTrust> trust = options_.trust;
  if (!trust) {
    auto made = make_tls_trust({});
    if (!made) return give_up(made.error().code, made.error().message);
    trust = std::move(*made);
  }
  auto session = TlsSession::make(std::move(trust), socket_.native_handle(), url_.host);
  if (!session) return give_up(session.error().code, session.error().message);
  tls_ = std::move(*session);
  shake_hands();
}

void Attempt::shake_hands() {
  const TlsSession::Step step = tls_->handshake();
  if (step == TlsSession::Step::kDone) return send_request();
  if (step == TlsSession::Step::kFailed) {
    const Error error = tls_->error();
    return give_up(error.code, error.message);
  }
  const auto side = step == TlsSession::Step::kWantRead ? Socket::wait_read : Socket::wait_write;
  socket_.async_wait(side, [self = shared_from_this()](ErrorCode) {
    if (!self->over()) self->shake_hands();
  });
}

void Attempt::send_request() {
  request_ = ws::upgrade_request(
      {.host = url_.authority(), .target = url_.target, .headers = options_.headers, .key = key_});
  write(0);
}

void Attempt::write(size_t from) {
  while (from < request_.size()) {
    const ssize_t count =
        transmit(socket_.native_handle(), tls_.get(), std::string_view(request_).substr(from));
    if (count >= 0) {
      from += static_cast<size_t>(count);
    } else if (errno == EAGAIN) {
      socket_.async_wait(Socket::wait_write, [self = shared_from_this(), from](ErrorCode) {
        if (!self->over()) self->write(from);
      });
      return;
    } else if (errno != EINTR) {
      return give_up("connect_failed", "the connection broke before the upgrade");
    }
  }
  wait_answer();
}

void Attempt::wait_answer() {
  if (tls_ && tls_->has_buffered()) return on_readable();
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](ErrorCode) {
    if (!self->over()) self->on_readable();
  });
}

void Attempt::on_readable() {
  std::array<char, 4096> piece;
  const ssize_t count = receive(socket_.native_handle(), tls_.get(), piece);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return wait_answer();
  if (count <= 0) return give_up("connect_failed", "the connection broke before the upgrade");
  const std::string_view bytes(piece.data(), static_cast<size_t>(count));
  size_t consumed = 0;
  switch (reader_.feed(bytes, consumed)) {
    case ws::ResponseReader::Status::kNeedMore:
      return wait_answer();
    case ws::ResponseReader::Status::kRefused:
      return give_up("upgrade_refused", reader_.reason());
    case ws::ResponseReader::Status::kBad:
      return give_up("bad_answer", reader_.reason());
    case ws::ResponseReader::Status::kUpgraded:
      return upgraded(bytes.substr(consumed));
  }
}

void Attempt::upgraded(std::string_view rest) {
  const auto connection = std::make_shared<SocketConnection>(
      loop_, std::move(socket_), ws::Role::kClient, options_.connection, url_.host);
  connection->encrypt(std::move(tls_));
  connection->feed(rest);
  // A control block of its own, so that the last owner's release is noticed although the socket's
  // pending operations still hold the connection.
  finish(std::shared_ptr<ClientConnection>(
      connection.get(), [connection](ClientConnection*) { connection->abandon(); }));
}

void Attempt::finish(Result<std::shared_ptr<ClientConnection>> result) {
  if (over()) return;
  Connected done = std::exchange(done_, {});
  cancel();
  done(std::move(result));
}

void Attempt::cancel() {
  done_ = nullptr;
  loop_.cancel(deadline_);
  resolver_.cancel();
  ErrorCode ignored;
  socket_.close(ignored);
}

class AttemptHandle final : public Connecting {
 public:
  explicit AttemptHandle(std::shared_ptr<Attempt> attempt) : attempt_(std::move(attempt)) {}
  ~AttemptHandle() override { attempt_->cancel(); }

 private:
  const std::shared_ptr<Attempt> attempt_;
};

}  // namespace

SharedBytes encode_message(std::string_view text, const ws::Limits& limits) {
  constexpr size_t kHeader = 14;
  ws::Encoder encoder(ws::Role::kClient, limits.max_frame);
  std::string frames;
  frames.reserve(text.size() + kHeader * (text.size() / limits.max_frame + 1));
  encoder.message(frames, ws::Opcode::kText, text);
  const auto shared = shared_text(std::move(frames));
  return {shared, *shared};
}

std::unique_ptr<Connecting> connect(Loop& loop, const Url& url, ConnectOptions options,
                                    Connected done) {
  auto attempt = std::make_shared<Attempt>(loop, url, std::move(options), std::move(done));
  attempt->start();
  return std::make_unique<AttemptHandle>(std::move(attempt));
}

}  // namespace iii::net
