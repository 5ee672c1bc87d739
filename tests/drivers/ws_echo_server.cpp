// A WebSocket server on src/net for tests and benchmarks: sends every message back.
//
//   ws_echo_server [--port N] [--echo] [--max-frame N] [--max-message N] [--max-queued N]
//   [--stall-ms N]
//
// Prints its port, and `closed CODE REASON` for each connection that ended. Unless --echo is given,
// texts that begin with `!` are orders (see obey()).
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <string_view>

#include "bus/net/loop.h"
#include "bus/net/server.h"
#include "foundation/base/log.h"

namespace {

using iii::net::CloseInfo;
using iii::net::Connection;
using iii::net::ConnectionEvents;
using iii::ws::Opcode;

struct Options {
  iii::net::ServerOptions server;
  bool echo_only = false;
};

std::set<Connection*> paused;

class Echo final : public ConnectionEvents {
 public:
  Echo(std::shared_ptr<Connection> connection, bool echo_only)
      : connection_(std::move(connection)), echo_only_(echo_only) {}

  void on_message(Opcode kind, std::string_view payload) override {
    if (!echo_only_ && kind == Opcode::kText && payload.starts_with('!')) return obey(payload);
    connection_->send(kind, payload);
  }

  void on_closed(const CloseInfo& info) override {
    if (echo_only_) return;
    paused.erase(connection_.get());
    std::printf("closed %d %s\n", info.code, info.reason.c_str());
    std::fflush(stdout);
  }

 private:
  void obey(std::string_view order) {
    if (order == "!close") return connection_->close(iii::ws::kCloseNone, {});
    if (order.starts_with("!close ")) {  // code and reason
      uint16_t code = 0;
      std::from_chars(order.data() + 7, order.data() + order.size(), code);
      return connection_->close(code, order.substr(std::min<size_t>(order.size(), 12)));
    }
    if (order == "!drop") {  // after a last word
      connection_->send(Opcode::kText, "last");
      return connection_->drop();
    }
    if (order.starts_with("!flood ")) {  // that many MiB, whether the peer reads or not
      const std::string block(1024 * 1024, 'x');
      for (int left = std::atoi(order.data() + 7); left > 0; --left) {
        connection_->send(Opcode::kBinary, block);
      }
      return;
    }
    if (order == "!pause") {  // until any other connection says !resume
      paused.insert(connection_.get());
      return connection_->pause_reading();
    }
    if (order == "!resume") {
      for (Connection* other : std::exchange(paused, {})) other->resume_reading();
      return;
    }
    if (order == "!ping") return connection_->ping("are you there");
    connection_->send(Opcode::kText, "unknown order");
  }

  const std::shared_ptr<Connection> connection_;
  const bool echo_only_;
};

Options parse(int argc, char** argv) {
  Options options;
  iii::net::ConnectionOptions& connection = options.server.connection;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--echo") {
      options.echo_only = true;
      continue;
    }
    const unsigned long value = i + 1 < argc ? std::strtoul(argv[++i], nullptr, 10) : 0;
    if (name == "--port") {
      options.server.port = static_cast<uint16_t>(value);
    } else if (name == "--max-frame") {
      connection.limits.max_frame = value;
    } else if (name == "--max-message") {
      connection.limits.max_message = value;
    } else if (name == "--max-queued") {
      connection.max_queued_bytes = value;
    } else if (name == "--stall-ms") {
      connection.stall_timeout = std::chrono::milliseconds(value);
    } else {
      std::fprintf(stderr, "unknown option %s\n", argv[i - 1]);
      std::exit(2);
    }
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  iii::net::Loop loop;
  const auto route = [&options](const iii::ws::UpgradeRequest& request,
                                const std::string&) -> iii::net::RouteDecision {
    if (request.path() != "/") return iii::ws::Refusal{};
    if (auto refusal = iii::ws::check_upgrade(request)) return *std::move(refusal);
    return iii::net::Accept([&options](std::shared_ptr<Connection> connection) {
      return std::make_unique<Echo>(std::move(connection), options.echo_only);
    });
  };
  auto server = iii::net::Server::listen(loop, options.server, route);
  if (!server) {
    std::fprintf(stderr, "%s\n", server.error().message.c_str());
    return 1;
  }
  std::printf("%d\n", (*server)->port());
  std::fflush(stdout);
  loop.on_stop_signals([&loop] { loop.stop(); });
  loop.run();
  return 0;
}
