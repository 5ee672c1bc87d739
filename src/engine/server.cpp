#include "engine/server.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace iii::engine {

namespace {

constexpr std::string_view kChannelPrefix = "/ws/channels/";

// Telemetry frames, recognised before anybody tries to read them as JSON (wire-protocol §14).
bool is_telemetry(std::string_view payload) {
  return payload.starts_with("OTLP") || payload.starts_with("MTRC") || payload.starts_with("LOGS");
}

// One worker's socket.
class WorkerSession final : public net::ConnectionEvents, public Link {
 public:
  WorkerSession(Engine& engine, std::shared_ptr<net::Connection> connection)
      : engine_(engine), connection_(std::move(connection)) {
    worker_ = &engine_.connected(*this, connection_->remote_ip());
  }

  void on_message(ws::Opcode kind, std::string_view payload) override {
    if (worker_ == nullptr || (kind == ws::Opcode::kBinary && is_telemetry(payload))) return;
    engine_.received(*worker_, payload);
  }

  void on_closed(const net::CloseInfo&) override {
    if (worker_ != nullptr) engine_.disconnected(*std::exchange(worker_, nullptr));
  }

  void send(std::string_view frame) override { connection_->send(ws::Opcode::kText, frame); }

  size_t queued_bytes() const override { return connection_->queued_bytes(); }

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
  Worker* worker_ = nullptr;
};

// Telemetry is accepted, because SDKs retry for ever when it is not, and discarded.
class TelemetrySink final : public net::ConnectionEvents {
 public:
  void on_message(ws::Opcode, std::string_view) override {}
  void on_closed(const net::CloseInfo&) override {}
};

bool same_secret(std::string_view a, std::string_view b) {
  unsigned char difference = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i] ^ (b.empty() ? 0 : b[i % b.size()]));
  }
  return difference == 0;
}

class EngineRouter {
 public:
  EngineRouter(Access access, Engine& engine, ChannelTable& channels)
      : access_(std::move(access)), engine_(engine), channels_(channels) {}

  net::RouteDecision operator()(const ws::UpgradeRequest& request, const std::string&) const {
    if (auto refusal = check_access(access_, request)) return std::move(*refusal);
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
    return net::Accept([&engine = engine_](std::shared_ptr<net::Connection> connection) {
      return std::make_unique<WorkerSession>(engine, std::move(connection));
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

  Access access_;
  Engine& engine_;
  ChannelTable& channels_;
};

}  // namespace

std::optional<ws::Refusal> check_access(const Access& access, const ws::UpgradeRequest& request) {
  if (const std::string* origin = request.header("Origin")) {
    const auto& allowed = access.allowed_origins;
    if (std::find(allowed.begin(), allowed.end(), *origin) == allowed.end()) {
      return ws::Refusal{.status = 403,
                         .body =
                             "This engine accepts no connections from web pages of this origin. "
                             "Next: start it with --allow-origin to permit one.",
                         .headers = {}};
    }
  }
  if (access.token.empty()) return std::nullopt;
  const std::string* authorization = request.header("Authorization");
  const std::string_view given = authorization != nullptr ? *authorization : std::string_view{};
  if (given.size() > 7 && iequals(given.substr(0, 7), "bearer ") &&
      same_secret(trim(given.substr(7)), access.token)) {
    return std::nullopt;
  }
  return ws::Refusal{.status = 401,
                     .body =
                         "This engine wants a token. Next: send `Authorization: Bearer <token>`, "
                         "or set III_TOKEN.",
                     .headers = {{"WWW-Authenticate", "Bearer"}}};
}

Result<std::unique_ptr<net::Server>> serve_engine(net::Loop& loop, net::ServerOptions options,
                                                  Access access, Engine& engine,
                                                  ChannelTable& channels) {
  return net::Server::listen(loop, std::move(options),
                             EngineRouter(std::move(access), engine, channels));
}

}  // namespace iii::engine
