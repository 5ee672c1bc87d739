// The vocabulary of RFC 6455 that the other files of this room share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace iii::ws {

// Which end of the connection *we* are. A server demands masked frames, a client refuses them
// (RFC 6455 §5.1).
enum class Role { kServer, kClient };

enum class Opcode : uint8_t {
  kContinuation = 0x0,
  kText = 0x1,
  kBinary = 0x2,
  kClose = 0x8,
  kPing = 0x9,
  kPong = 0xa,
};

// Close codes we speak of by name (RFC 6455 §7.4.1). kNone: a Close frame without a code;
// kAbnormal: no Close frame.
enum CloseCode : uint16_t {
  kCloseNormal = 1000,
  kCloseGoingAway = 1001,
  kCloseProtocolError = 1002,
  kCloseNone = 1005,
  kCloseAbnormal = 1006,
  kCloseInvalidPayload = 1007,
  kCloseTooBig = 1009,
  kCloseServiceRestart = 1012,
  kCloseTryAgainLater = 1013,
};

struct Limits {
  size_t max_frame = 16 * 1024 * 1024;    // bytes of payload in one frame, inclusive
  size_t max_message = 64 * 1024 * 1024;  // bytes of payload in one message, inclusive
};

// simdjson reads (never writes) up to this many bytes behind a text: message payloads guarantee
// them.
inline constexpr size_t kPadding = 64;

}  // namespace iii::ws
