// A Transport to an engine in the same process, on the same loop: frames are handed over, no
// socket.
//
// Whoever wires the two together gives an `Attach`: it is called for each connection with the line
// to the worker, and returns the engine's end. The engine outlives the transport.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bus/net/loop.h"
#include "bus/sdk/transport.h"

namespace iii::sdk {

// The engine's end of the line. Destroyed when the worker has gone.
class InProcessPeer {
 public:
  virtual ~InProcessPeer() = default;
  // 64 bytes behind `text` are readable. Nothing here is called from inside InProcessLine::send.
  virtual void on_text(std::string_view text) = 0;
  // The same for a large one, which may be kept.
  virtual void on_shared_text(SharedBytes text) { on_text(text.bytes); }
  // The worker leaves; nothing follows.
  virtual void on_closed() = 0;
};

// What the engine holds of the worker. Harmless when the worker is gone already.
class InProcessLine {
 public:
  virtual ~InProcessLine() = default;
  virtual void send(std::string_view text) = 0;
  // Nothing is delivered to the engine's end between these two, unless the worker leaves.
  virtual void pause() = 0;
  virtual void resume() = 0;
  // As when a socket is dropped: the worker sees the end and comes back.
  virtual void drop() = 0;
};

using Attach = std::function<std::unique_ptr<InProcessPeer>(std::shared_ptr<InProcessLine>)>;

class InProcessTransport final : public Transport {
 public:
  InProcessTransport(net::Loop& loop, Attach attach) : loop_(loop), attach_(std::move(attach)) {}
  ~InProcessTransport() override { drop(); }

  void open(TransportEvents& events) override;
  void send(std::string_view text) override;
  void send_encoded(SharedBytes frame) override;
  void ping() override;
  void close() override;
  void drop() override;

 private:
  class Line;

  net::Loop& loop_;
  const Attach attach_;
  std::shared_ptr<Line> line_;
};

}  // namespace iii::sdk
