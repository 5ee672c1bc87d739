// Messages in, bytes out, appended to a buffer that its owner flushes once per loop turn.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ws/frame.h"

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
  // Ping or pong; payload is cut to 125 bytes.
  void control(std::string& out, Opcode kind, std::string_view payload);
  // kCloseNone writes a Close frame without a code; the reason is cut to 123 bytes at a character
  // border.
  void close(std::string& out, uint16_t code, std::string_view reason);

 private:
  Role role_;
  size_t max_frame_;
  MaskSource masks_;
};

}  // namespace iii::ws
