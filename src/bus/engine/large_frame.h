// A message above 1 MiB: parsed on another thread, and passed on without being copied.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "bus/engine/frame_texts.h"
#include "bus/engine/json_text.h"
#include "bus/protocol/parser.h"
#include "foundation/base/discard.h"
#include "foundation/base/result.h"
#include "foundation/base/shared_bytes.h"

namespace iii::engine {

struct LargeFrame {
  SharedBytes text;
  std::unique_ptr<protocol::Parser> parser;  // holds the texts of `frame` that had escapes
  Result<protocol::Frame> frame;
  // The payload of a call as its target gets it, when that is not the sender's own bytes behind
  // our `_caller_worker_id`.
  SharedBytes spliced;

  // Of a registration: its texts, copied where it was parsed.
  std::shared_ptr<Function> function = {};
  std::shared_ptr<Binding> binding = {};
  std::shared_ptr<const TypeTexts> type = {};

  // A part of the text, such as a payload of `frame`.
  SharedBytes part(std::string_view bytes) const { return {text.owner, bytes}; }
};

using LargeFramePtr = Discarded<LargeFrame>;

// A part of a frame, to be kept: shared with a large frame, else copied.
inline JsonText kept_text(std::string_view part, const LargeFrame* large) {
  return large != nullptr ? JsonText(large->part(part)) : JsonText(std::string(part));
}

// Touches nothing but its arguments. `text` has 64 readable bytes behind it.
LargeFramePtr parse_large(SharedBytes text, std::string_view caller_worker_id);

}  // namespace iii::engine
