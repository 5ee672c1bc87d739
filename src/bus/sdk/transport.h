// How a worker's frames reach an engine: over a socket, or inside one process. Everything happens
// on one loop thread.
#pragma once

#include <string>
#include <string_view>

#include "foundation/base/shared_bytes.h"

namespace iii::sdk {

class TransportEvents {
 public:
  virtual ~TransportEvents() = default;
  virtual void on_open() = 0;
  // One frame. 64 bytes behind `text` are readable; valid during the call.
  virtual void on_text(std::string_view text) = 0;
  // Any other sign of life from the engine.
  virtual void on_alive() = 0;
  // Could not open, or open no longer: `why` is for the log. Nothing follows until the next open().
  virtual void on_closed(std::string_view why) = 0;
  // The same where the engine's machine says that nobody listens on the port.
  virtual void on_refused(std::string_view why) { on_closed(why); }
};

// Events are never delivered from inside one of these calls, and never after drop() or destruction.
class Transport {
 public:
  virtual ~Transport() = default;

  // Leads to on_open or on_closed. May be called again once closed or dropped.
  virtual void open(TransportEvents& events) = 0;
  virtual void send(std::string_view text) = 0;
  // A frame of many megabytes in two steps, so that the loop thread does not copy it: encode() may
  // be called from any thread and does the work, send_encoded() takes what it made.
  virtual SharedBytes encode(std::string text) const;
  virtual void send_encoded(SharedBytes frame) { send(frame.bytes); }
  // A peer that lives answers with on_alive.
  virtual void ping() = 0;
  // What was sent still arrives, then the connection ends politely: on_closed follows.
  virtual void close() = 0;
  // Forgets the connection, or the attempt at one. No event follows.
  virtual void drop() = 0;
};

}  // namespace iii::sdk
