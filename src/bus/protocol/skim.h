// The quick way through a frame: the structural index that simdjson's first stage made, walked
// once.
//
// That stage has checked UTF-8, quotes and control characters. What is left of JSON's rules (order
// of the marks, literals, numbers, escapes) is checked here for the common forms; no tape is built
// and no string copied. Whatever is not plainly right is left to the full parser, so this never
// decides that a frame is wrong. Internal to this room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "bus/protocol/keys.h"

namespace iii::protocol {

// True: `text` is one valid JSON object, and its members are in `members`. False: nothing is known,
// and `members` must be reset. `index` holds the positions of the structural characters and one
// more entry behind them, the length of the text.
bool skim(std::string_view text, std::span<const uint32_t> index, Members& members);

}  // namespace iii::protocol
