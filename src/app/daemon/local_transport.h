// A worker of this process on the embedded engine: the same registry and the same rules as for a
// socket, without the socket.
#pragma once

#include <memory>
#include <string_view>

#include "bus/engine/engine.h"
#include "bus/net/loop.h"
#include "bus/sdk/transport.h"

namespace iii::daemon {

// `engine` outlives it. Both live on `loop`.
class LocalTransport final : public sdk::Transport {
 public:
  LocalTransport(net::Loop& loop, engine::Engine& engine) : loop_(loop), engine_(engine) {}
  ~LocalTransport() override { drop(); }

  void open(sdk::TransportEvents& events) override;
  void send(std::string_view text) override;
  void send_encoded(SharedBytes frame) override;
  void ping() override;
  void close() override;
  void drop() override;

 private:
  class Line;

  net::Loop& loop_;
  engine::Engine& engine_;
  std::shared_ptr<Line> line_;
};

}  // namespace iii::daemon
