// A WebSocket connection in either role, living on the loop thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "bus/ws/frame.h"
#include "bus/ws/handshake.h"
#include "bus/ws/message.h"
#include "foundation/base/shared_bytes.h"

namespace iii::net {

// Messages above this are handed over instead of shown.
inline constexpr size_t kLargeMessage = 1024 * 1024;

struct CloseInfo {
  uint16_t code = ws::kCloseAbnormal;
  std::string reason = {};
};

// Tells its owner what happens. Calls come on the loop thread, never from inside send() or close().
class ConnectionEvents {
 public:
  virtual ~ConnectionEvents() = default;
  // A whole text or binary message; `payload` has ws::kPadding readable bytes behind it and is
  // valid during the call.
  virtual void on_message(ws::Opcode kind, std::string_view payload) = 0;
  // The same for a message above kLargeMessage: its memory is the receiver's to keep and to share.
  virtual void on_large_message(ws::Opcode kind, ws::OwnedMessage&& message) {
    on_message(kind, message.view());
  }
  virtual void on_ping() {}
  virtual void on_pong() {}
  // The socket was full and has now taken everything that was queued.
  virtual void on_drained() {}
  // The peer of a connection that is not being read has sent its last byte; what came before it can
  // still be read. Comes at most once.
  virtual void on_half_closed() {}
  // Exactly once, last. The connection object may be released here.
  virtual void on_closed(const CloseInfo& info) = 0;
};

struct ConnectionOptions {
  ws::Limits limits = {};
  // A peer that stops reading is disconnected when nothing could be written to it for this long …
  std::chrono::milliseconds stall_timeout{30'000};
  // … or when more than this waits for it. Ask accepts() before sending something large.
  size_t max_queued_bytes = 128 * 1024 * 1024;
  // Servers: while more than this waits for a peer, what it says is not read, so that it cannot ask
  // for more than it takes.
  size_t high_water = 8 * 1024 * 1024;
  // … unless it takes nothing for this long: it may be waiting for us to read.
  std::chrono::milliseconds hold_patience{1'000};
  // How long the messages of one connection are handled before others get their turn. Looked at
  // after each message, so 0 is one message at a time.
  std::chrono::microseconds turn_budget{500};
  // A peer whose host does not answer for this long is gone: TCP keepalive while nothing is sent,
  // TCP_USER_TIMEOUT while something is. At least 2 s; 0 leaves both to the system.
  std::chrono::milliseconds dead_peer_timeout{30'000};
  // How often a connection that is not being read looks whether its peer is still there.
  std::chrono::milliseconds hangup_check{1'000};
  // How long a peer may take to fetch our last bytes and to close its side.
  std::chrono::milliseconds linger{2'000};
  // The public engine never answers a Close; answering is kinder to clients (deliberate deviation).
  bool answer_close = true;
};

class Connection {
 public:
  virtual ~Connection() = default;

  // Queued; everything queued in one loop turn leaves in one write. Ignored once closing.
  virtual void send(ws::Opcode kind, std::string_view payload) = 0;
  // One message made of several parts. Those with an owner are not copied when they are large
  // (clients have to mask, and copy).
  virtual void send_parts(ws::Opcode kind, std::span<const SharedBytes> parts) = 0;
  void send_shared(ws::Opcode kind, SharedBytes payload) { send_parts(kind, {&payload, 1}); }
  virtual void ping(std::string_view payload) = 0;
  // Flushes, sends a Close frame (kCloseNone: without a code), then ends TCP.
  virtual void close(uint16_t code, std::string_view reason) = 0;
  // Ends TCP without a Close frame; the peer sees 1006. Queued messages are flushed first as far as
  // the socket takes them at once.
  virtual void drop() = 0;

  // Back-pressure: a paused connection is not read, so TCP slows the peer down.
  virtual void pause_reading() = 0;
  virtual void resume_reading() = 0;
  // This peer may stop reading for as long as it likes (a channel's reader, whose writer is slowed
  // down instead): the stall timeout does not apply to it, nor does any deadline for what was sent
  // before close().
  virtual void allow_stalls() = 0;

  // Of a message that is not complete, not much more than this is read (until the limit is raised).
  virtual void limit_unfinished(size_t bytes) = 0;

  // False as soon as nothing can be sent or received any more; on_closed may come later.
  virtual bool is_open() const = 0;
  virtual size_t queued_bytes() const = 0;
  // Whether a message of this size can be queued without crossing max_queued_bytes.
  virtual bool accepts(size_t bytes) const = 0;
  // Memory that the user of this connection holds on its behalf; counts in the server's budget.
  virtual void charge(ptrdiff_t bytes) = 0;
  virtual const std::string& remote_ip() const = 0;
};

}  // namespace iii::net
