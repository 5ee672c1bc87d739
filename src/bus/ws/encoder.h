// Messages in, bytes out, appended to a buffer that its owner flushes once per loop turn.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bus/ws/frame.h"

namespace iii::ws {

// Masking keys of a client (RFC 6455 §5.3): unpredictable to the sender of the payload, so drawn
// from a generator seeded by the kernel. Servers never mask.
class MaskSource {
 public:
  MaskSource();
  uint32_t next();

 private:
  uint64_t state_[2];
};

class Encoder {
 public:
  explicit Encoder(Role role, size_t max_frame = Limits{}.max_frame);

  // One message; split into frames of at most `max_frame` bytes when it is larger.
  void message(std::string& out, Opcode kind, std::string_view payload);
  // The same in steps, for a payload that is not in one piece: calls `frame(opcode, fin, offset,
  // length)` for every frame of a message of `size` bytes. A frame is its header and then, in as
  // many calls as it takes, its payload.
  template <typename Frame>
  void split(Opcode kind, size_t size, Frame&& frame) const {
    size_t offset = 0;
    for (; size - offset > max_frame_; offset += max_frame_) {
      frame(kind, false, offset, max_frame_);
      kind = Opcode::kContinuation;
    }
    frame(kind, true, offset, size - offset);
  }
  // Returns the key for the first bytes of the payload. A server's payload is sent as it is.
  uint32_t header(std::string& out, Opcode kind, bool fin, size_t length);
  // Appends a part of a frame's payload; returns the key for the next one.
  uint32_t payload(std::string& out, std::string_view part, uint32_t key) const;
  // Ping or pong; payload is cut to 125 bytes.
  void control(std::string& out, Opcode kind, std::string_view payload);
  // kCloseNone writes a Close frame without a code; the reason is cut to 123 bytes at a character
  // border.
  void close(std::string& out, uint16_t code, std::string_view reason);

 private:
  void frame(std::string& out, Opcode kind, bool fin, std::string_view whole);

  Role role_;
  size_t max_frame_;
  MaskSource masks_;
};

}  // namespace iii::ws
