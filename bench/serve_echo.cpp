// The yardstick: our codec and our loop, and nothing behind them.
#include <cstdio>

#include "bus/net/loop.h"
#include "bus/net/server.h"
#include "process.h"
#include "roles.h"

namespace iii::bench {
namespace {

class Echo final : public net::ConnectionEvents {
 public:
  explicit Echo(std::shared_ptr<net::Connection> connection) : connection_(std::move(connection)) {}
  void on_message(ws::Opcode kind, std::string_view payload) override {
    connection_->send(kind, payload);
  }
  void on_closed(const net::CloseInfo&) override {}

 private:
  const std::shared_ptr<net::Connection> connection_;
};

net::RouteDecision route(const ws::UpgradeRequest& request, const std::string&) {
  if (auto refusal = ws::check_upgrade(request)) return std::move(*refusal);
  return net::Accept([](std::shared_ptr<net::Connection> connection) {
    return std::make_unique<Echo>(std::move(connection));
  });
}

}  // namespace

int serve_echo() {
  net::Loop loop;
  const auto server = net::Server::listen(loop, {}, route);
  if (!server) die(server.error().message);
  std::printf("port %d\n", (*server)->port());
  std::fflush(stdout);
  loop.on_stop_signals([&loop] { loop.stop(); });
  loop.run();
  return 0;
}

}  // namespace iii::bench
