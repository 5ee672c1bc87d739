// What Boost.Beast makes of the same bytes, as the second opinion on our decoder.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bus/ws/frames_for_test.h"

namespace iii::ws {

enum class Ending { kEof, kClosed, kRefused };

struct BeastResult {
  std::vector<Seen> seen;  // messages, pings, pongs; last a Close when `ending` is kClosed
  Ending ending = Ending::kEof;
  std::string error;  // Beast's words when it refused
};

// Frames of one direction after a handshake, until they end.
BeastResult beast_decode(Role role, size_t max_message, std::string_view bytes);

// Empty when both made the same of the stream, else what differs. Known differences are allowed
// for:
// - we refuse a header at its first wrong byte, Beast when it is whole;
// - Beast checks UTF-8 fragment by fragment, so it may refuse a message that we still wait for;
// - Beast lets a text through whose last character is cut short, if its last frame is empty;
// - Beast takes close codes from 5000 up and not 1014; we follow RFC 6455 §7.4.2 and the register
// of codes.
std::string compare_with_beast(Role role, size_t max_message, std::string_view bytes);

}  // namespace iii::ws
