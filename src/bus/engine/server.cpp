#include "bus/engine/server.h"

#include <algorithm>
#include <utility>

#include "bus/net/message_time.h"
#include "foundation/base/bearer.h"
#include "foundation/base/log.h"
#include "foundation/base/text.h"

namespace iii::engine {

namespace {

constexpr std::string_view kChannelPrefix = "/ws/channels/";

// Every socket of ours has TCP_NODELAY. SDKs that ask for this keep Nagle's algorithm on without
// it, and then each of their small frames may wait 40 ms for an acknowledgement (observers §1).
constexpr const char* kCapabilitiesHeader = "x-iii-capabilities";
constexpr const char* kNoDelay = "tcp-nodelay";

// Telemetry frames, recognised before anybody tries to read them as JSON (wire §14).
bool is_telemetry(std::string_view payload) {
  return payload.starts_with("OTLP") || payload.starts_with("MTRC") || payload.starts_with("LOGS");
}

// One worker's socket.
class WorkerSession final : public net::ConnectionEvents, public Link {
 public:
  // A sixteenth of what may wait for a peer is kept for errors and other small messages.
  WorkerSession(Engine& engine, std::shared_ptr<net::Connection> connection, size_t max_queued)
      : engine_(engine),
        connection_(std::move(connection)),
        max_queued_(max_queued - max_queued / 16) {
    worker_ = &engine_.connected(*this, connection_->remote_ip());
  }

  void on_message(ws::Opcode kind, std::string_view payload) override {
    if (worker_ == nullptr || (kind == ws::Opcode::kBinary && is_telemetry(payload))) return;
    engine_.received(*worker_, payload, net::message_time());
  }
  void on_large_message(ws::Opcode kind, ws::OwnedMessage&& message) override {
    if (worker_ == nullptr || (kind == ws::Opcode::kBinary && is_telemetry(message.view()))) return;
    engine_.received(*worker_, std::move(message).share());
  }

  void on_drained() override {
    if (worker_ != nullptr) engine_.drained(*worker_);
  }
  void on_closed(const net::CloseInfo&) override {
    if (worker_ != nullptr) engine_.disconnected(*std::exchange(worker_, nullptr));
  }

  // Whatever is too large for a peer was answered to its sender; this is for what has none.
  void send(std::string_view frame) override {
    if (frame.size() > engine_.limits().max_message_bytes) return not_sent(frame.size());
    connection_->send(ws::Opcode::kText, frame);
  }
  void send_parts(std::span<const SharedBytes> parts) override {
    size_t bytes = 0;
    for (const SharedBytes& part : parts) bytes += part.bytes.size();
    if (bytes > engine_.limits().max_message_bytes) return not_sent(bytes);
    connection_->send_parts(ws::Opcode::kText, parts);
  }
  size_t queued_bytes() const override { return connection_->queued_bytes(); }
  size_t room() const override { return max_queued_ - std::min(max_queued_, queued_bytes()); }
  bool pause() override {
    connection_->pause_reading();
    return true;
  }
  void resume() override { connection_->resume_reading(); }
  void charge(ptrdiff_t bytes) override { connection_->charge(bytes); }
  bool open() const override { return connection_->is_open(); }

  void not_sent(size_t bytes) const {
    log_warn("a message of {} bytes to worker {} was not sent: it is too large", bytes,
             worker_ != nullptr ? worker_->label() : "");
  }

  void ended(bool politely) override {
    worker_ = nullptr;
    if (politely) {
      connection_->close(ws::kCloseNone, "");
    } else {
      connection_->drop();
    }
  }

 private:
  Engine& engine_;
  std::shared_ptr<net::Connection> connection_;
  const size_t max_queued_;
  Worker* worker_ = nullptr;
};

// Telemetry is accepted, because SDKs retry for ever when it is not, and discarded.
class TelemetrySink final : public net::ConnectionEvents {
 public:
  void on_message(ws::Opcode, std::string_view) override {}
  void on_closed(const net::CloseInfo&) override {}
};

class EngineRouter {
 public:
  EngineRouter(Access access, Engine& engine, ChannelTable& channels, size_t max_queued)
      : access_(std::move(access)), engine_(engine), channels_(channels), max_queued_(max_queued) {}

