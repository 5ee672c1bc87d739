#include "app/daemon/operations.h"

#include <utility>

#include "foundation/json/write.h"

namespace iii::daemon {

namespace {

constexpr std::string_view kOk = R"({"status":"ok"})";

net::HttpAnswer not_ready(std::string_view status, std::string_view reason) {
  std::string body = R"({"status":")" + std::string(status) + R"(","reason":)";
  json::append_string(body, reason);
  return net::http_json(503, body + "}");
}

}  // namespace

void Operations::add_to(net::HttpRouter& router) {
  const auto live = [](const auto&, const auto& response) {
    response->send(net::http_json(200, std::string(kOk)));
  };
  // For probes, which have no token.
  const net::HttpRouteOptions open{.needs_token = false};
  router.get("/healthz", live, open);
  router.get("/healthz/live", live, open);
  router.get(
      "/healthz/ready", [this](const auto&, const auto& response) { readiness(response); }, open);
  router.get("/metrics", [this](const auto&, const auto& response) { metrics(response); });
}

std::optional<net::HttpAnswer> Operations::not_ready_yet() const {
  if (phase_ == Phase::kStarting) return not_ready("starting", "the directory is not there yet");
  if (phase_ == Phase::kStopping) return not_ready("stopping", "the server is stopping");
  if (const std::optional<std::string> trouble = embedded_.trouble()) {
    return not_ready("degraded", *trouble);
  }
  return std::nullopt;
}

// Folders are looked at elsewhere: a disk may take its time. However many ask, one look is enough.
void Operations::readiness(const ResponsePtr& response) {
  if (auto answer = not_ready_yet()) return response->send(std::move(*answer));
  if (!look_at_folders_) return response->send(net::http_json(200, std::string(kOk)));
  waiting_.push_back(response);
  if (waiting_.size() > 1) return;
  look_at_folders_([this](const std::optional<std::string>& trouble) {
    for (const ResponsePtr& each : std::exchange(waiting_, {})) {
      each->send(trouble ? not_ready("degraded", *trouble) : net::http_json(200, std::string(kOk)));
    }
  });
}

// The counters are copied here, and written elsewhere: hundreds of histograms take a while.
void Operations::metrics(const ResponsePtr& response) {
  Metrics now{.version = version_,
              .mode = mode_,
              .bus = bus_metrics(embedded_),
              .directory = {},
              .http_connections = http_ != nullptr ? http_->connections() : 0};
  if (directory_) now.directory = directory_();
  embedded_.engine().background().compute(
      engine::kEngineOwner, [now = std::move(now)] { return metrics_text(now, process_usage()); },
      [response](std::string text) {
        response->send(200,
                       {{"Content-Type", std::string(MetricsText::kContentType)},
                        {"Cache-Control", "no-store"}},
                       std::move(text));
      });
}

}  // namespace iii::daemon
