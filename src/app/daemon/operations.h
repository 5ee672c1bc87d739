// What operators ask `serve` over HTTP: `/healthz`, `/healthz/live`, `/healthz/ready`, `/metrics`.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/daemon/metrics.h"
#include "bus/engine/embedded.h"
#include "bus/net/http_router.h"
#include "bus/net/http_server.h"

namespace iii::daemon {

// On the loop thread. Outlives the HTTP server that calls it.
class Operations {
 public:
  // `embedded` outlives it.
  Operations(engine::Embedded& embedded, std::string version, std::string mode)
      : embedded_(embedded), version_(std::move(version)), mode_(std::move(mode)) {}

  void add_to(net::HttpRouter& router);

  // What is measured besides the engine; each may be left out.
  void measure(std::function<directory::DirectoryStats()> directory) {
    directory_ = std::move(directory);
  }
  void measure(const net::HttpServer& http) { http_ = &http; }
  // Tells its argument what is wrong with the folders of skills; nothing: they can be used.
  using Told = std::function<void(std::optional<std::string>)>;
  void look_at_folders(std::function<void(Told)> look) { look_at_folders_ = std::move(look); }

  // Before and after these, `/healthz/ready` says no.
  void ready() { phase_ = Phase::kReady; }
  void stopping() { phase_ = Phase::kStopping; }

 private:
  enum class Phase { kStarting, kReady, kStopping };

  using ResponsePtr = std::shared_ptr<net::HttpResponse>;
  std::optional<net::HttpAnswer> not_ready_yet() const;
  void readiness(const ResponsePtr& response);
  void metrics(const ResponsePtr& response);

  engine::Embedded& embedded_;
  const std::string version_;
  const std::string mode_;
  Phase phase_ = Phase::kStarting;
  std::function<directory::DirectoryStats()> directory_;
  const net::HttpServer* http_ = nullptr;
  std::function<void(Told)> look_at_folders_;
  std::vector<ResponsePtr> waiting_;  // for the look that is under way
};

}  // namespace iii::daemon