  net::RouteDecision operator()(const ws::UpgradeRequest& request, const std::string& ip) {
    if (auto refusal = check_access(access_, request)) {
      refusals_.log(LogLevel::kWarn, "a connection from {} is refused ({}): {}", ip,
                    refusal->status,
                    refusal->status == 401 ? "it sent no valid token"
                                           : "its origin is not allowed (--allow-origin)");
      return std::move(*refusal);
    }
    const std::string_view path = request.path();
    const bool channel = path.starts_with(kChannelPrefix) && path.size() > kChannelPrefix.size() &&
                         path.find('/', kChannelPrefix.size()) == std::string_view::npos;
    if (path != "/" && path != "/otel" && !channel) {
      return ws::Refusal{.status = 404, .body = {}, .headers = {}};
    }
    if (auto refusal = ws::check_upgrade(request)) return std::move(*refusal);
    if (channel) return route_channel(request);
    if (path == "/otel") {
      return net::Accept([](const auto&) { return std::make_unique<TelemetrySink>(); });
    }
    return net::Accept(
        [&engine = engine_, most = max_queued_](std::shared_ptr<net::Connection> connection) {
          return std::make_unique<WorkerSession>(engine, std::move(connection), most);
        });
  }

 private:
  net::RouteDecision route_channel(const ws::UpgradeRequest& request) const {
    const auto bad = [](std::string why) {
      return ws::Refusal{.status = 400,
                         .body = "Failed to deserialize query string: " + std::move(why),
                         .headers = {}};
    };
    const auto key = request.query_value("key");
    const auto dir = request.query_value("dir");
    if (!key) return bad("missing field `key`");
    if (!dir) return bad("missing field `dir`");
    if (*dir != "read" && *dir != "write") {
      return bad("dir: unknown variant `" + std::string(*dir) + "`, expected `read` or `write`");
    }
    const std::string_view id = request.path().substr(kChannelPrefix.size());
    auto channel = channels_.find(percent_decode(id), percent_decode(*key));
    if (!channel) return ws::Refusal{.status = 404, .body = "Channel not found", .headers = {}};
    const ChannelSide side = *dir == "read" ? ChannelSide::kRead : ChannelSide::kWrite;
    return net::Accept([&channels = channels_, channel = std::move(channel),
                        side](std::shared_ptr<net::Connection> connection) {
      return channels.attach(channel, side, std::move(connection));
    });
  }

  LogBudget refusals_;
  Access access_;
  Engine& engine_;
  ChannelTable& channels_;
  size_t max_queued_;  // bytes that may wait for a worker
};

}  // namespace

std::optional<ws::Refusal> check_access(const Access& access, const ws::UpgradeRequest& request) {
  if (const std::string* origin = request.header("Origin")) {
    const auto& allowed = access.allowed_origins;
    if (std::find(allowed.begin(), allowed.end(), *origin) == allowed.end()) {
      return ws::Refusal{
          .status = 403,
          .body =
              "This engine does not accept connections from web pages of this origin. "
              "Next: start it with --allow-origin to permit one.",
          .headers = {}};
    }
  }
  if (access.token.empty()) return std::nullopt;
  const std::string* authorization = request.header("Authorization");
  if (authorization != nullptr && is_bearer(*authorization, access.token)) return std::nullopt;
  return ws::Refusal{
      .status = 401,
      .body =
          "This engine requires a token. Next: send `Authorization: Bearer <token>`, "
          "or set III_TOKEN.",
      .headers = {{"WWW-Authenticate", "Bearer"}},
      .wrong_token = authorization != nullptr && names_bearer(*authorization)};
}

Result<std::unique_ptr<net::Server>> serve_engine(net::Loop& loop, net::ServerOptions options,
                                                  Access access, Engine& engine,
                                                  ChannelTable& channels) {
  EngineRouter router(std::move(access), engine, channels, options.connection.max_queued_bytes);
  options.upgrade_headers = {{kCapabilitiesHeader, kNoDelay}};
  return net::Server::listen(loop, std::move(options), std::move(router));
}

}  // namespace iii::engine
